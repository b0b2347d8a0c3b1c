"""Models from files of other programs: one file per format."""
