#!/usr/bin/env python3
"""Every page that the program writes, as a telephone, a wide screen and paper show it: nothing wider than its window, no text of a
chart below eleven pixels or outside its chart, words for those who do not see, no script that throws, nothing loaded from elsewhere,
and a first printed page with content.

forms.py PROGRAM SOURCE: exit code 77 where no Chromium is.
"""
import base64
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

from devtools import Browser, Page, browser

if not browser():
    print("no chromium here: the pages are not tried in a browser")
    sys.exit(77)

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
MOMENT = "document.dispatchEvent(new CustomEvent('moment',{detail:{t:0.5,by:'chart'}}))"
LEAST_TEXT = 11 - 1e-6  # pixels
WIDTHS = (390, 800, 1200, 1600)
# of texts that are shown: what they say, and how high their letters are on the screen
TEXTS = """[...document.querySelectorAll('svg text, svg tspan, .ends li, .bars span, .key, #tip')].flatMap(t=>{
  const r=t.getBoundingClientRect();if(!r.width)return[];const s=parseFloat(getComputedStyle(t).fontSize),svg=t.ownerSVGElement;
  return [[t.textContent.slice(0,40),svg?s*svg.getScreenCTM().a:s]]})"""
OUTSIDE = """[...document.querySelectorAll('svg')].flatMap(s=>{const b=s.getBoundingClientRect();if(!b.width)return[];
  return [...s.querySelectorAll('text')].filter(t=>{const r=t.getBoundingClientRect();return r.width&&(r.left<b.left-12||r.right>b.right+12)})
    .map(t=>t.textContent.slice(0,60))})"""
# names of curves beside a chart: not above or below it, and none over another
NAMES = """[...document.querySelectorAll('.curves')].flatMap(f=>{const s=f.querySelector('.plot'),list=f.querySelector('.ends');if(!s||!list)return[];
  const chart=s.getBoundingClientRect();if(!chart.width)return[];const all=[...list.children].map(e=>[e.textContent,e.getBoundingClientRect()]);
  const aside=list.getBoundingClientRect().left>=chart.right-2,many=list.classList.contains('many');
  const lost=aside&&!many?all.filter(([,r])=>r.top<chart.top-24||r.bottom>chart.bottom+24).map(([t])=>'outside: '+t):[];
  const over=aside?all.flatMap(([t,r],i)=>all.slice(i+1).filter(([,q])=>r.top<q.bottom-3&&q.top<r.bottom-3).map(([u])=>t+' over '+u)):[];
  return [...lost,...over]})"""
# what is said at a moment stands between the chart's title and its frame
COVERS = """[...document.querySelectorAll('svg[data-chart]')].flatMap(s=>{if(!s.getBoundingClientRect().width)return[];
  const frame=s.querySelector('.near .axis').getBoundingClientRect().top,
    above=Math.max(...[...s.closest('figure').querySelectorAll('figcaption, .key')].map(e=>e.getBoundingClientRect().bottom));
  return [...s.querySelectorAll('.cursor text')].map(t=>[t.textContent,t.getBoundingClientRect()])
    .filter(([,r])=>r.bottom>frame+1||r.top<above-3).map(([text,r])=>'covers: '+text)})"""
UNSAID = """[...document.querySelectorAll('svg:not([aria-hidden]), canvas')].filter(e=>!e.closest('[aria-hidden]')&&!e.parentElement.closest('svg')&&
  !((e.getAttribute('aria-label')||'').length>8)).length"""
# charts of numbers say what the numbers reach
NO_RANGE = """[...document.querySelectorAll('svg.plot')].map(e=>e.getAttribute('aria-label')||'').filter(t=>!/\\d/.test(t.split(':').slice(1).join(':'))&&!/no points/.test(t))"""
# every number grouped alike: no run of five digits before a point in what is read
UNGROUPED = """[...document.querySelectorAll('p, td, h1, h2, figcaption')].filter(e=>!e.closest('pre,details')).map(e=>e.textContent)
  .flatMap(t=>t.match(/(?<![\\w.\\u202f])\\d{5,}(?![\\w])/g)||[]).slice(0,4)"""


