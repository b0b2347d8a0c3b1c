"""Many runs of one model, looked at together.

compare        methods, integrators and steps side by side, judged against a reference
bench          shipped models against published values
certificate    how many digits of a result are right, by runs that are finer or by another method
"""
