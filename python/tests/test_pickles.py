"""What other versions, machines and hands may have pickled: refused by name, never the end of the process."""

import copy
import json
import os
import pathlib
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest

import sparsedyn as sd

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = int(os.environ.get("SPARSEDYN_PICKLES", "500"))  #: .ci/full asks for 100,000
CONTACTS = {"constraints": [{"name": "claws", "type": "link_contact", "links": ["link3", "link5"], "finder": max, "friction": 0.8}]}


def originals(arm):
    """Everything of this package that can be pickled by its fields: (class, state)."""
    sensors = sd.SensorSet("inverse-dynamics")
    locked = sd.load_urdf(ROOT / "robots/arm.urdf", lock={"joint2": 0.5}, cut=["link5"], joints={"joint1": {"damping": 0.1}})
    return {"Model": [arm, locked], "SensorSet": [sensors], "Constraints": [sd.Constraints(CONTACTS)]}


@pytest.fixture(scope="module")
def objects(arm):
    return originals(arm)


def remade(kind, state):
    made = kind.__new__(kind)
    made.__setstate__(state)
    return made


@pytest.mark.parametrize("name", ["Model", "SensorSet", "Constraints"])
def test_short_states(objects, name):
    """Of each length, long ones too: what older and newer versions may write."""
    for original in objects[name]:
        kind, state = type(original), original.__getstate__()
        assert state[:2] == (1, sd.__version__) and remade(kind, state).__getstate__() == state
        for short in [*(state[:k] for k in range(len(state))), (*state, None)]:
            with pytest.raises(sd.InputError, match=f"<pickle>: {name}: .*; expected .*format 1 of sparsedyn {sd.__version__}"):
                remade(kind, short)
        with pytest.raises(sd.InputError, match=r"without format and version, of \d+ fields, as older versions"):
            remade(kind, state[2:])
        with pytest.raises(sd.InputError, match=rf"format 7 of sparsedyn 9.9.1; expected format 1 of sparsedyn {sd.__version__}"):
            remade(kind, (7, "9.9.1", *state[2:]))
        for none in ([*state], None, 5, "text", {"a": 1}):
            with pytest.raises(sd.InputError, match=f"<pickle>: {name}: {type(none).__name__}; expected a tuple"):
                remade(kind, none)


@pytest.mark.parametrize("name", ["Model", "SensorSet", "Constraints"])
def test_fields_of_other_types(objects, name):
    for original in objects[name]:
        state = original.__getstate__()
        for k in range(len(state)):
            for wrong in (None, object(), b"bytes", [[1]], {}, 1j, "\udcff"):
                if name == "Constraints" and k == 4 and not wrong and wrong is not None:
                    continue
                with pytest.raises(sd.InputError, match="<pickle>|urdf"):
                    remade(type(original), (*state[:k], wrong, *state[k + 1:]))


def test_numbers_that_are_none(arm):
    state = list(arm.__getstate__())
    for k, wrong, words in ((7, (0.0, 0.0, float("nan")), "gravity"), (7, (0.0, 0.0), "gravity: tuple; expected 3"), (8, -1e-9, "snap"),
                            (8, float("inf"), "snap: float inf"), (8, 10**400, "snap"), (5, [("joint1", float("nan"))], "lock"),
                            (5, [("joint1",)], "lock"), (4, 1, "floating")):
        with pytest.raises(sd.InputError, match=f"Model.{words}"):
            remade(sd.Model, (*state[:k], wrong, *state[k + 1:]))


def test_what_was_pickled_is_the_same_robot(objects, arm):
    for original in objects["Model"]:
        for other in (pickle.loads(pickle.dumps(original)), copy.deepcopy(original)):
            q = np.linspace(0.1, 0.5, original.nq)
            assert np.array_equal(sd.rnea(other, q, q, q), sd.rnea(original, q, q, q))
    plan = sd.optimise(arm, "inverse-dynamics")
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan and again.candidates.equals(plan.candidates)
    solver = sd.Solver(arm, "inverse-dynamics")
    assert pickle.loads(pickle.dumps(solver)).outputs == solver.outputs


def values(rng):
    """What a field may hold that it should not."""
    return rng.choice([
        lambda: None, lambda: rng.choice([0, 1, -1, 2**31, 2**63, 10**400]),
        lambda: rng.choice([0.0, -1.0, 1e308, float("nan"), float("inf")]),
        lambda: rng.choice(["", "a", "\0", "\udcff", "x" * 10_000, "<robot/>", "{}", "[" * 2000, '{"sensors": 5}']), lambda: b"\xff",
        lambda: rng.choice([True, False]), lambda: [], lambda: (), lambda: {}, lambda: [("joint1", 0.1)], lambda: ["link5"],
        lambda: (0, 0, 1),
        lambda: object(), lambda: int, lambda: [[[]]], lambda: np.zeros(3), lambda: np.float64(1), lambda: range(3)])()


