"""The words by which a leaf says how it is drawn (its SYMBOL); schematics and solid pictures know these words and no leaf.

A word that is not here, and one where it has no meaning, draws what a leaf without a word has: of a joint a diamond, else nothing.
"""

JOINTS = {
    "hinge": "a pin or a barrel about z",
    "ball": "a ball in its socket",
    "cross": "two axes in one point, z of either frame",
    "weld": "nothing moves",
    "block": "a block on a rail along the axis that it slides on",
    "sleeve": "a round block that also turns about its rail",
    "screw": "likewise, with a thread",
    "bead": "a point on a wire",
    "pin": "a shaft along z in a slot",
    "rod": "a line between the two points",
    "mark": "a diamond",
    "": "nothing, not even its name: no point is joined",
}
COUPLINGS = {"wheels": "two pitch circles whose rates keep a ratio", "rack": "a pitch circle, and what runs off it", "": "nothing"}
CONTACTS = {"wheel": "a circle about an axis", "ball": "a sphere", "blade": "a line", "": "nothing"}  # that touch a plane
CABLES = {"cable": "a line along its path, and the circles that it runs about"}
FORCES = {
    "spring": "a coil and a dashpot: between two points, or along a slide",
    "spiral": "a torsion spring about a joint",
    "mount": "a block of rubber at its first place",
    "attraction": "a dotted line between two places",
    "turning": "a curved arrow about a joint or a body",
    "arrow": "an arrow along the vector that it applies",
    "stream": "waves about a place",
    "friction": "shoes at a pin, pads at a rail",
    "stops": "an arc between stops at a pin, stops at the ends of a rail",
    "": "nothing",
}
