"""sd.plot."""

import numpy as np
import pytest

import sparsedyn as sd

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def test_estimates(arm):
    log = sd.simulate(arm, seconds=1, rate=50)
    sensors = {"name": "noisy", "sensors": [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
        {"name": "a", "type": "joint_acceleration", "joint": "*", "sigma": 0.1},
        {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
    table = sd.Solver(arm, sensors, sd=True).solve_log(log)
    figure = sd.plot.estimate(table, "tau", truth=log)
    assert len(figure.axes) == arm.nv
    lines = figure.axes[1].get_lines()
    assert np.array_equal(lines[-1].get_ydata(), table["tau." + arm.force_names[1]].to_numpy())
    assert np.array_equal(lines[0].get_ydata(), log["tau." + arm.force_names[1]].to_numpy())
    assert len(sd.plot.estimate(table, [f"tau.{arm.force_names[0]}"]).axes) == 1
    with pytest.raises(ValueError, match="nothing"):
        sd.plot.estimate(table, ["nothing"])


def test_plans(arm, tmp_path):
    plan = sd.optimise(arm, "forward-dynamics")
    figure = sd.plot.flops(plan)
    bars = [bar.get_width() for bar in figure.axes[0].patches]
    table = plan.candidates.to_pydict()
    assert bars == [sum(x) for x in zip(table["mul"], table["add"], table["div"])]
    sd.plot.spy(plan).save(tmp_path / "spy.html")
    assert "<svg" in (tmp_path / "spy.html").read_text() and sd.plot.spy(plan)._repr_html_() == plan.spy()