def mutated(rng, value, depth=0):
    """The value with something changed in it: fields left out, added, swapped, of another type; texts cut, letters changed."""
    if isinstance(value, (tuple, list)) and value and (depth < 3 and rng.random() < 0.8):
        items, k = list(value), rng.randrange(len(value))
        action = rng.randrange(6)
        if action == 0:
            del items[k]
        elif action == 1:
            items.insert(k, values(rng))
        elif action == 2:
            other = rng.randrange(len(items))
            items[k], items[other] = items[other], items[k]
        elif action == 3:
            items = items[:k]
        else:
            items[k] = mutated(rng, items[k], depth + 1)
        return type(value)(items)
    if isinstance(value, str) and value and rng.random() < 0.6:
        at = rng.randrange(len(value))
        return rng.choice([value[:at], value[:at] + chr(rng.randrange(1, 0x300)) + value[at + 1:], value[at:], value * 2])
    if isinstance(value, (int, float)) and rng.random() < 0.5:
        return rng.choice([-value, value + 1, value * 10**300, str(value)])
    return values(rng)


def plausible(rng, value):
    """Another value of the same type, as another robot's or another call's would be."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return rng.choice([0.0, -value, value * 1.5, value + 0.25])
    if isinstance(value, str):
        spaces = [k for k, letter in enumerate(value) if letter in " \n" and value[k - 1:k] in ",>"]
        if spaces:  # in JSON and XML nothing changes
            at = rng.choice(spaces)
            return value[:at] + rng.choice([" ", "\n", "\t  "]) + value[at:]
        return value if value[:1] in "<{[" else value + "x"
    if isinstance(value, (tuple, list)) and value and not isinstance(value[0], str):
        k = rng.randrange(len(value))
        return type(value)([*value[:k], plausible(rng, value[k]), *value[k + 1:]])
    return value


def with_another_number(rng, text):
    """JSON with one of its numbers changed: a plan that is another, or none."""
    root = json.loads(text)
    places = []

    def walk(node):
        for key, each in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(each, (dict, list)):
                walk(each)
            elif type(each) in (int, float):
                places.append((node, key))

    walk(root)
    node, key = rng.choice(places)
    if isinstance(node, list) and rng.random() < 0.5:  # an order remains one
        other = rng.randrange(len(node))
        node[key], node[other] = node[other], node[key]
    else:
        node[key] += rng.choice([-1, 1, 10])
    return json.dumps(root)


def judge(made, arm, truth):
    """What was read is what it says it is. Raises AssertionError; refusals as they come."""
    repr(made)
    q, tau = truth
    if isinstance(made, sd.Model) and made.nq == made.nv == arm.nq:
        assert np.isfinite(sd.rnea(made, q, q, q)).all()
    if isinstance(made, sd.Plan):
        made = sd.Solver(arm, "inverse-dynamics", made)
    if isinstance(made, sd.Solver) and made.outputs == [f"tau.{name}" for name in arm.velocity_names]:
        y = np.array([0.1 if "ddq." in name else 0.0 for name in made.inputs])
        assert np.abs(made(q, q, y) - tau).max() < 1e-8 * max(1, np.abs(tau).max())


def fuzz(arm, runs, seed):
    """Counts of what came of states with a change or two: read, and right, or refused. Anything else is raised."""
    rng = random.Random(seed)
    states = [(type(each), each.__getstate__()) for part in originals(arm).values() for each in part]
    plan, information = sd.optimise(arm, "inverse-dynamics"), sd.TorqueInformation(arm)
    found = sd.identify(arm, sd.simulate(arm, seconds=1, rate=100))
    states += [(each, each.__reduce__()[1]) for each in (plan, plan, sd.Solver(arm, "inverse-dynamics"), found)]
    states.append((sd.TorqueInformation, information.__getstate__()))
    counts = {"read": 0, "refused": 0}
    q = np.full(arm.nq, 0.1)
    truth = q, sd.rnea(arm, q, q, q)
    for _ in range(runs):
        kind, state = rng.choice(states)
        if rng.random() < 0.7:
            k = rng.randrange(2, len(state))
            change = with_another_number if kind is plan and k == 2 else plausible
            changed = (*state[:k], change(rng, state[k]), *state[k + 1:])
        else:
            changed = mutated(rng, state)
            for _ in range(rng.randrange(2)):
                changed = mutated(rng, changed)
        try:
            if isinstance(kind, type):
                made = remade(kind, changed)
            else:
                make, _ = kind.__reduce__()
                made = make(*changed) if isinstance(changed, tuple) else make(changed)
            judge(made, arm, truth)
            counts["read"] += 1
        except (sd.InputError, sd.AnswerIsNo, sd.SolveError) as error:
            assert str(error)
            counts["refused"] += 1
    return counts


@pytest.mark.filterwarnings("ignore")
def test_pickles_by_their_fields(arm):
    """In a process of its own, which must live. At least half of the states are read: what follows is judged, too."""
    code = f"import sys; sys.path[:0] = {sys.path!r}\nimport test_pickles, json, sparsedyn as sd, warnings\n" \
           f"warnings.simplefilter('ignore')\n" \
           f"print(json.dumps(test_pickles.fuzz(sd.load_urdf({str(ROOT / 'robots/arm.urdf')!r}), {RUNS}, 1)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr[-2000:]
    counts = json.loads(done.stdout.splitlines()[-1])
    assert sum(counts.values()) == RUNS and counts["refused"] > RUNS / 10 and counts["read"] > RUNS / 2, counts
