"""Runs models with published values at their own settings or at the fastest settings that meet them: `mbsim bench`.

`cases` reads the models, `measure` runs and judges one setting, `search` looks for the fastest, `table` shows the findings.
"""
