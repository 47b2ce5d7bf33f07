"""Todorov's notes on multi-joint dynamics: what they draw, claim or time, made again, each part by the program that the pages name.

    todorov.py BUILD PAGE.html      BUILD holds the examples 08 and 09, bench_recursive and the Python package

PAGE.html.facts holds what the index of bench/reproduce-all shows. Exit 1 where a part fails, or finds other numbers than the pages say.
"""
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, PAGE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
STYLE = ("body{font:15px sans-serif;max-width:75em;margin:2em auto;padding:0 1em}td,th{padding:.3em .8em;text-align:right;border-bottom:1px solid #ccc}"
         "td:first-child,th:first-child{text-align:left}svg{max-width:100%}pre{background:#f6f6f6;padding:1em}")
trouble: list[str] = []
facts: list[tuple[str, str, str, str, str]] = []


def page_text(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def documented(page, found, what):
    """The page must hold this text, wherever its lines end."""
    if found not in " ".join(page_text(page).split()):
        trouble.append(f"docs/{page} does not say {found!r} ({what})")


def ran(*command):
    environment = dict(os.environ, PYTHONPATH=f"{BUILD / 'python'}:{os.environ.get('PYTHONPATH', '')}")
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{pathlib.Path(command[-1 if 'python' in str(command[0]) else 0]).name}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
    return done


def table(rows):
    lines = ["".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) for tag, row in zip(["th"] + ["td"] * len(rows), rows)]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def number(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise RuntimeError(f"no {pattern!r} in {text!r}")
    return float(found[1])


def quaternion_kinematics():
    import quaternions

    rows = quaternions.table()
    for row in rows:
        documented("benchmarks.md", "| " + " | ".join(quaternions.texts(row)) + " |", "slide 3")
    arm, long = rows[0], rows[-1]
    facts.append(("Slide 3", "error of the end point by quaternions, of that by matrices, float32", "below 1: more accurate",
                  f"{arm[3] / arm[1]:.2f} ({arm[0]} links), {long[3] / long[1]:.2f} ({long[0]} links)",
                  f"made unit after each product; as they come {arm[2] / arm[1]:.2f}, {long[2] / long[1]:.2f}"))
    return "Slide 3: kinematics by quaternions and by matrices", table([quaternions.HEADER, *(quaternions.texts(row) for row in rows)])


def maximal_coordinates():
    done = ran(BUILD / "examples/example_09_maximal_coordinates")
    counts = [line.split() for line in done.stderr.strip().splitlines() if re.fullmatch(r"\s*\d+(\s+\d+){5}\s*", line)]
    for row in counts:
        if row[0] in ("2", "5", "10", "20", "50", "100"):
            documented("maximal-coordinates.md", "| " + " | ".join(row) + " |", "multiplications")
    last = counts[-1]
    facts.append(("Slides 5 to 10", f"multiplications in maximal coordinates, {last[0]} links, of those of articulated bodies", "none given",
                  f"{int(last[3]) / int(last[1]):.2f} recursive, {int(last[4]) / int(last[1]):.2f} multipliers, {int(last[5]) / int(last[1]):.2f} range space",
                  "KKT, Gauss, the explicit system and the limit give the same accelerations"))
    return "Slides 5 to 10: maximal coordinates", done.stdout + f"<pre>{html.escape(done.stderr)}</pre>"


def geodesics():
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder) / "geodesics.svg"
        said = ran(sys.executable, ROOT / "python/examples/geodesics.py", picture).stdout
        drawn = picture.read_text(encoding="utf-8")
    lost = number(r"energy changes by (\S+) of", said)
    facts.append(("Slides 14 to 16", "unforced motions are geodesics: change of the kinetic energy along 72 of them", "0", f"{lost:.1e} of 0.5",
                  "Runge and Kutta's method, 400 steps"))
    return "Slides 14 to 16: unforced motions as geodesics of M(q)", drawn + f"<p>{html.escape(said)}</p>"


def painleve():
    done = ran(BUILD / "examples/example_08_painleve")
    N, share = number(r"N (\S+) m g", done.stderr), number(r"F/N (\S+)", done.stderr)
    deep, stopped = number(r"tip is (\S+) mm deep", done.stderr), number(r"sliding after (\S+) s", done.stderr)
    documented("contacts.md", f"the friction is {share:.2f} N", "Painlevé's rod")
    documented("contacts.md", f"N is {N:.1f} weights, and the tip is at most {deep:.2f} mm deep", "Painlevé's rod")
    documented("contacts.md", f"within {stopped:.2f} s", "Painlevé's rod")
    facts.append(("Slide 19", "Painlevé's rod at tan θ = 2, μ = 2: the normal force", "none exists", f"{N:.1f} weights, friction {share:.2f} N",
                  "rigid contact has none from μ = 4/3 on; the convex problem has one at every μ, and the rod jams"))
    return "Slide 19: where rigid contact has no solution", done.stdout + f"<pre>{html.escape(done.stderr)}</pre>"


def speed_tables():
    own = PAGE.with_name(PAGE.stem + "-speed.html")
    try:
        said = ran(sys.executable, ROOT / "bench/speed-tables", BUILD, own).stdout
    except RuntimeError as failed:
        if "No module named" in str(failed):
            raise RuntimeError("the speed tables need mujoco and pin from PyPI") from failed
        raise
    facts.extend(tuple(line.split("\t")) for line in pathlib.Path(f"{own}.facts").read_text(encoding="utf-8").splitlines())
    return "Slides 18 and 21: evaluations a second", f'<p><a href="{own.name}">As tables</a></p><pre>{html.escape(said)}</pre>'


def main():
    sections = []
    for part in (quaternion_kinematics, maximal_coordinates, geodesics, speed_tables, painleve):
        try:
            title, body = part()
        except (RuntimeError, ImportError, OSError) as failed:
            trouble.append(f"{part.__name__}: {failed}")
            title, body = part.__name__.replace("_", " "), f"<p>Not made: {html.escape(str(failed))}</p>"
        sections.append(f"<h2>{html.escape(title)}</h2>\n{body}\n")
    PAGE.write_text("<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Multi-joint dynamics, made again</title>"
                    f"<style>{STYLE}</style><h1>Todorov's notes on multi-joint dynamics, made again</h1>\n{''.join(sections)}", encoding="utf-8")
    pathlib.Path(f"{PAGE}.facts").write_text("".join("\t".join(fact) + "\n" for fact in facts), encoding="utf-8")
    for fact in facts:
        print(f"{fact[0]}: {fact[1]}: published {fact[2]}, ours {fact[3]}")
    print("\n".join(trouble) or "all numbers as documented", file=sys.stderr)
    print(PAGE)
    return 1 if trouble else 0


sys.exit(main())
