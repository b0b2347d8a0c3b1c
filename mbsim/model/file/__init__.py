"""The text of a model file: YAML with the place of every value, errors at file:line:column, columns of CSV files."""
