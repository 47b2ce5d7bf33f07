// CasADi finds derivatives of an external function by name: jac_NAME (the Jacobian's blocks), adj1_NAME (J^T lambda) and
// jac_adj1_NAME (the Hessian of lambda^T f). First derivatives are those of rnea-derivatives and aba-derivatives; second ones
// contract the tensors of rnea-second-derivatives with lambda. For forward dynamics a(q, v, tau), differentiating
// tau = ID(q, v, a) twice gives
//   lambda^T d2a/dx dy = - Z_x^T K Z_y,   K = d2(w^T ID)/d(q, v, a)^2 at w = M^-1 lambda,   Z = d(q, v, a)/d(q, v, tau).
// Derivatives by q are along the tangent, perturbed on the right, in all of these; those by the coordinates follow from
// q + dq = q ⊕ (T dq + ½ D[dq, dq]) (coordinate_tangent.hpp): with g = λᵀ J_q and S the symmetric part of the second
// derivative,
//   J T,    Tᵀ S T + Σ_k g_k D_k,    and Tᵀ on the left of what is by q and another.
// CasADi stores matrices column by column.
#include "casadi_derivatives.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "casadi_interface.hpp"
#include "codegen/kernel/emit_kernel.hpp"
#include "codegen/programs/coordinate_tangent.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {
namespace casadi_text {
namespace {

/// Numbers `a, b, c` of an element `TENSOR.a.b.c`.
std::string entry_of(const std::string& element) {
  return "{" + replaced(element.substr(element.find('.') + 1), ".", ", ") + "}";
}

/// K (3n × 3n, row by row, in (q, v, a)) = Σ_a w_a d²τ_a.
std::string contraction(const Program& tensors) {
  const auto place = [](const std::string& tensor) {
    return tensor == "d2tau_dqdq" ? "0, 0" : tensor == "d2tau_dqdv" ? "0, 1" : tensor == "d2tau_dvdv" ? "1, 1" : "2, 0";
  };
  std::string text, calls, results;
  std::size_t offset = 0;
  for (const Port& port : tensors.outputs()) {
    text += "static const short @_" + port.name + "[][3] = {";
    for (std::size_t e = 0; e < port.elements.size(); ++e)
      text += (e == 0 ? "" : e % 8 ? ", " : ",\n  ") + entry_of(port.elements[e]);
    text += port.elements.empty() ? "{0, 0, 0}};\n" : "};\n";
    const std::string values = "values + " + std::to_string(offset);
    calls += "  @_add(@_" + port.name + ", " + std::to_string(port.elements.size()) + ", " + values + ", w, " +
             place(port.name) + ", K);\n";
    results += (results.empty() ? "" : ", ") + values;
    offset += port.elements.size();
  }
  return text + R"(
/* K[row, column] += w_a entry[a, b, c]; off the diagonal its mirror image too. */
static void @_add(const short (*index)[3], int count, const double *value, const double *w, int row, int column, double *K) {
  for (int i = 0; i < count; ++i) {
    const double x = w[index[i][0]] * value[i];
    const int r = row * @_N + index[i][1], c = column * @_N + index[i][2];
    K[r * 3 * @_N + c] += x;
    if (row != column) K[c * 3 * @_N + r] += x;
  }
}

static int @_contract(const double *q, const double *v, const double *a, const double *w, double *values, double *K) {
  const double *arg[3] = {q, v, a};
  double *res[4] = {)" +
         results + R"(};
  for (int i = 0; i < 9 * @_N * @_N; ++i) K[i] = 0;
  if (@_second(arg, res, 0, 0, 0)) return 1;
)" + calls +
         "  return 0;\n}\n";
}

/// J: three matrices by q, v and the third input, row by row.
std::string jacobian(const Program& first, bool inverse) {
  const std::vector<std::string> by = inverse ? std::vector<std::string>{"dtau_dq", "dtau_dv", "M"}
                                              : std::vector<std::string>{"dddq_dq", "dddq_dv", "dddq_dtau"};
  std::string results;
  for (const Port& port : first.outputs()) {
    const auto k = std::find(by.begin(), by.end(), port.name) - by.begin();
    results += (results.empty() ? "J + " : ", J + ") + std::to_string(k) + " * @_N * @_N";
  }
  return "static int @_jacobian(const double **arg, double *J) {\n  const double *in[3] = {arg[0], arg[1], arg[2]};\n"
         "  double *res[3] = {" +
         results + "};\n  return @_first(in, res, 0, 0, 0);\n}\n";
}

const char* const first_order = R"(
int jac_@(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  double *J = w, *Jq = J + 3 * @_N * @_N;
  @_AT_NORM_ONE(arg);
  (void)iw, (void)mem;
  if (@_jacobian(in, J)) return 1;
  @_BY_COORDINATES(in[0], J, @_N, Jq, Jq + @_N * @_Q);
  if (res[0])
    for (int r = 0; r < @_N; ++r)
      for (int c = 0; c < @_Q; ++c) res[0][c * @_N + r] = Jq[r * @_Q + c] * @_PER(c);
  for (int k = 1; k < 3; ++k)
    if (res[k])
      for (int r = 0; r < @_N; ++r)
        for (int c = 0; c < @_N; ++c) res[k][c * @_N + r] = J[k * @_N * @_N + r * @_N + c];
  return 0;
}

int adj1_@(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  double *J = w, *x = J + 3 * @_N * @_N;
  const double *lambda = arg[4];
  @_AT_NORM_ONE(arg);
  (void)iw, (void)mem;
  if (@_jacobian(in, J)) return 1;
  for (int k = 0; k < 3; ++k)
    if (res[k]) {
      for (int c = 0; c < @_N; ++c) {
        x[c] = 0;
        for (int r = 0; lambda && r < @_N; ++r) x[c] += J[k * @_N * @_N + r * @_N + c] * lambda[r];
      }
      if (k == 0) {
        @_BY_COORDINATES(in[0], x, 1, res[0], x + @_N);
        for (int c = 0; c < @_Q; ++c) res[0][c] *= @_PER(c);
      } else
        for (int c = 0; c < @_N; ++c) res[k][c] = x[c];
    }
  return 0;
}

int jac_adj1_@(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  static const double none[@_N];
  double *J = w, *K = J + 3 * @_N * @_N, *KZ = K + 9 * @_N * @_N, *H = KZ + 9 * @_N * @_N;
  double *a = H + 9 * @_N * @_N, *w_id = a + @_N, *values = w_id + @_N;
  const double *lambda = arg[4] ? arg[4] : none;
  @_AT_NORM_ONE(arg);
  (void)iw, (void)mem, (void)KZ, (void)a, (void)w_id;
  if (@_jacobian(in, J)) return 1;
)";

/// J (rows × n), along the tangent, by the coordinates: out (rows × nq). Scratch: nv nq.
const char* const as_it_is = R"(
static void @_copy(const double *J, int rows, double *out) {
  for (int i = 0; i < rows * @_N; ++i) out[i] = J[i];
}
#define @_BY_COORDINATES(q, J, rows, out, scratch) @_copy(J, rows, out)
)";
const char* const through_tangent = R"(
static void @_by_coordinates(const double *q, const double *J, int rows, double *out, double *T) {
  @_tangent(q, T);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < @_Q; ++c) {
      out[r * @_Q + c] = 0;
      for (int k = 0; k < @_N; ++k) out[r * @_Q + c] += J[r * @_N + k] * T[k * @_Q + c];
    }
}
#define @_BY_COORDINATES(q, J, rows, out, scratch) @_by_coordinates(q, J, rows, out, scratch)
)";

