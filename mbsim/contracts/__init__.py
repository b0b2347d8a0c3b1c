"""What mechanics hands through kernels: arrays and their columns, and the signatures by which systems, methods and integrators meet.

`jit` knows none of these by name: blocks and workspaces make themselves known to it when this room is imported.
"""

from mbsim.contracts.arrays import *
from mbsim.contracts.crossings import *
from mbsim.contracts.functions import *
from mbsim.contracts.orientation import *
from mbsim.contracts.pencils import *
from mbsim.contracts.sampling import *
from mbsim.contracts.settings import *
from mbsim.contracts.slipping import *
from mbsim.contracts.status import *
from mbsim.contracts.watching import *
from mbsim.contracts.work import *
