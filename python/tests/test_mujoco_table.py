"""Each row of the table of docs/mujoco.md, by models of MJCF: what enters, as what, what is refused, and that MuJoCo's numbers agree."""

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

from mujoco_support import ROOT, constrained_disagreement, scene  # noqa: E402
from mujoco_table import FIXED, PLANE, arm, constraint, enters, fates, kinds_of, refused, sensor, taken  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sparsedyn.SparsedynWarning")


def links():
    text = '<body name="c"><inertial pos="0.1 0 0" mass="2" diaginertia="1 1 1"/>{}</body>'
    robot = enters(scene(body=text.format('<joint name="x" axis="1 0 0"/><joint name="y" pos="0 0 0.1"/>')))
    massless = [link.name for link in robot.robot.links.values() if link.mass == 0]
    assert massless == ["world", "c.1", "c.2"] and robot.robot.links["c"].mass == 2
    assert enters(arm()).robot.links["a"].mass == pytest.approx(1000 * 4 / 3 * np.pi * 0.1**3)


def fixed_bodies():
    inner = '<body name="w"><geom size="0.1"/></body>'
    text = f'<body name="c"><joint name="x"/><geom size="0.1" pos="0.1 0 0"/>{inner}</body>'
    assert enters(scene(body=text)).robot.links["w"].is_fixed
    assert enters(scene(body=text + inner.replace('"w"', '"v"'))).robot.links["v"].parent == "world"
    floating = enters(scene(body=text.replace('<joint name="x"/>', "<freejoint/>") + inner.replace('"w"', '"v"')))
    assert "v" not in floating.robot.links and fates(floating)['body "v"'] == ("without meaning", "part of the world, on which nothing acts")


def trees():
    free = '<body name="{}"><freejoint/><geom size="0.1"/></body>'
    assert enters(scene(body=free.format("c"))).robot.floating
    both = enters(scene(body=free.format("c") + free.format("d")))
    assert not both.robot.floating and both.robot.link_names[0] == "world" and both.robot.nv == 12


def joints():
    types = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "floating"}
    for theirs, ours in types.items():
        text = scene(body=f'<body name="c"><joint name="x" type="{theirs}"/><geom size="0.1" pos="0.1 0 0"/></body>')
        assert list(kinds_of(enters(text)).values()) == [ours]
    robot = enters(arm(joint='ref="20"'))
    assert robot.state(robot.mujoco.qpos0).q[0] == 0 and robot.mujoco.qpos0[0] == pytest.approx(np.pi / 9)


def physics():
    robot = enters(arm(joint='armature="0.2" damping="0.3" stiffness="4" springref="0.5" ref="30"'))
    joint = robot.robot.joints["j"]
    assert (joint.armature, joint.damping) == (0.2, 0.3)
    held = next(link["joint"]["physics"] for link in robot.robot_json["links"] if link["joint"]["name"] == "j")
    assert held["stiffness"] == 4 and held["offset"] == pytest.approx(-4 * np.radians(0.5 - 30))
    ball = '<body><joint name="x" type="{}" {}/><geom size="0.1" pos="0.1 0 0"/></body>'
    enters(scene(body=ball.format("ball", 'armature="0.1" damping="0.2"')))
    enters(scene(body=ball.format("free", 'damping="0.2"')))
    refused(scene(body=ball.format("free", 'armature="0.1"')), 'joint "x"')
    refused(scene(body=ball.format("ball", 'stiffness="2"')), 'joint "x"')


def limits():
    robot = enters(arm(joint='range="-10 20" actuatorfrcrange="-3 3"', second='actuatorfrcrange="-3 4"'))
    assert robot.robot.limits.upper[0] == pytest.approx(np.radians(20)) and robot.robot.limits.effort[0] == 3
    assert robot.robot.limits.effort[1] == np.inf and [e.element for e in robot.report.left_out] == ['joint "k"']


