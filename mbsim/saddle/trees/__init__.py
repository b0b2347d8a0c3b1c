"""Trees in joint coordinates, written for their bodies, whose joints are further equations."""
