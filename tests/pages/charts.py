#!/usr/bin/env python3
"""Charts over time in a browser: cursor, zoom, series on and off, keys, and the CSV, beside the log that `solve` wrote.

charts.py PROGRAM SOURCE: exit code 77 where no Chromium is.
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
redundant = {"sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
                         {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 1.0},
                         {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
cursor = """document.querySelectorAll('svg[data-chart]').length && [...document.querySelectorAll('svg[data-chart]')].map(
  s=>[...s.querySelectorAll('.cursor tspan')].map(t=>t.textContent))"""
labels = "[...document.querySelectorAll('svg[data-chart]')].map(s=>[...s.querySelectorAll('.near text[text-anchor=middle]')].map(t=>+t.textContent))"
whole = "document.querySelector('.tools.charts button').disabled"
saved = """new Promise(done=>{document.addEventListener('saved',e=>done(e.detail.text),{once:true});
  [...document.querySelectorAll('.tools.charts button')].find(b=>b.textContent.includes('CSV')).click()})"""


def run(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def columns(text):
    rows = list(csv.reader(text.splitlines()))
    return {name: [float(row[k]) if row[k] else math.nan for row in rows[1:]] for k, name in enumerate(rows[0])}


def number(text):
    return float(text.replace("−", "-"))


def near(a, b, bound):
    assert abs(a - b) <= bound, (a, b, bound)


def single_rows(folder):
    """Few rows: each is a point, and the page says what the log holds."""
    log, out, page = folder / "log.csv", folder / "out.csv", folder / "page.html"
    (folder / "set.json").write_text(json.dumps(redundant))
    given = ["--sensors", folder / "set.json"]
    run("simulate", source / "robots/arm.urdf", *given, "--seconds", 3, "--rate", 100, "--seed", 4, "-o", log)
    run("solve", source / "robots/arm.urdf", *given, "--log", log, "--outputs", "tau,ddq", "--sd", "-o", out, "--report", page)
    found, truth = columns(out.read_text()), columns(log.read_text())
    titles = [name for name in found if name.startswith(("tau.", "ddq."))]
    with Page(page) as shown:
        charts = shown.value("document.querySelectorAll('svg[data-chart]').length")
        assert charts >= len(titles), (charts, titles)
        # the cursor: over all charts, with the numbers of the nearest row
        left, top, width, height = shown.box("svg[data-chart]", 1)
        shown.mouse("mouseMoved", left + 0.5 * width, top + 0.5 * height)
        said = shown.value(cursor)
        assert all(said), said
        time = number(said[1][0].split()[0])
        assert all(number(one[0].split()[0]) == time for one in said)
        row = min(range(len(found["time"])), key=lambda k: abs(found["time"][k] - time))
        near(found["time"][row], time, 1e-9)
        near(time, (0.5 * 420 - 64) / 350 * found["time"][-1], 0.011)  # under the pointer
        for k, title in enumerate(titles):
            words = said[k]
            estimate = next(w for w in words if w.startswith("estimate ")).split()
            log_says = next((w for w in words if w.startswith("the log ")), None)
            scale = max(map(abs, found[title]))
            near(number(estimate[1]), found[title][row], 1e-4 * scale)
            assert estimate[2] == "±", estimate
            near(number(estimate[3]), 2 * found["sd." + title][row], 1e-4 * scale)
            if log_says:
                near(number(log_says.split()[2]), truth[title][row], 1e-4 * scale)
        # keys: one row on, ten rows back, the first
        shown.value("document.querySelectorAll('svg[data-chart]')[0].focus()")
        shown.click(left + 0.5 * width, top + 0.5 * height)
        shown.key("ArrowRight", number=39)
        near(number(shown.value(cursor)[0][0].split()[0]), found["time"][row + 1], 1e-9)
        shown.key("ArrowLeft", number=37, modifiers=8)
        near(number(shown.value(cursor)[2][0].split()[0]), found["time"][row - 9], 1e-9)
        shown.key("Home", number=36)
        near(number(shown.value(cursor)[0][0].split()[0]), found["time"][0], 1e-9)
        # a drag: all charts show that time
        a, b = (0.3 * 420 - 64) / 350 * 2.99, (0.4 * 420 - 64) / 350 * 2.99
        shown.drag(left + 0.3 * width, top + 0.6 * height, left + 0.4 * width, top + 0.6 * height)
        ticks = shown.value(labels)
        assert len(ticks) == charts and all(len(t) >= 3 and min(t) >= a - 0.02 and max(t) <= b + 0.02 for t in ticks), ticks
        # the CSV: what is shown, as the log has it
        table = columns(shown.value(saved))
        times = table["time (s)"]
        assert 0.9 * (b - a) * 100 < len(times) < 1.1 * (b - a) * 100 + 2, len(times)
        for title in titles:
            name = next(c for c in table if c.startswith(title + ": estimate"))
            band = [next(c for c in table if c.startswith(title + ": ± 2σ") and c.endswith(end)) for end in (" low", " high")]
            for k, t in enumerate(times):
                row = round(t * 100)
                bound = 2e-7 * max(1, max(map(abs, found[title])))
                near(table[name][k], found[title][row], bound)
                near(table[band[1]][k] - table[band[0]][k], 4 * found["sd." + title][row], 4 * bound)
        # a series off: here and in what is saved; and on
        shown.value("document.querySelector('.key>[data-key=c1]').click()")
        assert shown.value("document.querySelectorAll('.near [data-key=c1]').length") == 0
        assert not any(": the log" in name for name in columns(shown.value(saved)))
        shown.value("document.querySelector('.key>[data-key=c1]').click()")
        assert shown.value("document.querySelectorAll('.near [data-key=c1]').length") > 0
        # a key governs the charts that follow it, until the next key: estimates and innovations have one each
        lines = "[...document.querySelectorAll('svg[data-chart]')].map(s=>s.querySelectorAll('.near [data-key=c0]').length)"
        before = shown.value(lines)
        assert all(before) and shown.value("document.querySelectorAll('p.key>[data-key=c0]').length") == 2, before
        for key, governed in ((0, range(len(titles))), (1, range(len(titles), charts))):
            click = f"document.querySelectorAll('p.key>[data-key=c0]')[{key}].click()"
            shown.value(click)
            off = shown.value(lines)
            assert [k for k in range(charts) if not off[k]] == list(governed), (key, off)
            shown.value(click)
            assert shown.value(lines) == before
        # the browser's own zoom is left to it
        view = shown.value(labels)
        for key in "+-0":
            for held in ("ctrlKey", "metaKey", "altKey"):
                shown.value(f"document.querySelector('svg[data-chart]').dispatchEvent(new KeyboardEvent('keydown',{{key:'{key}',{held}:true,cancelable:true}}))")
        assert shown.value(labels) == view
        # back
        shown.click(left + 0.5 * width, top + 0.5 * height, times=2)
        assert shown.value(whole) and min(shown.value(labels)[0]) == 0
        shown.drag(left + 0.3 * width, top + 0.6 * height, left + 0.4 * width, top + 0.6 * height)
        assert not shown.value(whole)
        shown.key("Escape", number=27)
        assert shown.value(whole)
        assert not shown.faults(), shown.faults()


def far_from_zero(folder):
    """A series that varies by a thousandth about 10⁵: the CSV holds it to its range, not to its value."""
    log, out, page = folder / "far.csv", folder / "out.csv", folder / "far.html"
    run("simulate", source / "robots/arm.urdf", "--seconds", 2, "--rate", 100, "--seed", 1, "-o", log)
    lines = [line.split(",") for line in log.read_text().splitlines()]
    at, span = lines[0].index("tau.joint2"), 1e-3
    given = [1e5 + span * math.sin(0.3 * k) / 2 for k in range(len(lines) - 1)]
    for cells, value in zip(lines[1:], given):
        cells[at] = repr(value)
    log.write_text("\n".join(map(",".join, lines)) + "\n")
    run("solve", source / "robots/arm.urdf", "--sensors", "inverse-dynamics", "--log", log, "--outputs", "tau", "-o", out, "--report", page)
    with Page(page) as shown:
        table = columns(shown.value(saved))
        found = table[next(name for name in table if name.startswith("tau.joint2: the log"))]
        assert len(found) == len(given)
        for a, b in zip(found, given):
            near(a, b, 8e-8 * span)
        assert not shown.faults(), shown.faults()


def many_rows(folder):
    """10⁵ rows: bands of extremes, in which a spike of one row is kept at every resolution."""
    log, out, page = folder / "long.csv", folder / "out.csv", folder / "long.html"
    run("simulate", source / "robots/arm.urdf", "--seconds", 400, "--rate", 250, "--seed", 1, "-o", log)
    lines = log.read_text().splitlines()
    at, spiked = lines[0].split(",").index("tau.joint2"), 43210
    cells = lines[spiked + 1].split(",")
    cells[at] = "5000"
    lines[spiked + 1] = ",".join(cells)
    log.write_text("\n".join(lines) + "\n")
    run("solve", source / "robots/arm.urdf", "--sensors", "inverse-dynamics", "--log", log, "--outputs", "tau", "-o", out, "--report", page)
    time = spiked / 250
    assert page.stat().st_size < 3_000_000, page.stat().st_size
    with Page(page) as shown:
        assert shown.value("document.querySelectorAll('.still .envelope').length") > 0
        assert shown.value("document.querySelectorAll('.still .line').length") == 0
        index = shown.value("[...document.querySelectorAll('svg[data-chart]')].findIndex(s=>s.closest('figure').textContent.includes('tau.joint2'))")
        for _ in range(3):  # closer and closer
            left, top, width, height = shown.box("svg[data-chart]", index)
            a, b = shown.value("(s=>{const t=document.querySelector('.tools.charts output').textContent.match(/^([0-9.]+) to ([0-9.]+)/);return t?[+t[1],+t[2]]:[0,399.996]})()")
            x = left + (64 + (time - a) / (b - a) * 350) / 420 * width
            least, most = left + 64 / 420 * width + 1, left + 414 / 420 * width - 1
            shown.drag(max(least, x - 0.1 * width), top + 0.6 * height, min(most, x + 0.1 * width), top + 0.6 * height)
            table = columns(shown.value(saved))
            name = next(c for c in table if c.startswith("tau.joint2: the log") and c.endswith(" high"))
            assert max(table[name]) == 5000, max(table[name])
            k = table[name].index(5000)
            assert table["time (s)"][k] <= time < (table["time (s)"] + [1e9])[k + 1], (table["time (s)"][k], time)
            assert sum(v > 1000 for v in table[name]) == 1
        assert not shown.faults(), shown.faults()


def states_over_time(folder):
    """When contacts press: the cursor and the CSV name those whose force is there, at every zoom."""
    log, page = folder / "trot.csv", folder / "trot.html"
    run("simulate", source / "robots/quadruped.urdf", "--floating", "--constraints", source / "examples/constraints/quadruped.json",
        "--seconds", 0.7, "--rate", 500, "-o", log, "--report", page)
    with Page(page) as shown:
        find = "[...document.querySelectorAll('svg[data-chart]')].findIndex(s=>s.getAttribute('aria-label').startsWith('{}'))"
        pressing, forces = (shown.value(find.format(title)) for title in ("When contacts press", "Forces of contacts"))
        assert shown.value(f"document.querySelectorAll('svg[data-chart]')[{pressing}].querySelectorAll('.near [data-key]').length") == 4
        left, top, width, height = shown.box("svg[data-chart]", pressing)
        seen = set()
        for zoomed in range(2):
            for share in (0.16, 0.3, 0.5, 0.7, 0.9):
                shown.mouse("mouseMoved", left + share * width, top + 0.5 * height)
                said = shown.value(cursor)
                names = said[pressing][1:]
                force = dict(text.rsplit(" ", 1) for text in said[forces][1:])
                there = {name for name, value in force.items() if value != "–" and number(value) > 0}
                assert set(names) == there, (said[pressing], said[forces])
                seen.add(len(names))
            if not zoomed:
                shown.drag(left + 0.7 * width, top + 0.5 * height, left + 0.95 * width, top + 0.5 * height)
        assert len(seen) > 1, seen  # none, and some
        table = columns(shown.value(saved))
        for name in (c for c in table if c.startswith("When contacts press: ")):
            force = table[next(c for c in table if c.startswith("Forces of contacts: " + name[21:]))]
            assert set(table[name]) <= {0.0, 1.0}
            assert all((f > 1e-6 * max(force)) <= bool(on) for f, on in zip(force, table[name])), name
        assert not shown.faults(), shown.faults()


with tempfile.TemporaryDirectory() as name:
    states_over_time(pathlib.Path(name))
    single_rows(pathlib.Path(name))
    far_from_zero(pathlib.Path(name))
    many_rows(pathlib.Path(name))
print("cursor, zoom, keys, series and CSV answer as the logs say")
