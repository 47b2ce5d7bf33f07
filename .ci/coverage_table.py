#!/usr/bin/env python3
"""Lines that ran, by layer: coverage_table.py BUILD [--lines LAYER], after the tests of a build with g++ --coverage.

A line counts once, however many files and templates compile it, and has run if any of them ran it. --lines: those of a layer
that did not run. Exit 1 where a layer is below its bound.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
READERS = {"io", "json", "urdf"}


def bound(layer: str) -> float:
    return 0.95 if layer in READERS else 0.9


def layer_of(file: str) -> str | None:
    """src/LAYER/… or include/sparsedyn/LAYER/…; None for what is not the library's."""
    try:
        parts = pathlib.Path(file).resolve().relative_to(ROOT).parts
    except ValueError:
        return None
    inside = parts[1:] if parts[0] == "src" else parts[2:] if parts[:2] == ("include", "sparsedyn") else ()
    return inside[0] if len(inside) > 1 else None


def counts(build: pathlib.Path) -> dict[str, dict[int, int]]:
    """Of each file of a layer the executions of its lines."""
    found: dict[str, dict[int, int]] = collections.defaultdict(dict)
    data = [str(path.resolve()) for path in build.rglob("*.gcda")]
    for start in range(0, len(data), 20):
        texts = subprocess.run(["gcov", "--json-format", "--stdout", *data[start : start + 20]], cwd=build, check=True, capture_output=True, text=True).stdout
        for text in texts.splitlines():
            report = json.loads(text) if text.startswith("{") else {"files": []}
            for entry in report["files"]:
                file = str((pathlib.Path(report["current_working_directory"]) / entry["file"]).resolve())
                if layer_of(file):
                    for line in entry["lines"]:
                        number = line["line_number"]
                        found[file][number] = found[file].get(number, 0) + line["count"]
    return found


def main() -> int:
    build, wanted = pathlib.Path(sys.argv[1]), sys.argv[3] if sys.argv[2:3] == ["--lines"] else None
    found = counts(build)
    if not found:
        print(f"coverage: {build}: no line of a layer ran; expected the tests of a build with --coverage", file=sys.stderr)
        return 1
    layers: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for file, lines in found.items():
        layer = layer_of(file)
        layers[layer][0] += sum(count > 0 for count in lines.values())
        layers[layer][1] += len(lines)
        if layer == wanted:
            for number in sorted(n for n, count in lines.items() if count == 0):
                print(f"{pathlib.Path(file).relative_to(ROOT)}:{number}")
    low = 0
    for layer, (ran, all_lines) in sorted(layers.items()):
        short = ran < bound(layer) * all_lines
        low += short
        if wanted is None:
            print(f"{layer:16} {ran:6} of {all_lines:6} lines  {100 * ran / all_lines:5.1f} %{'   expected ' + format(bound(layer), '.0%') if short else ''}")
    return 1 if low and wanted is None else 0


if __name__ == "__main__":
    sys.exit(main())
