"""Programs as functions of CasADi, with exact first and second derivatives of inverse and forward dynamics.

CasADi finds derivatives of an external function by name: jac_NAME (the Jacobian's blocks), adj1_NAME (J^T lambda) and
jac_adj1_NAME (the Hessian of lambda^T f). They are written here around generated programs: first derivatives are those of
rnea-derivatives and aba-derivatives; second ones contract the tensors of rnea-second-derivatives with lambda. For forward
dynamics a(q, v, tau), differentiating tau = ID(q, v, a) twice gives

    lambda^T d2a/dx dy = - Z_x^T K Z_y,     K = d2(w^T ID)/d(q, v, a)^2 at w = M^-1 lambda,  Z = d(q, v, a)/d(q, v, tau).

CasADi stores matrices column by column.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import shlex
import subprocess
import tempfile
import warnings
from typing import TYPE_CHECKING, Any

from ._errors import CompilerFailure, SparsedynWarning

if TYPE_CHECKING:
    from ._program import Program

DENSE, VECTOR, EMPTY, NOTHING = range(4)  # n × n; n; n × n without entries; n without entries


def _contraction(tensors: Program, name: str) -> str:
    """C: K (3n × 3n, row by row, in (q, v, a)) = sum_a w_a d2 tau_a."""
    text, calls = "", ""
    places = {"d2tau_dqdq": (0, 0), "d2tau_dqdv": (0, 1), "d2tau_dvdv": (1, 1), "dM_dq": (2, 0)}
    offset = 0
    for port in tensors.manifest["outputs"]:
        entries = [tuple(int(i) for i in element.split(".")[1:]) for element in port["elements"]]
        rows = ", ".join(f"{{{a}, {b}, {c}}}" for a, b, c in entries) or "{0, 0, 0}"
        text += f"static const short {name}_{port['name']}[][3] = {{{rows}}};\n"
        row, column = places[port["name"]]
        calls += f"  {name}_add({name}_{port['name']}, {len(entries)}, values + {offset}, w, {row}, {column}, K);\n"
        calls = calls.replace("values + 0,", "values,")
        offset += len(entries)
    pointers, at = [], 0
    for port in tensors.manifest["outputs"]:
        pointers.append(f"values + {at}")
        at += len(port["elements"])
    return text + f"""
/* K[row, column] += w_a entry[a, b, c]; off the diagonal its mirror image too. */
static void {name}_add(const short (*index)[3], int count, const double *value, const double *w, int row, int column, double *K) {{
  for (int i = 0; i < count; ++i) {{
    const double x = w[index[i][0]] * value[i];
    const int r = row * N + index[i][1], c = column * N + index[i][2];
    K[r * 3 * N + c] += x;
    if (row != column) K[c * 3 * N + r] += x;
  }}
}}

static int {name}_contract(const double *q, const double *v, const double *a, const double *w, double *values, double *K) {{
  const double *arg[3] = {{q, v, a}};
  double *res[4] = {{{', '.join(pointers)}}};
  for (int i = 0; i < 9 * N * N; ++i) K[i] = 0;
  if ({tensors.name}(arg, res, 0, 0, 0)) return 1;
{calls}  return 0;
}}
"""


def _interface(name: str, inputs: list[int], outputs: list[int], numbers: str) -> str:
    """What CasADi asks a function for."""

    def list_of(kinds: list[int]) -> str:
        return "".join(f"    case {k}: return sparsity[{kind}];\n" for k, kind in enumerate(kinds))

    return f"""
