#!/usr/bin/env python3
"""The animation of a motion in a browser: time, keys, pointer, camera, and its moment beside the charts', as the log says.

viewer.py PROGRAM SOURCE: exit code 77 where no Chromium is.
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from devtools import Page, browser

if not browser():
    print("no chromium here: the pages are not tried in a browser")
    sys.exit(77)

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
cursors = "[...document.querySelectorAll('svg[data-chart]')].map(s=>s.querySelector('.cursor tspan')?.textContent||'')"
# how many pixels differ from the canvas' corner, and how many differ from a picture kept before
filled = """(()=>{const c=document.querySelector('.stage canvas'),g=document.createElement('canvas');g.width=c.width;g.height=c.height;
  const x=g.getContext('2d');x.drawImage(c,0,0);const d=x.getImageData(0,0,g.width,g.height).data,colours=new Set;
  for(let i=0;i<d.length;i+=4)colours.add(d[i]>>4<<8|d[i+1]>>4<<4|d[i+2]>>4);const was=window.kept;window.kept=d;
  let changed=0;if(was)for(let i=0;i<d.length;i+=4)changed+=Math.abs(d[i]-was[i])+Math.abs(d[i+1]-was[i+1])+Math.abs(d[i+2]-was[i+2])>24;
  return [colours.size,changed/(d.length/4)]})()"""


def run(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def state(shown):
    return shown.value("document.querySelector('.stage').state()")


def seconds(text):
    return float(text.split()[0].replace("−", "-"))


def quadruped(folder):
    page, log = folder / "motion.html", folder / "motion.csv"
    gait = source / "examples/motions/quadruped-trot.csv"
    run("simulate", source / "robots/quadruped.urdf", "--floating", "--constraints", source / "examples/constraints/quadruped.json", "--from", gait,
        "--targets", gait, "--hold", "100,2", "--integrator", "implicit-velocity", "--rate", 500, "--seconds", 3, "--repeat", "-o", log, "--report", page)
    with Page(page, 1000, 700) as shown:
        assert not shown.faults(), shown.faults()
        canvas = shown.box(".stage canvas")
        assert canvas[3] <= 0.65 * 700 + 3, canvas  # the controls are on the screen
        first = state(shown)
        assert first["depth"] and not first["running"] and first["now"] == 0 and first["follows"], first
        assert shown.value(filled)[0] > 12  # trunk, four legs, ground and shades
        # all corners are in the picture, whatever the time and the view
        for time in (0, 0.8, 1.7, 2.9):
            for view in ("corner", "front", "left", "top"):
                shown.value(f"document.dispatchEvent(new CustomEvent('moment',{{detail:{{t:{time},by:'test'}}}}))")
                shown.value(f"(()=>{{const v=document.querySelector('.views');v.value='{view}';v.onchange()}})()")
                assert state(shown)["fits"], (time, view)
        # keys: on by a frame, ten, to the end and back; play and pause; speed
        shown.value("document.querySelector('.stage canvas').focus()")
        shown.key("Home", number=36)
        shown.key("ArrowRight", number=39)
        step = state(shown)["now"]
        assert 0.015 < step < 0.018, step
        shown.key("ArrowRight", number=39, modifiers=8)
        assert abs(state(shown)["now"] - 11 * step) < 1e-6
        shown.key("ArrowLeft", number=37)
        assert abs(state(shown)["now"] - 10 * step) < 1e-6
        shown.key("ArrowUp", number=38)
        assert state(shown)["speed"] == 2
        shown.key("ArrowDown", number=40)
        shown.key("ArrowDown", number=40)
        assert state(shown)["speed"] == 0.5
        shown.key(" ", code="Space", number=32)
        assert state(shown)["running"]
        shown.value("new Promise(done=>setTimeout(done,400))")
        shown.key(" ", code="Space", number=32)
        played = state(shown)
        assert not played["running"] and played["now"] > 10 * step, played
        shown.key("End", number=35)
        assert abs(state(shown)["now"] - 2.998) < 1e-6
        # with Ctrl, Cmd and Alt they are the browser's
        before = state(shown)
        for held in ("ctrlKey", "metaKey", "altKey"):
            for key in ("+", "-", "ArrowLeft", "Home"):
                shown.value(f"document.querySelector('.stage canvas').dispatchEvent(new KeyboardEvent('keydown',{{key:'{key}',bubbles:true,{held}:true}}))")
        assert state(shown) == before
        # the slider's time is the charts', and a chart's the slider's
        shown.value("(()=>{const s=document.querySelector('.stage input');s.value=1.25;s.oninput()})()")
        said = shown.value(cursors)
        assert said and all(abs(seconds(one) - 1.25) < 0.002 for one in said), said
        left, top, width, height = shown.box("svg[data-chart]", 0)
        shown.click(left + (64 + 0.75 * 350) / 420 * width, top + 0.6 * height)
        now = state(shown)["now"]
        assert abs(now - 0.75 * 2.998) < 0.01 and abs(float(shown.value("document.querySelector('.stage input').value")) - now) < 1e-6
        # between frames places are between: against the log's rows, of which every eighth is a frame
        rows = list(csv.DictReader(log.open()))
        place = "(()=>{const s=document.querySelector('.stage');return s.placeOf(0)})()"
        for row in (rows[500], rows[504], rows[1203]):
            shown.value(f"document.dispatchEvent(new CustomEvent('moment',{{detail:{{t:{row['time']},by:'test'}}}}))")
            for k, axis in enumerate("xyz"):
                assert abs(shown.value(place)[k] - float(row["q.base." + axis])) < 2e-3, (row["time"], axis)
        # the pointer: turn, shift, zoom, and names
        x, y, w, h = shown.box(".stage canvas")
        before = state(shown)
        shown.drag(x + 0.5 * w, y + 0.5 * h, x + 0.6 * w, y + 0.4 * h)
        assert state(shown)["turn"] != before["turn"] and state(shown)["shift"] == [0, 0, 0]
        shown.mouse("mousePressed", x + 0.5 * w, y + 0.5 * h, "left", 1, modifiers=8)
        shown.mouse("mouseMoved", x + 0.6 * w, y + 0.5 * h, "left", modifiers=8)
        shown.mouse("mouseReleased", x + 0.6 * w, y + 0.5 * h, "left", 1, modifiers=8)
        assert state(shown)["shift"] != [0, 0, 0]
        shown.mouse("mouseWheel", x + 0.5 * w, y + 0.5 * h, deltaX=0, deltaY=-300)
        shown.value("new Promise(done=>requestAnimationFrame(()=>setTimeout(done,100)))")
        assert state(shown)["zoom"] > 1.5, state(shown)
        shown.value("(()=>{const v=document.querySelector('.views');v.value='left';v.onchange()})()")
        names = set()
        for i in range(21):
            for j in range(15):
                shown.mouse("mouseMoved", x + w * (0.25 + 0.025 * i), y + h * (0.15 + 0.05 * j))
                names.add(shown.value("(t=>t.style.display=='none'?'':t.textContent)(document.querySelector('.tip'))"))
        assert "trunk" in names and sum(any(leg in n for n in names) for leg in ("lf_", "rf_", "lh_", "rh_")) >= 2, names
        # toggles change the picture
        shown.value(filled)
        for toggle in ("inertia", "axes", "trails"):
            shown.value(f"document.querySelector('[data-toggle={toggle}]').click()")
            assert shown.value(filled)[1] > 1e-4, toggle
        assert not shown.faults(), shown.faults()


def without_webgl(folder):
    """The same picture by the painter that sorts: nothing is missing."""
    page = folder / "arm.html"
    run("simulate", source / "robots/arm.urdf", "--forward", "--hold", "50,5", "--integrator", "implicit-velocity", "--rate", 500, "--seconds", 1, "-o", folder / "arm.csv", "--report", page)
    page.write_text(page.read_text().replace("canvas.getContext('webgl'", "canvas.getContext('nothing'"))
    with Page(page, 900, 700) as shown:
        assert not state(shown)["depth"] and shown.value(filled)[0] > 5
        assert not shown.faults(), shown.faults()


def mesh(folder):
    """A mesh that is found is drawn: a sphere from an OBJ beside the robot's file, and its name under the pointer."""
    points = [(0, 0, .4), (0, 0, -.4)] + [(.4 * c, .4 * s, 0) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    faces = [(1, 3, 4), (1, 4, 5), (1, 5, 6), (1, 6, 3), (2, 4, 3), (2, 5, 4), (2, 6, 5), (2, 3, 6)]
    (folder / "gem_description/meshes").mkdir(parents=True)
    (folder / "gem_description/meshes/gem.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in points) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces))
    (folder / "gem.urdf").write_text("""<robot name="gem"><link name="post"/><link name="gem"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0"
      iyy="0.1" iyz="0" izz="0.1"/></inertial><visual><geometry><mesh filename="package://gem_description/meshes/gem.obj"/></geometry></visual></link>
      <joint name="axle" type="continuous"><parent link="post"/><child link="gem"/><axis xyz="0 0 1"/></joint></robot>""")
    common = ["simulate", folder / "gem.urdf", "--forward", "--rate", 100, "--seconds", 0.5, "-o", folder / "gem.csv", "--report", folder / "gem.html"]
    shapes = "JSON.parse(document.querySelector('.stage script').textContent).shapes.map(s=>s.kind)"
    run(*common)
    with Page(folder / "gem.html") as shown:
        assert shown.value(shapes) == ["mesh"]
        x, y, w, h = shown.box(".stage canvas")
        shown.mouse("mouseMoved", x + 0.5 * w, y + 0.5 * h)
        assert shown.value("document.querySelector('.tip').textContent") == "gem"
        assert not shown.faults(), shown.faults()
    run(*common, "--no-meshes")
    with Page(folder / "gem.html") as shown:
        assert "mesh" not in shown.value(shapes)
    (folder / "gem_description").rename(folder / "moved")
    (folder / "elsewhere").mkdir()
    (folder / "moved").rename(folder / "elsewhere/gem_description")
    run(*common)
    assert "No mesh that can be read is found for package://gem_description" in (folder / "gem.html").read_text()
    run(*common, "--package-path", folder / "elsewhere")
    with Page(folder / "gem.html") as shown:
        assert shown.value(shapes) == ["mesh"]


def thrown(folder):
    """A weight without a stop slides off by 11 m in 1.5 s: the robot stays as large as it is."""
    solid = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
    box = '<visual><geometry><box size="0.4 0.4 0.4"/></geometry></visual>'
    (folder / "thrown.urdf").write_text(f"""<robot name="thrown"><link name="base">{solid}{box}</link><link name="weight">{solid}{box}</link>
      <joint name="slide" type="prismatic"><parent link="base"/><child link="weight"/><axis xyz="0 0 1"/>
      <limit lower="-100" upper="100" effort="1" velocity="100"/></joint></robot>""")
    run("simulate", folder / "thrown.urdf", "--forward", "--seconds", 1.5, "--rate", 100, "-o", folder / "thrown.csv", "--report", folder / "thrown.html")
    with Page(folder / "thrown.html") as shown:
        assert state(shown)["reach"] < 1.5 and state(shown)["fits"], state(shown)


def on_rails(folder):
    """Robots that travel by prismatic joints stay in the picture: a base on two of them is followed, of a gantry the whole motion is shown."""
    def link(name, mass, size):
        return (f"""<link name="{name}"><inertial><mass value="{mass}"/><inertia ixx="{mass}" ixy="0" ixz="0" iyy="{mass}" iyz="0" izz="{mass}"/></inertial>
          <visual><geometry><box size="{size}"/></geometry></visual></link>""")

    def joint(name, kind, parent, child, axis, place="0 0 0"):
        return (f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{place}"/><axis xyz="{axis}"/>
          <limit lower="-50" upper="50" effort="1000" velocity="50"/></joint>""")

    robots = {
        "cart": '<link name="world"/>' + link("slide", 0.01, "0.01 0.01 0.01") + link("cart", 30, "0.6 0.4 0.2") + link("mast", 2, "0.1 0.1 0.5")
                + joint("x", "prismatic", "world", "slide", "1 0 0") + joint("y", "prismatic", "slide", "cart", "0 1 0")
                + joint("turn", "revolute", "cart", "mast", "0 0 1", "0 0 0.3"),
        "gantry": '<link name="world"/>' + link("beam", 20, "0.4 0.2 0.1") + link("carriage", 8, "0.2 0.2 0.2") + link("tool", 2, "0.05 0.05 0.4")
                  + joint("x", "prismatic", "world", "beam", "1 0 0") + joint("y", "prismatic", "beam", "carriage", "0 1 0")
                  + joint("turn", "revolute", "carriage", "tool", "0 0 1", "0 0 -0.2")}
    rows = ["time,q.x,q.y,q.turn,dq.x,dq.y,dq.turn"] + [f"{t},{4 * t},{6 * (1 - math.cos(t))},{t},4,{6 * math.sin(t)},1" for t in (0.05 * i for i in range(101))]
    (folder / "way.csv").write_text("\n".join(rows) + "\n")
    for name, text in robots.items():
        (folder / f"{name}.urdf").write_text(f'<robot name="{name}">{text}</robot>')
        page = folder / f"{name}.html"
        run("simulate", folder / f"{name}.urdf", "--forward", "--hold", "2000,200", "--targets", folder / "way.csv", "--gravity", 0, 0, 0, "--integrator",
            "implicit-velocity", "--seconds", 5, "--rate", 200, "-o", folder / f"{name}.csv", "--report", page)
        with Page(page) as shown:
            assert not shown.faults(), shown.faults()
            for time in (0, 1.5, 3, 4.9):
                shown.value(f"document.dispatchEvent(new CustomEvent('moment',{{detail:{{t:{time},by:'test'}}}}))")
                now = state(shown)
                assert now["follows"] == (name == "cart") and shown.value(filled)[0] > 4, (name, time, now)
                assert now["fits"] or name == "cart", (time, now)  # the slide of 10 g stays behind
                assert now["reach"] < 2 or name == "gantry", (time, now)


for test in (quadruped, without_webgl, mesh, thrown, on_rails):
    with tempfile.TemporaryDirectory() as name:
        test(pathlib.Path(name))
print("time, keys, pointer, camera and meshes answer as the log says")
