"""One model run again and again: numbers change in place, and nothing is read, checked or allocated that does not have to be."""
