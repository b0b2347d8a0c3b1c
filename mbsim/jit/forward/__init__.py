"""Exact derivatives of helpers, made from their source."""

from mbsim.jit.forward.transformer import Derivative, derivative, derived_kernel
from mbsim.jit.forward.twins import TWIN, Fields, Pattern, TransformError

__all__ = ["TWIN", "Derivative", "Fields", "Pattern", "TransformError", "derivative", "derived_kernel"]
