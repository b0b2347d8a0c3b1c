"""What is computed from the state of a system for the result: energies, reactions, measures.

observer        energies, poses and joint reactions of output rows
measures        the user's measures, evaluated from recorded rows; quantities: what their names stand for
open_reactions  components of reactions that the equations do not determine
"""