long long {name}_n_in(void) {{ return {len(inputs)}; }}
long long {name}_n_out(void) {{ return {len(outputs)}; }}
const long long *{name}_sparsity_in(long long i) {{
  switch (i) {{
{list_of(inputs)}    default: return 0;
  }}
}}
const long long *{name}_sparsity_out(long long i) {{
  switch (i) {{
{list_of(outputs)}    default: return 0;
  }}
}}
int {name}_work(long long *sz_arg, long long *sz_res, long long *sz_iw, long long *sz_w) {{
  if (sz_arg) *sz_arg = {len(inputs) + 8};
  if (sz_res) *sz_res = {len(outputs) + 8};
  if (sz_iw) *sz_iw = 0;
  if (sz_w) *sz_w = {numbers};
  return 0;
}}
"""


def _derivatives(program: Program, first: Program, tensors: Program) -> str:
    """C text of jac_NAME, adj1_NAME and jac_adj1_NAME."""
    name, n = program.name, program._robot.nv
    entries = sum(len(port["elements"]) for port in tensors.manifest["outputs"])
    order = [port["name"] for port in first.manifest["outputs"]]
    by_input = {"rnea": ("dtau_dq", "dtau_dv", "M"), "aba": ("dddq_dq", "dddq_dv", "dddq_dtau")}[str(program._algorithm)]
    jacobian = ", ".join(f"J + {by_input.index(p)} * N * N" if p in by_input else "rest" for p in order)
    zero_columns = ", ".join("0" for _ in range(n + 1))
    if program._algorithm == "rnea":
        second = f"""  if ({name}_contract(arg[0], arg[1], arg[2], lambda, values, K)) return 1;
  for (int i = 0; i < 9 * N * N; ++i) H[i] = K[i];
"""
    else:
        second = f"""  const double *minv = J + 2 * N * N;
  double *res_a[1] = {{a}};
  if ({name}(arg, res_a, 0, 0, 0)) return 1;
  for (int i = 0; i < N; ++i) {{
    w_id[i] = 0;
    for (int k = 0; k < N; ++k) w_id[i] -= minv[i * N + k] * lambda[k];
  }}
  if ({name}_contract(arg[0], arg[1], a, w_id, values, K)) return 1;
  /* H = Z^T K Z, the sign being in w_id; Z = [1 0 0; 0 1 0; J] */
  for (int r = 0; r < 3 * N; ++r)
    for (int c = 0; c < 3 * N; ++c) {{
      double x = c < 2 * N ? K[r * 3 * N + c] : 0;
      for (int k = 0; k < N; ++k) x += K[r * 3 * N + 2 * N + k] * J[(c / N) * N * N + k * N + c % N];
      KZ[r * 3 * N + c] = x;
    }}
  for (int r = 0; r < 3 * N; ++r)
    for (int c = 0; c < 3 * N; ++c) {{
      double x = r < 2 * N ? KZ[r * 3 * N + c] : 0;
      for (int k = 0; k < N; ++k) x += J[(r / N) * N * N + k * N + r % N] * KZ[(2 * N + k) * 3 * N + c];
      H[r * 3 * N + c] = x;
    }}
"""
    reads = len(first.inputs)
    text = f"""
#define N {n}
static const long long sparsity_dense[] = {{N, N, 1}}, sparsity_vector[] = {{N, 1, 1}};
static const long long sparsity_empty[] = {{N, N, {zero_columns}}}, sparsity_nothing[] = {{N, 1, 0, 0}};
static const long long *const sparsity[] = {{sparsity_dense, sparsity_vector, sparsity_empty, sparsity_nothing}};
{_contraction(tensors, name)}
/* J: three matrices by q, v and the third input, row by row */
static int {name}_jacobian(const double **arg, double *J, double *rest) {{
  const double *in[{reads}];
  double *res[{len(order)}] = {{{jacobian}}};
  for (int k = 0; k < {reads}; ++k) in[k] = arg[k];
  (void)rest;
  return {first.name}(in, res, 0, 0, 0);
}}

int jac_{name}(const double **arg, double **res, long long *iw, double *w, int mem) {{
  (void)iw, (void)mem;
  double *J = w, *rest = w + 3 * N * N;
  if ({name}_jacobian(arg, J, rest)) return 1;
  for (int k = 0; k < 3; ++k)
    if (res[k])
      for (int r = 0; r < N; ++r)
        for (int c = 0; c < N; ++c) res[k][c * N + r] = J[k * N * N + r * N + c];
  return 0;
}}

int adj1_{name}(const double **arg, double **res, long long *iw, double *w, int mem) {{
  (void)iw, (void)mem;
  double *J = w, *rest = w + 3 * N * N;
  const double *lambda = arg[4];
  if ({name}_jacobian(arg, J, rest)) return 1;
  for (int k = 0; k < 3; ++k)
    if (res[k])
      for (int c = 0; c < N; ++c) {{
        res[k][c] = 0;
        for (int r = 0; lambda && r < N; ++r) res[k][c] += J[k * N * N + r * N + c] * lambda[r];
      }}
  return 0;
}}