def limit_constraints():
    robot = enters(arm(joint='range="-10 20" solreflimit="0.03 0.9" solimplimit="0.8 0.9 0.01" margin="0.02"'), bound=True)
    made = constraint(robot, "limit.j")
    assert (made["type"], made["margin"], made["solref"]) == ("limit", 0.02, [0.03, 0.9]) and made["solimp"][:3] == [0.8, 0.9, 0.01]
    refused(arm(joint='range="-10 20" margin="-0.01"'), 'joint "j"')
    refused(scene(body='<body><joint name="x" type="ball" range="0 1" limited="true"/><geom size="0.1"/></body>'), 'joint "x"')


def dry_friction():
    robot = enters(arm(joint='frictionloss="0.3" solreffriction="0.05 1"'), bound=True)
    made = constraint(robot, "friction.j")
    assert (made["type"], made["loss"], made["solref"]) == ("dry_friction", 0.3, [0.05, 1])
    refused(scene(body='<body><joint name="x" type="ball" frictionloss="1"/><geom size="0.1"/></body>'), 'joint "x"')
    refused(arm(joint='frictionloss="-0.3"'), 'joint "j"')


def equalities():
    for text, kind in (
        ('<connect name="e" body1="b" body2="world" anchor="0.2 0 0.1"/>', "connect"),
        ('<weld name="e" body1="b" body2="world" relpose="0.3 0 0 1 0 0.1 0"/>', "weld"),
        ('<joint name="e" joint1="k" joint2="j" polycoef="0.1 0.5 0.2"/>', "joint"),
    ):
        assert constraint(enters(arm(rest=f"<equality>{text}</equality>"), bound=True), "e")["type"] == kind
    refused(arm(rest='<equality><weld name="e" body1="b" body2="world" torquescale="2"/></equality>'), 'equality "e"')


def tendon_equalities():
    tied = FIXED.format("") + '<equality><tendon name="e" tendon1="t" polycoef="0.1"/></equality>'
    assert constraint(enters(arm(rest=tied), bound=True), "e")["linear"] == {"k": -0.5}


def contacts():
    shapes = ['type="sphere" size="0.1"', 'type="capsule" size="0.1 0.1"', 'type="box" size="0.1 0.12 0.13"']
    for shape in shapes:
        text = f'<mujoco><option cone="elliptic"/><worldbody>{PLANE}<body pos="0 0 0.1"><freejoint/><geom name="g" {shape} condim="4" '
        text += 'friction="0.7 0.02" solref="0.03 0.9" solimp="0.8 0.9 0.01" margin="0.01"/></body></worldbody></mujoco>'
        made = constraint(enters(text, bound=True), "g.floor")
        assert made["type"] == "contact" and made["friction"][0] >= 0.7 and len(made["friction"]) == 2 and made["margin"] == 0.01


def other_contacts():
    falling = f'{PLANE}<body><freejoint/><geom name="g" {{}}/></body>'
    left = {
        'geom "h"': arm(world='<geom size="0.1" pos="1 0 0"/>'),
        'geom "g"': scene(body=falling.format('type="cylinder" size="0.1 0.2"')),
    }
    for element, text in left.items():
        assert fates(sd.load_mujoco(text))[element][0] == "left out", element
    for rest in ('size="0.1" gap="0.01"', 'size="0.1" margin="-0.01"'):
        assert fates(sd.load_mujoco(scene(body=falling.format(rest))))['geom "g"'][0] == "left out"


