"""All that goes beyond stock Numba for a quick start. `MBSIM_FASTLOAD=0` turns it off; numbers are the same, starts take longer.

    code      where a kernel's machine code comes from: `image` where that is possible, else `lean`
    image     machine code in a file that is mapped and run without Numba (Linux on x86-64); MBSIM_NO_IMAGES=1 turns it off alone
    frontend  Numba's work before LLVM, without what kernels have no use for
    late      code that is loaded, or compiled, on request: kernels that call it know where it will be
    lean      Numba with a library that is optimised once, and with a cache whose files are checked and hold no bitcode
    trial     whether all this works with a Numba of another series than it was tested with; where not, stock Numba does all

Assembled models that earlier runs left (`mbsim.analyses.kept`) obey the switch too. They are not here, because they know systems.
"""

import logging
import os
from functools import cache
from typing import Any

log = logging.getLogger("mbsim")

ENABLED = os.environ.get("MBSIM_FASTLOAD", "1") not in ("", "0")


@cache
def is_used() -> bool:
    """Whether it is enabled and works with the Numba at hand. One line says where it does not."""
    if not ENABLED:
        return False
    from mbsim.jit.fastload import trial

    reason = trial.reason()
    if reason:
        log.warning("Numba %s compiles and loads all kernels itself, so that starts take longer: %s", trial.NUMBA_VERSION, reason)
    return not reason


def options() -> dict[str, Any]:
    """How `compiler.dispatcher` makes a helper, where that is not Numba's own way."""
    if not is_used():
        return {}
    from mbsim.jit.fastload.frontend import Frontend

    return {"frontend": Frontend}