const char* const of_inverse = R"(  if (@_contract(in[0], in[1], in[2], lambda, values, K)) return 1;
  for (int i = 0; i < 9 * @_N * @_N; ++i) H[i] = K[i];
)";

const char* const of_forward = R"(  const double *minv = J + 2 * @_N * @_N;
  double *res_a[1] = {a};
  if (@(in, res_a, 0, 0, 0)) return 1;
  for (int i = 0; i < @_N; ++i) {
    w_id[i] = 0;
    for (int k = 0; k < @_N; ++k) w_id[i] -= minv[i * @_N + k] * lambda[k];
  }
  if (@_contract(in[0], in[1], a, w_id, values, K)) return 1;
  /* H = Z^T K Z, the sign being in w_id; Z = [1 0 0; 0 1 0; J] */
  for (int r = 0; r < 3 * @_N; ++r)
    for (int c = 0; c < 3 * @_N; ++c) {
      double x = c < 2 * @_N ? K[r * 3 * @_N + c] : 0;
      for (int k = 0; k < @_N; ++k) x += K[r * 3 * @_N + 2 * @_N + k] * J[(c / @_N) * @_N * @_N + k * @_N + c % @_N];
      KZ[r * 3 * @_N + c] = x;
    }
  for (int r = 0; r < 3 * @_N; ++r)
    for (int c = 0; c < 3 * @_N; ++c) {
      double x = r < 2 * @_N ? KZ[r * 3 * @_N + c] : 0;
      for (int k = 0; k < @_N; ++k) x += J[(r / @_N) * @_N * @_N + k * @_N + r % @_N] * KZ[(2 * @_N + k) * 3 * @_N + c];
      H[r * 3 * @_N + c] = x;
    }
)";

