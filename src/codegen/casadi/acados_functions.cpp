// The shapes of acados' functions, matrices column by column:
//   NAME_expl_ode_fun        (x, u, p)                  -> ẋ
//   NAME_expl_vde_forw       (x, Sx, Su, u, p)          -> ẋ, A Sx, A Su + B
//   NAME_expl_vde_adj        (x, λ, u, p)               -> λᵀ[A B]
//   NAME_expl_ode_hess       (x, Sx, Su, λ, u, p)       -> λᵀ[A B], the lower triangle of Sᵀ H S, S = (Sx Su; 0 1)
//   NAME_dyn_disc_phi_fun              (x, u, p)        -> x⁺
//   NAME_dyn_disc_phi_fun_jac          (x, u, p)        -> x⁺, [B A]ᵀ
//   NAME_dyn_disc_phi_fun_jac_hess     (x, u, λ, p)     -> x⁺, [B A]ᵀ, H by (u, x)
#include "acados_functions.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "casadi_interface.hpp"
#include "codegen/kernel/emit_kernel.hpp"
#include "codegen/programs/coordinate_tangent.hpp"

namespace sparsedyn {
namespace casadi_text {
namespace {

using Strings = std::vector<std::string>;

const char* const rate_functions = R"(
/* Sx and Su, where they are given, beside each other. */
static void @_seeds(const double *Sx, const double *Su, double *S) {
  for (int k = 0; k < @_X * @_X; ++k) S[k] = Sx ? Sx[k] : 0;
  for (int k = 0; k < @_X * @_U; ++k) S[@_X * @_X + k] = Su ? Su[k] : 0;
}

int @_expl_ode_fun(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  return @(arg, res, iw, w, mem);
}

int @_expl_vde_forw(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  const double *in[3] = {arg[0], arg[3], @_P ? arg[4] : 0};
  double *A = w, *B = A + @_X * @_X, *S = B + @_X * @_U, *out[3] = {res[0], A, B};
  (void)iw, (void)mem;
  @_seeds(arg[1], arg[2], S); /* all that is given is read before the first result is written */
  if (@_first(in, out, 0, 0, 0)) return 1;
  for (int c = 0; c < @_Z; ++c) {
    const double *s = S + c * @_X;
    double *to = c < @_X ? res[1] : res[2];
    if (!to) continue;
    to += (c < @_X ? c : c - @_X) * @_X;
    for (int r = 0; r < @_X; ++r) {
      double sum = c < @_X ? 0 : B[r * @_U + c - @_X];
      for (int k = 0; k < @_X; ++k) sum += A[r * @_X + k] * s[k];
      to[r] = sum;
    }
  }
  return 0;
}

int @_expl_vde_adj(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  const double *in[4] = {arg[0], arg[2], arg[1], @_P ? arg[3] : 0};
  (void)iw, (void)w, (void)mem;
  return @_gradient(in, res, 0, 0, 0);
}

int @_expl_ode_hess(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  const double *in[4] = {arg[0], arg[4], arg[3], @_P ? arg[5] : 0};
  double *values = w, *S = values + @_ENTRIES, *t = S + @_X * @_Z, *out[2] = {res[0], values}, *to = res[1];
  (void)iw, (void)mem;
  @_seeds(arg[1], arg[2], S);
  if (@_second(in, out, 0, 0, 0)) return 1;
  for (int c = 0; to && c < @_Z; ++c) {
    const double *s = S + c * @_X;
    for (int k = 0; k < @_Z; ++k) t[k] = 0;
    for (int e = 0; e < @_ENTRIES; ++e) {
      const int i = @_entries[e][0], k = @_entries[e][1];
      t[i] += values[e] * (k < @_X ? s[k] : k == c);
      if (i != k) t[k] += values[e] * (i < @_X ? s[i] : i == c);
    }
    for (int r = c; r < @_Z; ++r) {
      double sum = r < @_X ? 0 : t[r];
      for (int k = 0; k < @_X; ++k) sum += S[r * @_X + k] * t[k];
      *to++ = sum;
    }
  }
  return 0;
}
)";

const char* const step_functions = R"(
/* Its place among (u, x), of one among (x, u). */
static int @_place(int z) { return z < @_X ? z + @_U : z - @_X; }

static void @_columns(const double *A, const double *B, double *to) {
  for (int r = 0; to && r < @_X; ++r) {
    for (int k = 0; k < @_U; ++k) *to++ = B[r * @_U + k];
    for (int k = 0; k < @_X; ++k) *to++ = A[r * @_X + k];
  }
}

int @_dyn_disc_phi_fun(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  const double *in[4] = {arg[0], arg[1], arg[2], @_P && arg[2] ? arg[2] + 1 : 0};
  return @(in, res, iw, w, mem);
}

int @_dyn_disc_phi_fun_jac(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  const double *in[4] = {arg[0], arg[1], arg[2], @_P && arg[2] ? arg[2] + 1 : 0};
  double *A = w, *B = A + @_X * @_X, *out[3] = {res[0], A, B};
  (void)iw, (void)mem;
  if (@_first(in, out, 0, 0, 0)) return 1;
  @_columns(A, B, res[1]);
  return 0;
}

int @_dyn_disc_phi_fun_jac_hess(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  const double *in[5] = {arg[0], arg[1], arg[3], arg[2], @_P && arg[3] ? arg[3] + 1 : 0};
  double *A = w, *B = A + @_X * @_X, *values = B + @_X * @_U, *out[4] = {res[0], A, B, values}, *to = res[2];
  (void)iw, (void)mem;
  if (@_second(in, out, 0, 0, 0)) return 1;
  @_columns(A, B, res[1]);
  for (int k = 0; to && k < @_Z * @_Z; ++k) to[k] = 0;
  for (int e = 0; to && e < @_ENTRIES; ++e) {
    if (@_entries[e][0] >= @_Z) continue; /* by dt */
    const int i = @_place(@_entries[e][0]), k = @_place(@_entries[e][1]);
    to[i * @_Z + k] = to[k * @_Z + i] = values[e];
  }
  return 0;
}
)";

/// Rows and columns of H.i.k.
std::string entries_of(const Port& H) {
  std::string text;
  for (const std::string& name : H.elements) {
    const std::size_t dot = name.rfind('.');
    text += (text.empty() ? "{" : ", {") + name.substr(2, dot - 2) + ", " + name.substr(dot + 1) + "}";
  }
  return "static const short @_entries[][2] = {" + (text.empty() ? "{0, 0}" : text) + "};\n";
}

/// A function: its name behind NAME_, the shapes of what goes in and comes out, the numbers of scratch.
struct AcadosFunction {
  std::string name;
  Shapes in, out;
  std::string numbers;
};

std::vector<AcadosFunction> functions_of_rate(int x, int u, int p) {
  const Shape state{x, 1, true}, control{u, 1, true}, given{p, 1, true}, Sx{x, x, true}, Su{x, u, true};
  const int z = x + u;
  const Shape gradient{z, 1, true}, triangle{z * (z + 1) / 2, 1, true};
  return {{"expl_ode_fun", {state, control, given}, {state}, "0"},
          {"expl_vde_forw", {state, Sx, Su, control, given}, {state, Sx, Su}, "2 * @_X * @_Z"},
          {"expl_vde_adj", {state, state, control, given}, {gradient}, "0"},
          {"expl_ode_hess", {state, Sx, Su, state, control, given}, {gradient, triangle}, "@_ENTRIES + @_X * @_Z + @_Z"}};
}

std::vector<AcadosFunction> functions_of_step(int x, int u, int p) {
  const Shape state{x, 1, true}, control{u, 1, true}, given{p + 1, 1, true}, slopes{x + u, x, true},
      hessian{x + u, x + u, true};
  return {{"dyn_disc_phi_fun", {state, control, given}, {state}, "0"},
          {"dyn_disc_phi_fun_jac", {state, control, given}, {state, slopes}, "@_X * @_Z"},
          {"dyn_disc_phi_fun_jac_hess", {state, control, state, given}, {state, slopes, hessian}, "@_X * @_Z + @_ENTRIES"}};
}

Shapes all_shapes(const std::vector<AcadosFunction>& functions) {
  Shapes all;
  for (const AcadosFunction& f : functions)
    for (const Shapes* part : {&f.in, &f.out})
      for (const Shape& shape : *part)
        if (std::find(all.begin(), all.end(), shape) == all.end()) all.push_back(shape);
  return all;
}

}  // namespace
}  // namespace casadi_text

