"""What a user writes: the model file, read with positions, checked against the schema, with every error at file:line:column."""