const char* const kBlocks = R"(  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 3; ++y)
      if (res[5 * x + y])
        for (int r = 0; r < @_N; ++r)
          for (int c = 0; c < @_N; ++c) res[5 * x + y][c * @_N + r] = H[(x * @_N + r) * 3 * @_N + y * @_N + c];
    if (res[5 * x + 4])
      for (int r = 0; r < @_N; ++r)
        for (int c = 0; c < @_N; ++c) res[5 * x + 4][c * @_N + r] = J[x * @_N * @_N + c * @_N + r];
  }
  return 0;
}
)";

/// Z: from changes of (q, v, third) to (δ, v, third), @_N and @_Q long. HZ, then Zᵀ H Z.
const char* const kBlocksByCoordinates = R"(  {
    const int from[3] = {0, @_Q, @_Q + @_N}, size[3] = {@_Q, @_N, @_N}, width = @_Q + 2 * @_N;
    double *T = values + @_SCRATCH, *g = T + @_N * @_Q, *Z = g + @_N, *HZ = Z + 3 * @_N * width, *G = HZ + 3 * @_N * width;
    @_tangent(in[0], T);
    for (int i = 0; i < 3 * @_N * width; ++i) Z[i] = 0;
    for (int r = 0; r < @_N; ++r) {
      for (int c = 0; c < @_Q; ++c) Z[r * width + c] = T[r * @_Q + c];
      Z[(@_N + r) * width + @_Q + r] = Z[(2 * @_N + r) * width + @_Q + @_N + r] = 1;
    }
    for (int r = 0; r < @_N; ++r) /* moving along one freedom and then another is not the other way round */
      for (int c = 0; c < r; ++c)
        H[r * 3 * @_N + c] = H[c * 3 * @_N + r] = (H[r * 3 * @_N + c] + H[c * 3 * @_N + r]) / 2;
    for (int r = 0; r < 3 * @_N; ++r)
      for (int c = 0; c < width; ++c) {
        double x = 0;
        for (int k = 0; k < 3 * @_N; ++k) x += H[r * 3 * @_N + k] * Z[k * width + c];
        HZ[r * width + c] = x;
      }
    for (int k = 0; k < @_N; ++k) {
      g[k] = 0;
      for (int r = 0; r < @_N; ++r) g[k] += lambda[r] * J[r * @_N + k];
    }
    for (int i = 0; i < @_Q * @_Q; ++i) G[i] = 0;
    @_curvature(in[0], g, G);
    for (int x = 0; x < 3; ++x) {
      for (int y = 0; y < 3; ++y)
        if (res[5 * x + y])
          for (int r = 0; r < size[x]; ++r)
            for (int c = 0; c < size[y]; ++c) {
              double sum = x == 0 && y == 0 ? G[r * @_Q + c] : 0;
              for (int k = 0; k < 3 * @_N; ++k) sum += Z[k * width + from[x] + r] * HZ[k * width + from[y] + c];
              res[5 * x + y][c * size[x] + r] = sum * (x ? 1 : @_PER(r)) * (y ? 1 : @_PER(c));
            }
      if (res[5 * x + 4])
        for (int r = 0; r < size[x]; ++r)
          for (int c = 0; c < @_N; ++c) {
            double sum = 0;
            for (int k = 0; k < @_N; ++k) sum += J[x * @_N * @_N + c * @_N + k] * Z[(x * @_N + k) * width + from[x] + r];
            res[5 * x + 4][c * size[x] + r] = sum * (x ? 1 : @_PER(r));
          }
    }
  }
  return 0;
}
)";

}  // namespace
}  // namespace casadi_text

