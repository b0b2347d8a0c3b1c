"""Models with published values, run at their own settings or at the fastest that meet them: `mbsim bench`.

`cases` reads the models, `measure` runs and judges one setting, `search` looks for the fastest, `table` shows what was found.
"""
