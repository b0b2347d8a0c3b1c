"""A motion in time: what is settled before it, the march in pieces, events, what is recorded, how good it is."""