def pairs():
    one = '<body pos="0 0 0.1"><freejoint/><geom name="g" size="0.1" {}/></body>'
    text = f"<mujoco><worldbody>{PLANE}{one}</worldbody>{{}}</mujoco>"
    pair = '<contact><pair geom1="floor" geom2="g" condim="1" margin="0.02"/></contact>'
    assert constraint(enters(text.format('contype="0" conaffinity="0"', pair), bound=True), "g.floor")["margin"] == 0.02
    assert not sd.load_mujoco(text.format('contype="0" conaffinity="0"', "")).constraints_json["constraints"]
    assert not sd.load_mujoco(text.replace("<body ", '<body name="c" ').format("", '<contact><exclude body1="world" body2="c"/></contact>')).report.left_out
    first = constraint(enters(text.format('priority="1" friction="0.3" solref="0.05 1"', ""), bound=True), "g.floor")
    assert first["friction"][0] == 0.3 and first["solref"] == [0.05, 1]
    mixed = constraint(enters(text.format('solmix="3" solref="0.06 1"', ""), bound=True), "g.floor")
    assert mixed["solref"][0] == pytest.approx((3 * 0.06 + 0.02) / 4)


def options():
    robot = enters(arm(option='gravity="1 2 -3" cone="elliptic" impratio="3" timestep="0.005"'))
    assert robot.robot.gravity == (1, 2, -3)
    assert robot.constraints_json["parameters"] == {"cone": "elliptic", "impratio": 3.0, "timestep": 0.005}
    for option in ("impratio", "timestep"):
        if taken(arm(option=f'{option}="-1"')):
            refused(arm(option=f'{option}="-1"'), f"option {option}")
    for flag in ("gravity", "spring", "damper", "limit", "frictionloss", "contact", "constraint", "equality"):
        text = arm(joint='stiffness="3" damping="0.2" range="-10 10" frictionloss="0.1"', world=PLANE,
                   rest='<equality><joint joint1="k" joint2="j"/></equality>').replace("<option ", f'<option><flag {flag}="disable"/></option><option ')
        assert fates(enters(text))[f"flag {flag}"] == ("enters", "switched off")
        assert constrained_disagreement(mujoco.MjModel.from_xml_string(text), 5)[0] < 1e-8


def relieved():
    text = arm().replace('<body name="a">', '<body name="a" gravcomp="{}">').replace('<body name="b"', '<body name="b" gravcomp="{}"')
    assert enters(text.format(0.3, 0.3)).robot.gravity == pytest.approx((0, 0, -0.7 * 9.81))
    refused(text.format(0.3, 0.2), 'body "a"')


def numbers_below_zero():
    for rest in ('armature="-0.1"', 'damping="-0.1"', 'stiffness="-1"', 'damping="0 0.2"', 'damping="1 0 0.2"', 'stiffness="0 3"'):
        if taken(arm(joint=rest)):  # in some versions damping is a number
            refused(arm(joint=rest), 'joint "j"')


def fluids():
    refused(arm(option='density="1.2"'), "option density")
    refused(arm(option='viscosity="0.1"'), "option viscosity")
    for flag in ("override", "diagexact"):
        text = arm(rest=f'<option><flag {flag}="enable"/></option>')
        if taken(text):
            refused(text, f"flag {flag}")
    flex = '<worldbody><flexcomp name="f" type="grid" count="3 3 1" spacing="0.1 0.1 0.1" mass="1" radius="0.01" dim="2"/></worldbody>'
    refused(scene(body="", rest=flex), 'flex "f"')
    pair = arm(world=PLANE, rest='<contact><pair name="p" geom1="floor" geom2="g" adhesion="3"/></contact>')
    if taken(pair):
        refused(pair, 'pair "p"')
    mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
    field = scene(body='<body><freejoint/><geom name="g" type="sdf" mesh="m" SHAPE/></body>', rest=mesh)
    if taken(field.replace("SHAPE", "")):
        refused(field.replace("SHAPE", ""), 'geom "g"')
        enters(field.replace("SHAPE", 'contype="0" conaffinity="0"'))


def corrections():
    for option, element in (('noslip_iterations="5"', "option noslip_iterations"), ("", "flag sleep")):
        text = arm(option=option, joint='frictionloss="0.1"', rest="" if option else '<option><flag sleep="enable"/></option>')
        if option or taken(text):
            assert fates(enters(text))[element][0] == "left out"
    assert not sd.load_mujoco(arm(option='noslip_iterations="5"')).report.left_out


