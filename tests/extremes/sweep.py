#!/usr/bin/env python3
"""Every number that can be given to the program, at its extremes, and every output of every command.

  sweep.py PROGRAM SOURCE [--whole] [--only COMMAND]

A number in a file or an option becomes 0, ±1e-308, 5e-324 (denormal), ±1e308 and some between. Then each command runs. What it
writes must be finite numbers; what is not there must be said: exit code 0 with every cell filled, or another one with a reason
on stderr. A crash, a NaN, an infinity, an empty cell beside exit code 0, or silence beside another code is a fault. The quick
form takes the two ends of the range and one robot; --whole takes all.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ENDS = ["1e308", "-1e308", "1e-308", "5e-324"]
BETWEEN = ["0", "-1e-308", "-5e-324", "1e154", "-1e154", "1e-154", "1e200", "1e100", "1e30", "-1e30", "1e-30", "1e16"]

URDF = """<robot name="victim">
  <link name="base"><inertial><mass value="3"/><inertia ixx="0.1" ixy="0.01" ixz="0.02" iyy="0.2" iyz="0.03" izz="0.25"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><mass value="2"/>
    <inertia ixx="0.03" ixy="0.001" ixz="0.002" iyy="0.04" iyz="0.003" izz="0.05"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.05 0 0.2"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.011" iyz="0" izz="0.012"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0.1 0.4" rpy="0.3 0 0.2"/>
    <axis xyz="0 0.6 0.8"/><limit lower="-2" upper="2.5" velocity="3" effort="50"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="slide" type="prismatic"><parent link="upper"/><child link="lower"/><origin xyz="0.2 0 0.3"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="1" velocity="2" effort="60"/></joint>
  <joint name="tip" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.1" rpy="0 0.5 0"/></joint>
  <transmission name="t"><joint name="shoulder"/><actuator name="a"><mechanicalReduction>20</mechanicalReduction>
    <motorInertia>0.0001</motorInertia></actuator></transmission>
</robot>
"""
JOINTS = """{"joints": {"shoulder": {"armature": 0.1, "damping": 0.2, "friction": 0.3, "offset": 0.4, "smoothing": 0.05, "stiffness": 2},
  "slide": {"armature": 0.15, "damping": 0.25, "friction": 0.35, "offset": 0.45}}}
"""
SOLVED = """{"name": "solved", "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "shoulder"},
  {"name": "still", "type": "joint_acceleration", "joint": "slide", "value": 0.5},
  {"name": "hand", "type": "external_wrench", "link": "tool", "value": [0.1, 0.2, 0.3, 1, 2, 3]},
  {"name": "air", "type": "external_wrench", "link": "*", "except": "tool", "value": 0}]}
"""
ESTIMATED = """{"name": "estimated", "prior": {"ddq": 100}, "state_sigma": {"q": 0.001, "dq": 0.002}, "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": [0.5, 0.7]},
  {"name": "imu", "type": "accelerometer", "link": "tool", "xyz": [0.01, 0.02, 0.03], "rpy": [0.1, 0.2, 0.3], "sigma": 0.2},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
"""
CONSTRAINTS = """{"name": "held", "parameters": {"impratio": 1.5, "solref": [0.02, 1], "solimp": [0.9, 0.95, 0.001, 0.5, 2], "timestep": 0.002},
 "constraints": [
  {"name": "floor", "type": "contact", "link": "tool", "points": [[0.01, 0.02, 0.03]], "radius": 0.05, "friction": [0.8, 0.01, 0.001],
   "plane": {"xyz": [0, 0, 1], "normal": [0.1, 0, 1]}, "margin": 0.02},
  {"name": "rod", "type": "connect", "links": ["tool", "world"], "xyz": [[0.1, 0, 0], [0.5, 0, 0.5]], "solref": [0.05, 0.8]},
  {"name": "pair", "type": "joint", "joint": "slide", "of": "shoulder", "polynomial": [0.1, 0.5, 0.2]},
  {"name": "stops", "type": "limit", "joint": "*", "margin": 0.1},
  {"name": "rub", "type": "dry_friction", "joint": "slide", "loss": 0.3}]}
