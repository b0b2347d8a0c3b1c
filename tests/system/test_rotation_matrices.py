"""Rotation matrices of quaternions: the shorter way about z gives the numbers of the longer one, and both turn vectors as sines do."""

import numpy as np

from mbsim.kernels.rotations import matrices


def test_turns_about_z_have_the_same_numbers_alone_and_beside_others() -> None:
    half = np.linspace(-7.0, 7.0, 31)
    about_z = np.stack([np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)], -1)
    other = np.array([[0.5, 0.5, -0.5, 0.5]])
    alone, beside = matrices(about_z), matrices(np.concatenate([about_z, other]))
    assert (alone == beside[:-1]).all()
    np.testing.assert_allclose(alone[:, 1, 0], np.sin(2.0 * half), atol=1e-15)
    np.testing.assert_allclose(alone[:, 0, 0], np.cos(2.0 * half), atol=4e-15)
    # a third of a turn about (1, -1, 1) takes x to z, z to -y and -y to x
    np.testing.assert_allclose(beside[-1], [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]], atol=1e-16)
