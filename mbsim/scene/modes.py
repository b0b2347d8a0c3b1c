"""A mode of small motions as a moving picture: the bodies, displaced from their rest, over one period."""

import numpy as np

from mbsim.results.linear import SavedModes
from mbsim.results.read import ResultError
from mbsim.scene.motion import Motion, motion
from mbsim.scene.read import Scene, local
from mbsim.scene.sizes import attachments, sizes
from mbsim.scene.turns import product

FRAMES = 48  # of a period
LARGEST = 0.12  # of the mechanism's size: how far the point that moves most is displaced
PERIOD = 1.5  # s that a period takes on the screen, whatever the frequency is


def scene_of_modes(saved: SavedModes) -> Scene:
    """What moves in a file of modes. Raises SceneError for a damaged scene, ResultError for a file without bodies or without a scene."""
    if saved.dimension is None:
        raise ResultError("the model has no bodies: its own coordinates have no shape to draw. `mbsim plot` draws its modes as bars")
    if not saved.scene:
        raise ResultError("the file does not hold what its bodies look like: an earlier version of mbsim wrote it; run `mbsim modes` again")
    scene = local(saved.scene)
    if len(scene.bodies) != len(saved.places):
        raise ResultError("the file is damaged (its bodies are not those of its scene)")
    return scene


def rest(saved: SavedModes) -> Motion:
    """The pose about which the bodies move."""
    return motion(np.zeros(1), saved.places[None], saved.orientations[None])


def mode_motion(scene: Scene, saved: SavedModes, k: int) -> Motion:
    """One period of the k-th eigenvalue's mode, with a displacement that the eye sees. Growth and decay are left out."""
    pose, moved = rest(saved), saved.moved[k]
    reach = [max((float(np.linalg.norm(point)) for point in attachments(scene, b)), default=0.0) for b in range(len(scene.bodies))]
    largest = max(float(np.linalg.norm(np.abs(one[0])) + np.linalg.norm(np.abs(one[1])) * r) for one, r in zip(moved, reach, strict=True))
    spins = float(np.linalg.norm(np.abs(moved[:, 1]), axis=1).max(initial=0.0))
    factor = LARGEST * sizes(scene, pose).extent / largest if largest > 0.0 else 0.0
    factor = min(factor, 0.5 / spins) if factor and spins else factor or (0.5 / spins if spins else 0.0)  # of a body on its own: 0.5 rad
    phase = np.exp(2j * np.pi * np.arange(FRAMES + 1) / FRAMES)[:, None, None]
    away, turned = (factor * (phase * moved[None, :, i]).real for i in (0, 1))
    position = saved.places[None] + away
    return motion(np.linspace(0.0, PERIOD, FRAMES + 1), position, product(_rotations(turned), saved.orientations[None]))


def _rotations(vectors: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) of rotation vectors (..., 3), rad, global axes."""
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2.0), 0.5 * np.sinc(angle / (2.0 * np.pi)) * vectors], axis=-1)