int jac_adj1_{name}(const double **arg, double **res, long long *iw, double *w, int mem) {{
  (void)iw, (void)mem;
  static const double none[N];
  double *J = w, *rest = J + 3 * N * N, *K = rest + N, *KZ = K + 9 * N * N, *H = KZ + 9 * N * N, *a = H + 9 * N * N, *w_id = a + N;
  double *values = w_id + N;
  const double *lambda = arg[4] ? arg[4] : none;
  (void)KZ, (void)a, (void)w_id;
  if ({name}_jacobian(arg, J, rest)) return 1;
{second}  for (int x = 0; x < 3; ++x) {{
    for (int y = 0; y < 3; ++y)
      if (res[5 * x + y])
        for (int r = 0; r < N; ++r)
          for (int c = 0; c < N; ++c) res[5 * x + y][c * N + r] = H[(x * N + r) * 3 * N + y * N + c];
    if (res[5 * x + 4])
      for (int r = 0; r < N; ++r)
        for (int c = 0; c < N; ++c) res[5 * x + 4][c * N + r] = J[x * N * N + c * N + r];
  }}
  return 0;
}}
"""
    state = [VECTOR, VECTOR, VECTOR, NOTHING]
    text += _interface(f"jac_{name}", state, [DENSE] * 3, "3 * N * N + N")
    text += _interface(f"adj1_{name}", [*state, VECTOR], [VECTOR] * 3, "3 * N * N + N")
    adjoint = [*state, VECTOR, NOTHING, NOTHING, NOTHING]
    row = [DENSE, DENSE, DENSE, EMPTY, DENSE]  # by q, v, the third, the nominal result, lambda
    return text + _interface(f"jac_adj1_{name}", adjoint, row * 3, f"30 * N * N + 3 * N + {entries}") + "#undef N\n"


def _library(text: str, headers: dict[str, str]) -> str:
    """The text as a shared library in the user's cache."""
    command = [*shlex.split(os.environ.get("CC", "cc")), "-std=c99", "-O2", "-fPIC", "-shared"]
    key = hashlib.sha256("\0".join([*command, text]).encode()).hexdigest()[:24]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = pathlib.Path(base) / "sparsedyn"
    path = folder / f"casadi-{key}.so"
    if path.exists():
        return str(path)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, header in headers.items():
            pathlib.Path(scratch, name).write_text(header, encoding="utf-8")
        source = pathlib.Path(scratch, "program.c")
        source.write_text(text, encoding="utf-8")
        part = folder / f"casadi-{key}.{os.getpid()}.part"
        try:
            done = subprocess.run([*command, str(source), "-o", str(part), "-lm"], capture_output=True, text=True, check=False)
        except OSError as error:
            raise CompilerFailure(f"{command[0]!r}: {error}") from None
        if done.returncode:
            raise CompilerFailure(f"{command[0]!r} failed: {done.stderr.strip().splitlines()[:3]}")
        os.replace(part, path)
    return str(path)


def function(program: Program) -> Any:
    """The program as a casadi.Function; see Program.casadi."""
    import casadi

    from ._program import generate

    robot, parts = program._robot, [program]
    derived = program._algorithm in ("rnea", "aba")
    text = ""
    if derived and robot.nq != robot.nv:
        warnings.warn(f"{program.name}: without derivatives, for {robot.name}'s q has quaternions", SparsedynWarning, stacklevel=3)
        derived = False
    if derived:
        first = generate(robot, f"{program._algorithm}-derivatives", name=f"{program.name}_first")
        tensors = generate(robot, "rnea-second-derivatives", name=f"{program.name}_second")
        parts += [first, tensors]
        text = _derivatives(program, first, tensors)
    source = "\n".join(part.source for part in parts) + text
    library = _library(source, {f"{part.name}.h": part.header for part in parts})
    plain = casadi.external(program.name, library)
    if all(len(shape) == 1 for _, shape in program._outputs):
        return plain
    arguments = [casadi.MX.sym(name, *shape) for name, shape in program._inputs]
    results = [plain(*arguments)] if len(program._outputs) == 1 else list(plain(*arguments))
    shaped = [casadi.reshape(x, shape[1], shape[0]).T if len(shape) == 2 else x for x, (_, shape) in zip(results, program._outputs)]
    return casadi.Function(program.name, arguments, shaped, list(program.inputs), list(program.outputs))
