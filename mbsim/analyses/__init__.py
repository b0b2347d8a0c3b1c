"""What is done with an assembled system: the motion in time (`dynamic`), and the forces of a prescribed motion (`inverse`).

`settings` decides how a run is integrated. The other modules are the parts of a run: each is read on its own, and `dynamic` puts them
together.
"""