def run(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def pages(folder):
    """One of each kind, with the robots that ship."""
    run(source / "tools/sample-pages", program, folder, 8)  # of as many curves as the site's chains, with fewer points
    robots, shown = source / "robots", folder
    run(program, "simulate", robots / "arm.urdf", "--forward", "--seconds", 1.2, "--rate", 200, "-o", folder / "arm.csv", "--report", shown / "fall.html")
    run(program, "solve", robots / "arm.urdf", "--sensors", "inverse-dynamics", "--log", robots / "arm.csv", "-o", folder / "a.csv")
    run(program, "solve", robots / "arm.urdf", "--sensors", "inverse-dynamics", "--log", robots / "arm.csv", "-o", folder / "b.csv",
        "--report", shown / "beside.html", "--beside", folder / "a.csv")
    (folder / "walk.json").write_text("""{"sensors": [{"name": "trunk", "type": "gyroscope", "link": "trunk", "sigma": 0.01},
      {"name": "weight", "type": "accelerometer", "link": "trunk", "sigma": 0.1},
      {"name": "angles", "type": "joint_position", "joint": "*", "sigma": 0.001}]}""")
    run(program, "simulate", robots / "quadruped.urdf", "--floating", "--seconds", 2, "--rate", 100, "--sensors", folder / "walk.json", "-o", folder / "walk.csv")
    run(program, "track", robots / "quadruped.urdf", "--floating", "--sensors", folder / "walk.json", "--log", folder / "walk.csv", "--sd", "-o",
        folder / "tracked.csv", "--report", shown / "track.html")
    return [*sorted(shown.glob("*.html")), source / "docs/two-feet.html"]


def first_page_reaches(pdf):
    """Of the first page's height the share down to the lowest stroke, area or letter; and how many pages there are.

    Chromium's pages are plain streams of operators: `cm`, `q`, `Q`, paths, and text matrices (PDF 32000-1, 8.2)."""
    pages_ = re.findall(rb"/Type\s*/Page\b(?!s).*?/Contents\s+(\d+)\s+0\s+R", pdf, re.S) or re.findall(
        rb"/Contents\s+(\d+)\s+0\s+R", pdf)
    box = re.search(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)", pdf)
    tall = float(box.group(2))
    number = pages_[0].decode()
    at = re.search(rb"(?:^|\n)" + number.encode() + rb" 0 obj.*?stream\r?\n", pdf, re.S)
    text = zlib.decompressobj().decompress(pdf[at.end():]).decode("latin-1")
    lowest, matrix, kept, stack = tall, (1, 0, 0, 1, 0, 0), [], []

    def times(a, b):  # a, then b
        return (a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
                a[4] * b[0] + a[5] * b[2] + b[4], a[4] * b[1] + a[5] * b[3] + b[5])

    drawn = []  # heights of the path so far
    for word in re.findall(r"<[^>]*>|\((?:\\.|[^\\)])*\)|[^\s<(\[\]]+", text):
        try:
            stack.append(float(word))
            continue
        except ValueError:
            pass
        height = lambda x, y: matrix[1] * x + matrix[3] * y + matrix[5]  # noqa: B023, E731
        if word == "q":
            kept.append(matrix)
        elif word == "Q" and kept:
            matrix = kept.pop()
        elif word == "cm" and len(stack) >= 6:
            matrix = times(tuple(stack[-6:]), matrix)
        elif word in ("m", "l") and len(stack) >= 2:
            drawn.append(height(*stack[-2:]))
        elif word == "c" and len(stack) >= 6:
            drawn.append(height(*stack[-2:]))
        elif word == "S" or word == "B":  # strokes alone: areas may be the paper's colour
            lowest = min([lowest, *(y for y in drawn if y >= 0)])
        elif word == "Tm" and len(stack) >= 6:
            lowest = min(lowest, height(*stack[-2:]))
        if word in ("n", "f", "f*", "S", "B", "W"):
            drawn = [] if word != "W" else drawn
        stack = []
    return 1 - max(lowest, 0) / tall, len(pages_)


def seen(shown, width, dark):
    """What is wrong in a window of that width."""
    shown.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    shown.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
    shown.value("new Promise(done=>requestAnimationFrame(()=>setTimeout(done,50)))")
    shown.value(MOMENT)
    wrong = []
    if (wide := shown.value("document.documentElement.scrollWidth") - width) > 0:
        wrong.append(f"{wide} pixels too wide")
    if small := [(text, round(size, 1)) for text, size in shown.value(TEXTS) if size < LEAST_TEXT]:
        wrong.append(f"{len(small)} small texts, {small[:4]}")
    for what in (OUTSIDE, NAMES, COVERS):
        if lost := shown.value(what):
            wrong.append(f"{lost[:4]}")
    return [f"{width}: {text}" for text in wrong]


def said(shown):
    """What is wrong in words: for those who do not see, numbers, the moment that all charts show."""
    wrong = []
    if unsaid := shown.value(UNSAID):
        wrong.append(f"{unsaid} figures without a word")
    if unsaid := shown.value(NO_RANGE):
        wrong.append(f"no range: {unsaid[:3]}")
    if ungrouped := shown.value(UNGROUPED):
        wrong.append(f"numbers without groups: {ungrouped}")
    loaded = shown.value("performance.getEntriesByType('resource').map(e=>e.name)")
    if loaded := [name for name in loaded if not name.startswith(("data:", "blob:"))]:
        wrong.append(f"loads {loaded[:3]}")
    shown.value(MOMENT)
    if squeezed := shown.value("document.querySelectorAll('.cursor [textLength]').length"):
        wrong.append(f"{squeezed} squeezed texts at a moment")
    return wrong


def check(page, within):
    with Page(page, WIDTHS[0], 900, within=within) as shown:
        # before what is folded away is opened
        share, count = first_page_reaches(base64.b64decode(shown.call("Page.printToPDF", printBackground=True)["data"]))
        wrong = [f"printed: the first of {count} pages is full down to {100 * share:.0f} %"] if count > 1 and share < 0.6 else []
        shown.value("document.querySelectorAll('details').forEach(d=>{if(!d.querySelector('pre'))d.open=true})")
        for width in WIDTHS:
            wrong += seen(shown, width, dark=width in (800, 1600))
        return wrong + said(shown) + shown.faults()


with tempfile.TemporaryDirectory() as name, Browser(WIDTHS[0], 900) as within:
    bad = {page.name: wrong for page in pages(pathlib.Path(name)) if (wrong := check(page, within))}
    for page, wrong in bad.items():
        print(page, *map(str, wrong), sep="\n  ")
    assert not bad
print("every page fits, says what it shows, and can be printed")
