"""Overloads in the stub of the C++ module: stub_overloads.py STUB OUT. What takes on_error returns its result, or with 'nan' an Answer of it."""

import ast
import pathlib
import sys

CHOICE = "Literal['raise', 'nan']"


def overloaded(node: ast.FunctionDef, lines: list[str]) -> list[str] | None:
    """The lines of both signatures, or None where the function has but one."""
    names = [argument.arg for argument in node.args.kwonlyargs]
    result = ast.unparse(node.returns) if node.returns else "Any"
    if "on_error" not in names or result == "Any":
        return None
    at = names.index("on_error")
    if ast.unparse(node.args.kwonlyargs[at].annotation) != CHOICE:
        return None
    body = lines[node.body[0].lineno - 1 : node.end_lineno]
    made = []
    for choice, given, returned in (("Literal['raise']", node.args.kw_defaults[at], result), ("Literal['nan']", None, f"Answer[{result}]")):
        node.args.kwonlyargs[at].annotation = ast.parse(choice, mode="eval").body
        node.args.kw_defaults[at] = given
        made += ["@overload", f"def {node.name}({ast.unparse(node.args)}) -> {returned}:", *body, ""]
    return made


def main() -> None:
    text = pathlib.Path(sys.argv[1]).read_text()
    lines = text.split("\n")
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef) and (made := overloaded(node, lines)):
            lines[node.lineno - 1 : node.end_lineno] = made
    pathlib.Path(sys.argv[2]).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