std::string why_no_acados_functions(const Model& model, const std::string& stage) {
  if (stage != "rate" && stage != "semi-implicit") return "functions for acados are of --stage rate and semi-implicit";
  if (!has_additive_coordinates(model)) return "a free base, or a joint of several freedoms";
  return model.nv == 0 ? "no joint moves" : "";
}

std::string acados_integers() {
  return "#ifndef casadi_int\n#define casadi_int int /* as acados has it */\n#endif\n"
         "extern char acados_takes_casadi_int_as_int[sizeof(casadi_int) == sizeof(int) ? 1 : -1]; /* a declaration alone */\n";
}

CasadiDerivatives acados_functions(const Model& model, const std::string& stage, const std::string& name,
                                   const ParameterInputs& parameters) {
  if (const std::string why = why_no_acados_functions(model, stage); !why.empty()) throw std::invalid_argument(why);
  using namespace casadi_text;
  const bool rate = stage == "rate";
  const std::string value = rate ? "xdot" : "x_next";
  const auto kernel = [&](const Strings& outputs) {
    return VectorisedProgram{stage_program(model, stage, outputs, parameters), nullptr};
  };
  const VectorisedProgram first = kernel({value, "A", "B"}),
                          second = kernel(rate ? Strings{"g", "H"} : Strings{value, "A", "B", "H"});
  const int p = static_cast<int>(parameters.nominal.size());
  const std::vector<AcadosFunction> functions =
      rate ? functions_of_rate(2 * model.nv, model.nv, p) : functions_of_step(2 * model.nv, model.nv, p);
  const Shapes shapes = all_shapes(functions);
  const Port& H = second.program.outputs().back();
  Strings names;
  for (const AcadosFunction& f : functions) names.push_back("@_" + f.name);
  std::string own =
      "\n/* What acados calls, with int as its integers. */\ntypedef char @_integers_are_ints[sizeof(casadi_int) == "
      "sizeof(int) ? 1 : -1];\n" +
      declarations(names) + "#define @_X " + std::to_string(2 * model.nv) + "\n#define @_U " + std::to_string(model.nv) +
      "\n#define @_Z (@_X + @_U)\n#define @_P " + std::to_string(p) + "\n#define @_ENTRIES " +
      std::to_string(H.elements.size()) + "\n" + sparsities(shapes) + entries_of(H) + (rate ? rate_functions : step_functions);
  for (const AcadosFunction& f : functions) own += interface("@_" + f.name, f.in, f.out, f.numbers, shapes);
  long operations = first.program.counts().flops() + second.program.counts().flops();
  std::string kernels = within(first, name + "_first") + within(second, name + "_second");
  if (rate) {
    const VectorisedProgram gradient = kernel({"g"});
    kernels += within(gradient, name + "_gradient"), operations += gradient.program.counts().flops();
  }
  return {kernels + named(own, name), {}, operations};
}

}  // namespace sparsedyn
