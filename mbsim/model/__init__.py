"""The model file: reading with positions, checking against the schema, errors at file:line:column."""
