"""What keeps a cable from sliding over a rim, while dry friction holds it there.

With the tensions T_1 before the rim and T_2 behind it, the row of the cable has their mean T as its multiplier, and their difference F
acts along the way sigma of the cable over the rim: T_1 = T + F/2, T_2 = T - F/2, sigma = (length behind - length before)/2. The cable
slides where T_1/T_2 leaves exp(-mu angle) ... exp(mu angle), that is |F| = 2 T tanh(mu angle/2): Eytelwein's formula (L. Euler, Remarques
sur l'effet du frottement dans l'equilibre, 1762). This row keeps sigma; its multiplier is F.
"""

from mbsim.constraints._table import Geometry, Sum, SumConstraint
from mbsim.model.cables import Path


class Rubbing(SumConstraint):
    """The row of one circle of a cable."""

    path: Path
    station: int

    def sums(self, geometry: Geometry) -> list[Sum]:
        (rub,) = [rub for part in geometry.cable(self.path) for rub in part.rubs if rub.station == self.station]
        return [Sum("", [(term.relative, term.factor) for term in rub.slide], 0.0)]