std::string why_no_casadi_derivatives(const Model& model, const std::string& algorithm) {
  if (algorithm != "rnea" && algorithm != "aba") return "derivatives for CasADi are of rnea and aba";
  return model.nv == 0 ? "no joint moves" : "";
}

CasadiDerivatives casadi_derivatives(const Model& model, const std::string& algorithm, const std::string& name) {
  if (const std::string why = why_no_casadi_derivatives(model, algorithm); !why.empty()) throw std::invalid_argument(why);
  using namespace casadi_text;
  const bool inverse = algorithm == "rnea", additive = has_additive_coordinates(model);
  const VectorisedProgram first = vectorised_program(model, algorithm + "-derivatives");
  const VectorisedProgram second = vectorised_program(model, "rnea-second-derivatives");
  std::size_t entries = 0;
  for (const Port& port : second.program.outputs()) entries += port.elements.size();
  const int n = model.nv, size[] = {model.nq, n, n};
  Shapes state, adjoint, gradients, jacobians, hessians;
  for (int of : size) state.push_back({of, 1, true});
  state.push_back({n, 1, false});  // the result, which is not read
  Shapes with_lambda = state;
  with_lambda.push_back({n, 1, true});
  adjoint = with_lambda;
  for (int x : size) {
    adjoint.push_back({x, 1, false});
    gradients.push_back({x, 1, true});
    jacobians.push_back({n, x, true});
    for (int y : size) hessians.push_back({x, y, true});  // by q, v, third, then the result and lambda
    hessians.push_back({x, n, false});
    hessians.push_back({x, n, true});
  }
  Shapes all;
  for (const Shapes* part : {&adjoint, &gradients, &jacobians, &hessians})
    for (const Shape& shape : *part)
      if (std::find(all.begin(), all.end(), shape) == all.end()) all.push_back(shape);
  const std::string first_scratch = "3 * @_N * @_N + 2 * @_N * @_Q + @_N",
                    scratch = std::to_string(std::max<std::size_t>(1, entries)), width = "(@_Q + 2 * @_N)";
  const std::string text =
      "\n/* What CasADi differentiates by: exact Jacobians, products with them, and Hessians of these. */\n" +
      declarations({"jac_@", "adj1_@", "jac_adj1_@"}) + "#define @_N " + std::to_string(model.nv) + "\n#define @_Q " +
      std::to_string(model.nq) + "\n#define @_SCRATCH " + scratch + "\n" + sparsities(all) +
      (additive ? "" : coordinate_tangent(model)) + at_norm_one(model) + (additive ? as_it_is : through_tangent) +
      contraction(second.program) + jacobian(first.program, inverse) + first_order + (inverse ? of_inverse : of_forward) +
      (additive ? kBlocks : kBlocksByCoordinates) + interface("jac_@", state, jacobians, first_scratch, all) +
      interface("adj1_@", with_lambda, gradients, first_scratch, all) +
      interface("jac_adj1_@", adjoint, hessians,
                "30 * @_N * @_N + 3 * @_N + @_SCRATCH + @_N * @_Q + 6 * @_N * " + width + " + @_Q * @_Q", all);
  const std::string own = named(text, name), by_first = within(first, name + "_first"),
                    by_second = within(second, name + "_second");
  const std::string call = "(const double **arg, double **res, casadi_int *iw, double *w, int mem);\n";
  std::string declared = "#include <math.h>\n#ifndef casadi_int\n#define casadi_int long long int\n#endif\n";
  for (const char* const ending : {"", "_first", "_second"}) declared += "int " + name + ending + call;
  return {by_first + by_second + own,
          {by_first, by_second, declared + own},
          first.program.counts().flops() + second.program.counts().flops()};
}

}  // namespace sparsedyn