def solver():
    text = arm(rest='<option><flag invdiscrete="enable"/></option>')
    if taken(text):
        assert fates(enters(text))["flag invdiscrete"][0] == "without meaning"
    text = arm(option='integrator="RK4" solver="PGS" iterations="3" tolerance="1e-3" wind="1 2 3"', joint='frictionloss="0.1"')
    enters(text, bound=True)
    assert sd.load_mujoco(text).constraints_json == sd.load_mujoco(arm(joint='frictionloss="0.1"')).constraints_json


def tendons():
    for rest in ('stiffness="2"', 'damping="2"', 'frictionloss="0.1"', 'range="0 1" limited="true"', 'armature="0.1"'):
        refused(arm(rest=FIXED.format(rest)), 'tendon "t"')
    assert fates(enters(arm(rest=FIXED.format(""))))['tendon "t"'] == ("without meaning", "it pulls on nothing by itself")


def actuators():
    robot = enters(arm(rest=FIXED.format("") + '<actuator><general name="f" tendon="t" gear="2" dyntype="integrator" forcerange="-1 3"/></actuator>'))
    assert robot.actuators.names == ("m", "f") and robot.actuators.matrix.tolist() == [[1, 2], [0, 1]]
    assert robot.actuators.lower.tolist() == [-np.inf, -1] and robot.actuators.upper.tolist() == [np.inf, 3]
    force = '<actuator><general name="f" site="s" gear="0 0 1 0 0 0"/></actuator>'
    assert fates(sd.load_mujoco(arm(rest=force)))['actuator "f"'][0] == "left out"


def rotors():
    added = '<actuator><motor name="f" {} gear="3" armature="0.1" damping="0.2"/></actuator>'
    if not taken(arm(rest=added.format('joint="k"'))):
        pytest.skip("this MuJoCo has no rotors of actuators")
    joint = enters(arm(rest=added.format('joint="k"'))).robot.joints["k"]
    assert (joint.armature, joint.damping) == pytest.approx((0.9, 1.8))
    refused(arm(rest=FIXED.format("") + added.format('tendon="t"')), 'actuator "f"')


def sensors_of_links():
    on = {"accelerometer": "accelerometer", "gyro": "gyroscope", "force": "force_torque", "torque": "force_torque"}
    for theirs, ours in on.items():
        assert sensor(f'<{theirs} name="x" site="s"/>') == (ours, ("enters", f"sensor x, {ours}"), True)
    for theirs in ("framepos", "framequat"):
        assert sensor(f'<{theirs} name="x" objtype="site" objname="s"/>') == ("link_pose", ("enters", "sensor x, link_pose"), True)


def velocimeters():
    assert sensor('<velocimeter name="x" site="s"/>') == ("link_velocity", ("enters", "sensor x, link_velocity"), True)


def sensors_in_the_world():
    on = {"linacc": "accelerometer", "angacc": "angular_accelerometer", "angvel": "gyroscope", "linvel": "link_velocity"}
    for theirs, ours in on.items():
        assert sensor(f'<frame{theirs} name="x" objtype="site" objname="s"/>') == (ours, ("enters", f"sensor x, {ours}"), True)


def sensors_of_joints():
    for theirs, ours in (("jointpos", "joint_position"), ("jointvel", "joint_velocity")):
        assert sensor(f'<{theirs} name="x" joint="k"/>')[::2] == (ours, True)
    ball = '<body><joint name="x" type="ball"/><geom size="0.1" pos="0.1 0 0"/></body>'
    robot = sd.load_mujoco(scene(body=ball, rest='<sensor><ballquat joint="x"/><ballangvel joint="x"/></sensor>'))
    assert [s["type"] for s in robot.sensors_json["sensors"]] == ["joint_position", "joint_velocity"]
    assert len(robot.sensordata(*robot.state(robot.mujoco.qpos0, np.zeros(3)))) == 2


