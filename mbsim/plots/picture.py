"""A drawing in the making: the sheet, what is drawn, where it is, and from where it is seen."""

from dataclasses import dataclass

from mbsim.plots.sheet import Sheet, unit
from mbsim.scene.camera import Camera
from mbsim.scene.motion import Motion
from mbsim.scene.read import End, Floats, Scene
from mbsim.scene.sizes import Sizes


@dataclass
class Picture:
    """One picture. The pose is the row `k` of `poses`, the whole of which says how far blocks and wheels go."""

    sheet: Sheet
    scene: Scene
    poses: Motion
    k: int
    camera: Camera
    size: Sizes

    def at(self, end: End) -> Floats:
        """A body's point, projected: right, up and depth (3,)."""
        return self.camera.project(self.poses.at(self.k).place(end)[0])

    def way(self, body: int, vector: Floats) -> Floats:
        """A body's vector (3,), projected."""
        return self.camera.project(self.poses.at(self.k).turn(body, vector)[0])

    @property
    def down(self) -> Floats:
        """(2,) on the picture."""
        return unit(-self.camera.project(self.scene.up)[:2], (0.0, -1.0))
