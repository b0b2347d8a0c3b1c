"""The samples of a run: the table that says when they are taken, a row for each clock."""

SAMPLE_FIRST = 0  # s: the time of the first sample
SAMPLE_PERIOD = 1  # s: from one sample to the next
SAMPLE_DUE = 2  # other than 0: a sample is taken now
SAMPLE_COLUMNS = 3
SAMPLE_IS_DUE, SAMPLE_IS_FIRST = 1.0, 2.0  # in SAMPLE_DUE