"""
HARD = """{"name": "hard", "constraints": [
  {"name": "pair", "type": "joint", "joint": "slide", "of": "shoulder", "polynomial": [0.1, 0.5, 0.2], "hard": true,
   "stabilisation": {"omega": 50}}]}
"""
NAMES = ("shoulder", "slide")


def log():
    """Twelve rows of everything that a command reads."""
    header = ["time"] + [f"{kind}.{name}" for kind in ("q", "dq", "ddq", "tau", "lam") for name in NAMES]
    header += [f"fx.tool.{c}" for c in ("nx", "ny", "nz", "fx", "fy", "fz")]
    header += [f"y.imu.{c}" for c in ("ax", "ay", "az")] + [f"pose.tool.{c}" for c in ("x", "y", "z", "qx", "qy", "qz", "qw")]
    lines = [",".join(header)]
    for k in range(12):
        row = [0.01 * k] + [round(math.sin(0.7 * k + 1.3 * c) * (0.4 + 0.2 * c), 6) for c in range(19)]
        lines.append(",".join(map(str, row + [0.3, 0.1, 0.9, 0.1, 0.2, 0.3, 0.927])))
    return "\n".join(lines) + "\n"


TARGETS = "time,q.shoulder,q.slide,dq.shoulder\n0,0.1,0.2,0.1\n0.1,0.2,0.1,0\n"
FROM = "q.shoulder,q.slide,dq.shoulder,dq.slide\n0.3,0.2,0.1,-0.2\n"
POSITIONS = "time,q.a,q.b\n" + "".join(f"{0.01 * k:.2f},{math.sin(0.1 * k):.6f},{math.cos(0.07 * k):.6f}\n" for k in range(30))

FILES = {"robot.urdf": URDF, "joints.json": JOINTS, "solved.json": SOLVED, "estimated.json": ESTIMATED, "constraints.json": CONSTRAINTS,
         "hard.json": HARD, "log.csv": log(), "targets.csv": TARGETS, "from.csv": FROM, "positions.csv": POSITIONS}

ALGORITHMS = ("rnea aba crba minverse rnea-derivatives aba-derivatives rnea-second-derivatives aba-second-derivatives coriolis christoffel "
              "hamilton regressor kinematics energy momentum").split()
READS = "robot.urdf joints.json"
ROBOT = "robot.urdf --joints joints.json"


def commands():
    """(name, command line, files whose numbers it reads, options of its own with numbers). OUT stands for what is written."""
    gravity = {"--gravity": "0 0 {}", "--snap": "{}"}
    yield "info", f"info {ROBOT} --json", READS, gravity
    yield "info base", f"info {ROBOT} --base-parameters --json", READS, gravity
    for name in ALGORITHMS:
        yield f"compute {name}", f"compute {name} {ROBOT} --log log.csv -o OUT.csv", READS + " log.csv", gravity
    for name in ("crba", "rnea-derivatives", "rnea-second-derivatives"):
        yield f"compute {name} --npy", f"compute {name} {ROBOT} --log log.csv --npy -o OUT.d", READS + " log.csv", gravity
    yield "compute contract", f"compute aba-second-derivatives {ROBOT} --contract lam --log log.csv -o OUT.csv", READS + " log.csv", gravity
    yield "compute ik", f"compute ik {ROBOT} --target tool --log log.csv -o OUT.csv", READS + " log.csv", {"--snap": "{}"}
    for name in ("contact-dynamics", "contact-inverse-dynamics", "contact-derivatives"):
        yield (f"compute {name}", f"compute {name} {ROBOT} --constraints constraints.json --log log.csv -o OUT.csv",
               READS + " constraints.json log.csv", gravity)
    yield ("compute hard", f"compute contact-dynamics {ROBOT} --constraints hard.json --log log.csv -o OUT.csv", READS + " hard.json log.csv", gravity)
    for name in ("solved", "estimated"):
        reads = f"{READS} {name}.json log.csv"
        yield f"check {name}", f"check {ROBOT} --sensors {name}.json --json", f"{READS} {name}.json", gravity
        yield f"optimise {name}", f"optimise {ROBOT} --sensors {name}.json -o OUT.json", f"{READS} {name}.json", {**gravity, "--budget": "{}"}
        yield f"solve {name}", f"solve {ROBOT} --sensors {name}.json --log log.csv -o OUT.csv --outputs tau,ddq,acc,f,fx --sd --report OUT.html", reads, gravity
        yield f"sensitivities {name}", f"compute sensitivities {ROBOT} --sensors {name}.json --log log.csv -o OUT.d", reads, gravity
        yield f"simulate {name}", f"simulate {ROBOT} --sensors {name}.json --seconds 0.1 --rate 50 -o OUT.csv", f"{READS} {name}.json", gravity
        yield f"generate {name}", f"generate {ROBOT} --sensors {name}.json --name f -o OUT.d", f"{READS} {name}.json", gravity
    yield ("solve robust", f"solve {ROBOT} --sensors estimated.json --log log.csv -o OUT.csv --innovations --robust huber --corrected OUT2.csv",
           f"{READS} estimated.json log.csv", {**gravity, "--robust-threshold": "{}"})
    yield "check hard", f"check {ROBOT} --constraints hard.json --json", READS + " hard.json", gravity
    yield "optimise hard", f"optimise {ROBOT} --constraints constraints.json -o OUT.json", READS + " constraints.json", {**gravity, "--budget": "{}"}
    yield "flops", f"flops {ROBOT} --sensors solved.json -o OUT.csv", READS + " solved.json", gravity
    yield "simulate", f"simulate {ROBOT} --seconds 0.1 --rate 50 -o OUT.csv", READS, {**gravity, "--seconds": "{}", "--rate": "{}"}
    for integrator in ("semi-implicit", "implicit-velocity", "runge-kutta"):
        yield (f"simulate {integrator}", f"simulate {ROBOT} --forward --integrator {integrator} --from from.csv --targets targets.csv --hold 40,2 "
               "--seconds 0.1 --rate 50 -o OUT.csv --report OUT.html --json", READS + " from.csv targets.csv", {**gravity, "--hold": "{0},{0}"})
    yield ("simulate contacts", f"simulate {ROBOT} --constraints constraints.json --from from.csv --seconds 0.1 --rate 50 -o OUT.csv --report OUT.html --json",
           READS + " constraints.json from.csv", gravity)
    yield "simulate hard", f"simulate {ROBOT} --constraints hard.json --project --seconds 0.1 --rate 50 -o OUT.csv --json", READS + " hard.json", gravity
    yield "differentiate", "differentiate positions.csv -o OUT.csv --json", "positions.csv", {"--cutoff": "{}", "--window": "{}"}
    yield "generate", f"generate {ROBOT} --algorithm rnea-with-derivatives --name f -o OUT.d", READS, gravity
    yield ("generate contacts", f"generate {ROBOT} --algorithm contact-dynamics --constraints constraints.json --name f -o OUT.d",
           READS + " constraints.json", gravity)
    yield "identify", f"identify {ROBOT} --log log.csv -o OUT.json --urdf-out OUT.urdf --joints-out OUT2.json --report OUT.html", READS + " log.csv", {**gravity, "--prior": "{}"}
    yield "identify robust", f"identify {ROBOT} --log log.csv --sensors estimated.json --robust huber -o OUT.json", READS + " estimated.json log.csv", gravity
    yield ("excite", f"excite {ROBOT} --seconds 1 --rate 20 --budget 5 -o OUT.csv --json", READS, {**gravity, "--seconds": "{}", "--rate": "{}"})
    yield "urdf dynamics", "compute rnea robot.urdf --urdf-dynamics --urdf-transmissions --log log.csv -o OUT.csv", "robot.urdf log.csv", gravity
    yield "floating", "compute aba robot.urdf --floating --log floating.csv -o OUT.csv", "robot.urdf floating.csv", gravity
    yield "lock", "compute aba robot.urdf --log log.csv -o OUT.csv", "", {"--lock slide=": "{}"}


def floating():
    header = ["q.base." + c for c in ("x", "y", "z", "qx", "qy", "qz", "qw")] + ["q.shoulder", "q.slide"]
    header += ["dq.base." + c for c in ("wx", "wy", "wz", "vx", "vy", "vz")] + ["dq.shoulder", "dq.slide", "tau.shoulder", "tau.slide"]
    return ",".join(header) + "\n" + ",".join("0.1 0.2 0.3 0.1 0.2 0.3 0.927 0.4 0.5 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1".split()) + "\n"


FILES["floating.csv"] = floating()

NUMBER = re.compile(r'(?<![\w.-])-?\d+\.?\d*(?:e-?\d+)?(?![\w.])')
ATTRIBUTE = re.compile(r'"([-0-9. ]+)"')


def places(name, text, whole):
    """Where the numbers of a file begin and end."""
    if name.endswith(".urdf"):
        spans = [(a.start(1) + n.start(), a.start(1) + n.end()) for a in ATTRIBUTE.finditer(text) for n in NUMBER.finditer(a.group(1))]
        spans += [m.span(1) for m in re.finditer(r">([0-9.]+)<", text)]
    elif name.endswith(".csv"):
        lines = text.split("\n")
        start = len(lines[0]) + 1 + (0 if len(lines) < 8 else sum(len(line) + 1 for line in lines[1:6]))
        end = start + len(lines[1 if len(lines) < 8 else 6])
        spans = [(start + n.start(), start + n.end()) for n in NUMBER.finditer(text[start:end])]
    else:
        spans = [n.span() for n in NUMBER.finditer(text)]
    return sorted(spans)


# What docs say may be none: a condition that is infinite, an order that fails at a state.
MAY_BE_NULL = r"condition|worst_backward_error|worst_componentwise_error|worst_growth"
NOT_FINITE = re.compile(r"(?<![\w./-])[-+]?(?:nan|inf|infinity)(?![\w.])", re.I)


def faults_of_table(text, code, err):
    lines = text.split("\n")
    if NOT_FINITE.search(text):
        return "a number that is not finite in a table"
    header = lines[0].split(",")
    said = {"time"} if "time:" in err else set()  # a time that is none is warned of, and its row has all else
    said |= {"outlier"} | ({"of", "formulation", "order", "n"} if "account" in header else set())  # which most rows have not
    if code == 0:
        for line in lines[1:]:
            empty = {name for name, cell in zip(header, line.split(",")) if not cell} - said
            if line and empty:
                return f"empty cells beside exit code 0: {sorted(empty)[:3]}"
    return ""


def faults_of_array(path, code):
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    values = struct.unpack(f"<{(len(data) - 10 - size) // 8}d", data[10 + size:])
    if any(math.isinf(x) for x in values) or (code == 0 and any(math.isnan(x) for x in values)):
        return f"a number that is not finite in {path.name}"
    return ""


def nulls(node, path=""):
    """Where JSON says that a number is none."""
    if node is None:
        return [path]
    below = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [found for key, value in below for found in nulls(value, f"{path}.{key}")]


def faults_of_json(text, code):
    def number(word):
        raise ValueError(word)
    try:
        found = nulls(json.loads(text, parse_constant=number))
    except ValueError as wrong:
        return f"JSON: {wrong}"
    found = [path for path in found if not re.search(MAY_BE_NULL, path)]
    return f"JSON: null at {found[:3]} beside exit code 0" if found and code == 0 else ""


def faults(run, code, out, err, folder):
    if code not in (0, 1, 2, 3, 4):
        return f"ended by {code}"
    if code != 0 and not err.strip():
        return f"exit code {code} in silence"
    if "--json" in run and code in (0, 4) and out.strip():
        if wrong := faults_of_json(out, code):
            return wrong
    elif code == 0 and NOT_FINITE.search(out) and "inf: at one of the states" not in out:
        return "a number that is not finite on stdout"
    for path in sorted(folder.rglob("OUT*")) + sorted(folder.glob("OUT.d/*")):
        if path.is_dir():
            continue
        if path.suffix == ".npy":
            wrong = faults_of_array(path, code)
        else:
            text = path.read_text(encoding="utf-8")
            wrong = (faults_of_table(text, code, err) if path.suffix == ".csv" else faults_of_json(text, code) if path.suffix == ".json" else
                     "a number that is not finite in the URDF" if path.suffix == ".urdf" and NOT_FINITE.search(text) else
                     "a number that is not finite on the page" if path.suffix == ".html" and re.search(r'[",\[ ]-?(?:nan|inf)[",\] ]', text) else
                     "a number that is not finite in the code" if path.suffix in (".c", ".h") and re.search(r"[ (=*+-](?:nan|inf)[ ;)*+-]", text) else "")
        if wrong:
            return wrong
        if code in (1, 2, 3):
            return f"{path.name} beside exit code {code}"
    return ""


def try_one(program, job):
    name, line, changed, what = job
    with tempfile.TemporaryDirectory(prefix="extremes-") as folder:
        for file, text in changed.items():
            pathlib.Path(folder, file).write_text(text, encoding="utf-8")
        words = [program, *line.split()]
        environment = {**os.environ, "XDG_CACHE_HOME": folder + "/cache"}
        try:
            done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return f"{name}: {what}: takes longer than a minute"
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        wrong = faults(line, done.returncode, out, err, pathlib.Path(folder))
        return f"{name}: {what}: {wrong}\n    {line}\n    {err.strip()[:300]}" if wrong else done.returncode


def jobs(values, every, only):
    count = 0
    for name, line, reads, options in commands():
        if only and only not in name:
            continue
        yield name, line, FILES, "as it is"
        for file in reads.split():
            text = FILES[file]
            for begin, end in places(file, text, True):
                for value in values:
                    count += 1
                    if count % every == 0:
                        yield name, line, {**FILES, file: text[:begin] + value + text[end:]}, \
                            f"{file}: {text[max(0, begin - 30):begin].split(chr(10))[-1]}[{value}]{text[end:end + 10].split(chr(10))[0]}"
        for option, form in options.items():
            for value in values:
                given = f" {option}{'' if option.endswith('=') else ' '}{form.format(value)}"
                yield name, re.sub(rf" {option} \S+", "", line) + given, FILES, given.strip()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--whole", action="store_true")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--every", type=int, default=0)
    given = arguments.parse_args()
    values = ENDS + BETWEEN if given.whole else ENDS
    every = given.every or (1 if given.whole else 29)
    program, codes, wrong = os.path.abspath(given.program), collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for answer in pool.map(lambda job: try_one(program, job), jobs(values, every, given.only)):
            if isinstance(answer, int):
                codes[answer] += 1
            else:
                wrong.append(answer)
                print(answer, flush=True)
    print(f"{sum(codes.values()) + len(wrong)} runs; exit codes {dict(sorted(codes.items()))}; {len(wrong)} faults")
    if not codes[0] or not codes[3]:
        sys.exit("the sweep itself is broken: nothing succeeded, or nothing was refused")
    sys.exit(1 if wrong else 0)


main()
