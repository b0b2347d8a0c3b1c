"""`python -m mbsim` is the command `mbsim`."""

from mbsim.cli import main

if __name__ == "__main__":
    main(prog_name="mbsim")
