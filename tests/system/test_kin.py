"""Systems of one model that differ in what holds have the loads of the first one: the same numbers and code as made alone."""

import numpy as np
import pytest

import mbsim
from mbsim.assembly.bodies import Bodies
from mbsim.assembly.lock_records import Locks
from mbsim.assembly.phases import begin
from mbsim.assembly.unilateral import with_unilaterals
from mbsim.march.events import with_events
from mbsim.march.formulation import formulate
from mbsim.march.settings import resolve
from mbsim.model.lockable import open_at_start

SHAPE = "shape: {type: box, size: [0.02, 0.1, 0.05]}"
MODEL = f"""
name: boxes and a swing that has a stop
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {{mass: 0.1, inertia: 2.e-5, position: [0, 0.05], {SHAPE}}}
  b: {{mass: 0.1, inertia: 2.e-5, position: [0.04, 0.05], {SHAPE}}}
  swing: {{mass: 0.2, inertia: 0.001, position: [0.3, 0.3]}}
joints:
  pin: {{type: revolute, bodies: [ground, swing], at: [0.3, 0.4], stops: {{lower: -0.3}}, friction: {{torque: 0.001}}}}
forces:
  pull: {{type: joint_torque, joint: pin, value: -0.1*sin(t)}}
contacts:
  floor: {{bodies: [a, b, ground], plane: {{normal: [0, 1]}}, friction: 0.5}}
  row: {{between: [a, b], friction: 0.2}}
simulation: {{end: 0.1}}
"""


@pytest.fixture(scope="module")
def model():
    return with_unilaterals(mbsim.load_model(MODEL))


@pytest.mark.parametrize("closed", [(), (0,), (0, 1), (2, 3, 4), (5,)])
def test_a_system_of_kin_is_that_which_is_made_alone(model, closed):
    first, _ = begin(model)
    contacts = [one for one in model.unilaterals if not one.joint]
    held = {name for k in closed for name in (contacts[k].normal, contacts[k].tangent)}
    locks = Locks(open_at_start(model) - held, values={contacts[k].tangent: 0.01 * (k + 1) for k in closed})
    alone, made = Bodies(model, locks), Bodies(model, locks, [first])
    assert made.kin is first and alone.kin is None
    its, mine = alone.system(), made.system()
    assert mine.rows == its.rows and len(mine.rows) == len(first.system().rows) + 2 * len(closed)
    for name, one, other in zip(mine.arrays._fields, mine.arrays, its.arrays, strict=True):
        assert np.array_equal(one, other, equal_nan=True), name
    assert mine.functions.dynamics is first.system().functions.dynamics
    assert its.functions.dynamics.__name__ == mine.functions.dynamics.__name__
    assert [mine.loads, mine.load_types, mine.load_against, mine.relative] == [its.loads, its.load_types, its.load_against, its.relative]
    assert mine.slips == its.slips and mine.slips.n_slipping == len(closed)


def test_a_stop_that_closes_is_one_of_kin(model):
    """Its bound is a number: with a law of its own, before all others, it needed code of its own."""
    first, _ = begin(model)
    made, alone = (Bodies(model, Locks(open_at_start(model) - {"pin_lower"}), beside) for beside in ([first], []))
    assert made.kin is first and alone.kin is None
    assert made.system().functions.dynamics is first.system().functions.dynamics
    for name, one, other in zip(made.system().arrays._fields, made.system().arrays, alone.system().arrays, strict=True):
        assert np.array_equal(one, other, equal_nan=True), name
    again = Bodies(model, Locks(open_at_start(model) - {"pin_lower", model.unilaterals[-1].normal}), [first, made])
    assert again.kin is first


def test_tables_of_a_run_are_as_large_as_what_holds(model):
    made = mbsim.assemble(MODEL)
    loaded = [one for one in model.unilaterals if one.loads]
    assert made.coming is not None and made.coming.whole.slips.n_slipping == len(loaded) > 30
    assert made.system.slips.n_slipping == 0 and made.system.slips.known
    settings = resolve(None, made.system, {"end": 1.0})
    system, _ = with_events(made.system, settings, made.parameters, made.events)
    work = formulate(system, settings).work
    assert len(work.events) > 100 and work.notes.size == work.slip_matrix.size == work.slip_response.size == 0
