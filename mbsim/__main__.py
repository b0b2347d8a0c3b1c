"""`python -m mbsim` is the command `mbsim`."""

from mbsim.cli import enter

if __name__ == "__main__":
    enter()