def sensors_of_forces():
    assert sensor('<jointactuatorfrc name="x" joint="j"/>')[0] == "joint_torque"
    assert sensor('<actuatorfrc name="x" actuator="m"/>')[0] == "torque_combination"


def predicted_sensors():
    texts = ['<framexaxis name="x" objtype="site" objname="s"/>', '<magnetometer name="x" site="s"/>', '<e_kinetic name="x"/>', '<e_potential name="x"/>',
             '<framepos name="x" objtype="site" objname="s" reftype="body" refname="b"/>']
    texts += [f'<subtree{kind} name="x" body="b"/>' for kind in ("com", "linvel", "angmom")]
    for text in texts:
        made, (fate, said), predicted = sensor(text)
        assert made is None and fate == "enters" and said.startswith("a reading of sensordata(), no sensor of the set: ") and predicted, text
    for kind in ("pos", "vel"):
        robot = sd.load_mujoco(arm(rest=FIXED.format("") + f'<sensor><tendon{kind} name="x" tendon="t"/></sensor>'))
        assert not robot.sensors_json["sensors"] and fates(robot)['sensor "x"'][0] == "enters"


def touch_sensors():
    made, (fate, said), _ = sensor('<touch name="x" site="s"/>')
    assert made is None and fate == "enters" and "touch: its body can touch" in said or "nothing can touch" in said
    foot = f'{PLANE}<body><freejoint/><geom size="0.1"/><site name="s" size="0.1"/></body>'
    robot = sd.load_mujoco(scene(body=foot, rest='<sensor><touch name="x" site="s"/></sensor>'))
    assert robot.sensors_json["sensors"][0]["type"] == "normal_force"


def other_sensors():
    texts = ['<rangefinder name="x" site="s"/>', '<jointlimitpos name="x" joint="j"/>', '<clock name="x"/>', '<user name="x" dim="1"/>',
             '<distance name="x" geom1="g" geom2="h" cutoff="1"/>', '<contact name="x" geom1="g" data="found"/>', '<insidesite name="x" objtype="xbody" objname="b" site="s"/>',
             '<camprojection name="x" site="s" camera="c"/>', '<jointpos name="x" joint="j" delay="0.01" nsample="10"/>']
    known = 0
    for text in texts:
        whole = arm(world='<camera name="c" resolution="10 10"/>', joint='range="-10 10"', rest=f"<sensor>{text}</sensor>")
        if not taken(whole):
            continue  # of another version
        robot = sd.load_mujoco(whole)
        assert fates(robot)['sensor "x"'][0] == "left out" and not robot.sensors_json["sensors"], text
        known += 1
    assert known >= 6


def noise_and_cutoff():
    robot = sd.load_mujoco(arm(rest='<sensor><jointvel name="x" joint="j" noise="0.2" cutoff="1"/></sensor>'))
    assert robot.sensors_json["sensors"][0]["sigma"] == 0.2
    assert np.isnan(robot.readings(np.array([1.0]))["y.x"]) and robot.readings(np.array([0.9]))["y.x"] == 0.9
    assert robot.sensordata(*robot.state([0, 0], [3, 0]))["x"][0] == 1


def mocap():
    text = arm(world='<body name="target" mocap="true" pos="1 2 3"><geom size="0.1"/></body>')
    robot = enters(text)
    assert fates(robot)['body "target"'][0] in ("left out", "enters") and any(e.element == 'body "target"' for e in robot.report.left_out)
    assert sd.pose(robot.robot, [0, 0], "target")[:3].tolist() == [1, 2, 3]


def keyframes():
    robot = enters(arm(joint='ref="10"', rest='<keyframe><key name="x" qpos="1 2" qvel="3 4"/></keyframe>'))
    (key,) = robot.keyframes
    assert key.name == "x" and key.q.tolist() == pytest.approx([1 - np.radians(10), 2]) and key.dq.tolist() == [3, 4]


