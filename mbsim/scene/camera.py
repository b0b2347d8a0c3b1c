"""From which side a mechanism is seen, without perspective: presets by name, or azimuth and elevation in degrees."""

from typing import NamedTuple

import numpy as np

from mbsim.scene.read import Floats, Scene

# Azimuth about the upward direction from the x axis, and elevation, of the viewer, in degrees.
PRESETS = {
    "iso": (-55.0, 24.0),
    "front": (-90.0, 0.0),
    "back": (90.0, 0.0),
    "left": (180.0, 0.0),
    "right": (0.0, 0.0),
    "top": (-90.0, 90.0),
    "bottom": (-90.0, -90.0),
}


class Camera(NamedTuple):
    """Rows: to the right, up, and towards the viewer, global axes (unit vectors)."""

    right: Floats
    up: Floats
    back: Floats

    def project(self, points: Floats) -> Floats:
        """Points (..., 3) -> right, up and depth towards the viewer (..., 3)."""
        seen: Floats = points @ np.array([self.right, self.up, self.back]).T
        return seen


def camera(scene: Scene, wanted: str | None = None) -> Camera:
    """The camera of a name or of `AZIMUTH,ELEVATION`. Default: onto the plane of a planar mechanism, else `iso`. Raises ValueError."""
    if wanted is None:
        wanted = "plane" if scene.planar else "iso"
    if scene.planar:
        if wanted in ("plane", "front"):
            return Camera(*np.eye(3))
        up, ahead, azero = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
        turned = PRESETS if wanted != "iso" else {"iso": (-65.0, 22.0)}
        azimuth, elevation = np.deg2rad(_angles(wanted, turned))
        # The front of a planar mechanism is its plane: seen against z.
        horizontal = np.cos(azimuth) * azero - np.sin(azimuth) * ahead
    else:
        if wanted == "plane":
            raise ValueError("the camera 'plane' is of planar mechanisms; give one of " + ", ".join(PRESETS))
        up = np.array([0.0, 0.0, 1.0]) if abs(scene.up[2]) >= max(abs(scene.up[0]), abs(scene.up[1])) * 0.99 else scene.up
        up = up * (np.sign(up @ scene.up) or 1.0)
        ahead = np.array([1.0, 0.0, 0.0]) - up * up[0]
        ahead = ahead / np.linalg.norm(ahead) if np.linalg.norm(ahead) > 0.1 else np.array([0.0, 1.0, 0.0])
        azimuth, elevation = np.deg2rad(_angles(wanted, PRESETS))
        horizontal = np.cos(azimuth) * ahead + np.sin(azimuth) * np.cross(up, ahead)
    back = np.cos(elevation) * horizontal + np.sin(elevation) * up
    right = np.cross(up, horizontal)
    return Camera(right, np.cross(back, right), back)


def _angles(wanted: str, presets: dict[str, tuple[float, float]]) -> tuple[float, float]:
    if wanted in presets:
        return presets[wanted]
    first, comma, second = wanted.partition(",")
    try:
        azimuth, elevation = float(first), float(second)
        if comma and abs(azimuth) <= 360.0 and abs(elevation) <= 90.0:
            return azimuth, elevation
    except ValueError:
        pass
    raise ValueError(f"unknown camera '{wanted[:40]}'; give one of {', '.join(PRESETS)}, or AZIMUTH,ELEVATION in degrees such as -55,24")
