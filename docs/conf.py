# The documentation site: Sphinx with MyST reads the Markdown of this folder as it is. `tools/docs` builds it.
import importlib.util
import os
import re
from pathlib import Path

root = Path(__file__).resolve().parent.parent
project = "sparsedyn"
copyright = "the sparsedyn authors, BSD-3-Clause"
release = re.search(r'version = "([^"]+)"', (root / "include/sparsedyn/version.hpp").read_text())[1]
extensions = ["myst_parser", "sphinx.ext.doctest"]
exclude_patterns = ["requirements.txt"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = f"sparsedyn {release}"
html_extra_path = ["two-feet.html"]
extra = os.environ.get("SPARSEDYN_EXTRA")  # a folder with samples/, where the program is built (tools/sample-pages)
if extra:
    html_extra_path.append(extra)
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"source_repository": "", "navigation_with_keys": True}
templates_path = []
suppress_warnings = ["misc.highlighting_failure"]  # sessions of shells are no language
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures: NumPy's pages are not here

# What the Python package says of itself, where it is built (PYTHONPATH=build/python).
if importlib.util.find_spec("sparsedyn"):
    extensions += ["sphinx.ext.autodoc"]
    autodoc_typehints = "none"
    autodoc_member_order = "bysource"
    tags.add("package")  # noqa: F821: Sphinx puts it here
else:
    exclude_patterns.append("python-api.md")


def sessions_are_tests(app, doctree):
    """Blocks that are sessions of Python (```pycon) are run by the doctest builder."""
    from docutils import nodes

    for block in doctree.findall(nodes.literal_block):
        if block.get("language") == "pycon":
            block["testnodetype"] = "doctest"
            block["groups"] = ["default"]


def docstrings_are_plain_text(app, what, name, obj, options, lines):
    """They are written to be read in a terminal: `code` is code, columns stay columns, and no other sign means anything."""
    out = []
    for paragraph in "\n".join(lines).strip("\n").split("\n\n"):
        rows = paragraph.split("\n")
        if paragraph.startswith(">>>"):
            out += rows
        elif any(row.startswith(" ") or re.search(r"\S {2,}\S", row) for row in rows):
            out += ["::", ""] + ["    " + row for row in rows]
        else:
            for row in rows:
                parts = re.split(r"`([^`]+)`", row)
                parts[::2] = [re.sub(r"([\\*|_`])", r"\\\1", text) for text in parts[::2]]
                parts[1::2] = [f"\\ ``{code.strip()}``\\ " for code in parts[1::2]]
                out.append("".join(parts))
        out.append("")
    lines[:] = out


def every_page_is_listed(app, name, source):
    """Pages of this folder that the start page does not list yet come last in it."""
    if name == "index":
        listed = source[0]
        rest = [page.stem for page in sorted(Path(__file__).parent.glob("*.md")) if page.stem != "index" and
                not re.search(rf"^{re.escape(page.stem)}$", listed, re.M) and page.name not in exclude_patterns]
        if rest:
            source[0] += "\n```{toctree}\n:hidden:\n:caption: More\n\n" + "\n".join(rest) + "\n```\n"


def samples_are_linked(app, name, source):
    """Where they were made: titles as the pages have them, in the place that the page of reports keeps."""
    if name == "reports":
        pages = sorted(Path(extra).glob("samples/*.html")) if extra else []
        titles = [re.search(r"<title>(.*?)</title>", page.read_text())[1] for page in pages]
        links = [f'<a href="samples/{page.name}">{title}</a>' for page, title in zip(pages, titles)]
        source[0] = source[0].replace("<!-- samples -->", "Samples, made with this site: " + "; ".join(links) + "." if links else "")


COMMAND = re.compile(r"(\$ )?(sparsedyn|build/|\./|tools/|bench/|python|pip |cmake |PYTHONPATH=)")


def commands_are_wrapped(app, doctree):
    """Blocks of commands, and of what they print, break their lines; equations and programs keep theirs."""
    from docutils import nodes

    for block in doctree.findall(nodes.literal_block):
        if block.get("language") in ("sh", "text", "console") or COMMAND.match(block.astext()):
            block["classes"].append("wrapped")


def style_is_added(app, name, template, context, doctree):
    """Room for a command of 115 characters on a wide screen."""
    context["metatags"] = context.get("metatags", "") + (
        "<style>.wrapped pre{white-space:pre-wrap;overflow-wrap:anywhere}@media(min-width:97em){.content{width:56em}}</style>")


def setup(app):
    app.connect("doctree-read", commands_are_wrapped)
    app.connect("html-page-context", style_is_added)
    if "sphinx.ext.autodoc" in extensions:
        app.connect("autodoc-process-docstring", docstrings_are_plain_text)
    app.connect("source-read", every_page_is_listed)
    app.connect("source-read", samples_are_linked)
    app.connect("doctree-read", sessions_are_tests)