def looks():
    shapes = '<geom name="g" type="{}" size="0.1 0.2 0.3" pos="1 2 3"/>'
    for kind, size in (("sphere", (0.1,)), ("capsule", (0.1, 0.4)), ("cylinder", (0.1, 0.4)), ("box", (0.2, 0.4, 0.6))):
        robot = sd.load_mujoco(scene(body=f'<body name="c"><joint/>{shapes.format(kind)}</body><geom type="plane" size="1 1 1"/>'))
        (look,) = robot.robot.links["c"].visuals
        assert (look.name, look.shape) == ("g", kind) and look.size == pytest.approx(size) and look.placement[:3, 3].tolist() == [1, 2, 3]
        assert not robot.robot.links["world"].visuals
    # MuJoCo moves meshes to their centres: the file's points end where MuJoCo's are
    points = np.array([[0.1, 0, 0], [1, 0.2, 0], [0, 1, 0.1], [0.3, 0, 1]])
    text = f'<asset><mesh name="m" scale="2 1 0.5" vertex="{" ".join(map(str, points.ravel()))}"/></asset>'
    body = '<body name="c"><joint/><geom type="mesh" mesh="m" pos="1 2 3" quat="0.5 0.1 0.3 0.2"/></body>'
    robot = sd.load_mujoco(scene(body=body, rest=text))
    (look,) = robot.robot.links["c"].visuals
    model, data = robot.mujoco, mujoco.MjData(robot.mujoco)
    mujoco.mj_forward(model, data)
    assert (look.shape, look.file, look.size) == ("mesh", "m", (2, 1, 0.5))
    ours = points * look.size @ look.placement[:3, :3].T + look.placement[:3, 3]
    there = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    assert max(np.abs(there - point).sum(axis=1).min() for point in ours) < 1e-6


def without_meaning():
    plain, dressed = arm(), arm(world='<camera name="c"/><light name="l"/>', geom='material="m" rgba="1 0 0 1" user="3"',
                                rest='<asset><material name="m"/></asset><custom><numeric name="n" data="1"/><text name="t" data="x"/></custom>')
    assert sd.load_mujoco(plain).robot == sd.load_mujoco(dressed).robot


# By the beginning of a row of the table.
ROWS = {
    "body, inertial": links, "body without joints": fixed_bodies, "several trees": trees, "joint hinge": joints,
    "`armature`, `damping`, `stiffness`": physics, "`range`, `actuatorfrcrange`": limits, "`range` (limited)": limit_constraints,
    "`frictionloss`": dry_friction, "equality `connect`": equalities, "equality `tendon`": tendon_equalities, "contact of sphere": contacts,
    "contact of other geoms": other_contacts, "`pair`": pairs, "option `gravity`": options, "`gravcomp`": relieved,
    "armature, damping, stiffness below 0": numbers_below_zero, "option `density`": fluids, "option `noslip_iterations`": corrections, "option `integrator`": solver, "tendon with": tendons, "actuator on": actuators,
    "`armature`, `damping` of an actuator": rotors, "sensor `accelerometer`": sensors_of_links, "sensor `velocimeter`": velocimeters,
    "sensor `framelinacc`": sensors_in_the_world, "sensor `jointpos`": sensors_of_joints, "sensor `jointactuatorfrc`": sensors_of_forces,
    "sensor `framexaxis`": predicted_sensors, "sensor `touch`": touch_sensors, "other sensors": other_sensors, "`noise`": noise_and_cutoff,
    "mocap": mocap, "keyframe": keyframes, "geom of type": looks, "materials": without_meaning,
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_rows_of_the_table_are_true(row):
    ROWS[row]()


def test_each_row_of_the_table_has_a_test():
    text = (ROOT / "docs/mujoco.md").read_text().split("| MJCF | enters as |\n|---|---|\n")[1].split("\n\n")[0]
    for line in text.splitlines():
        assert sum(line.startswith(f"| {row}") for row in ROWS) == 1, line
    assert len(text.splitlines()) == len(ROWS)
