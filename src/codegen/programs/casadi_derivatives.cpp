// CasADi finds derivatives of an external function by name: jac_NAME (the Jacobian's blocks), adj1_NAME (J^T lambda) and
// jac_adj1_NAME (the Hessian of lambda^T f). First derivatives are those of rnea-derivatives and aba-derivatives; second ones
// contract the tensors of rnea-second-derivatives with lambda. For forward dynamics a(q, v, tau), differentiating
// tau = ID(q, v, a) twice gives
//   lambda^T d2a/dx dy = - Z_x^T K Z_y,   K = d2(w^T ID)/d(q, v, a)^2 at w = M^-1 lambda,   Z = d(q, v, a)/d(q, v, tau).
// CasADi stores matrices column by column.
#include "casadi_derivatives.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "codegen/emit/emit_kernel.hpp"
#include "sparsedyn/codegen/emit.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {
namespace casadi_text {
namespace {

/// n × n; n; n × n without entries; n without entries.
enum Shape { whole_matrix, whole_column, no_matrix, no_column };

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

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
int jac_@(const double **arg, double **res, long long int *iw, double *w, int mem) {
  double *J = w;
  (void)iw, (void)mem;
  if (@_jacobian(arg, J)) return 1;
  for (int k = 0; k < 3; ++k)
    if (res[k])
      for (int r = 0; r < @_N; ++r)
        for (int c = 0; c < @_N; ++c) res[k][c * @_N + r] = J[k * @_N * @_N + r * @_N + c];
  return 0;
}

int adj1_@(const double **arg, double **res, long long int *iw, double *w, int mem) {
  double *J = w;
  const double *lambda = arg[4];
  (void)iw, (void)mem;
  if (@_jacobian(arg, J)) return 1;
  for (int k = 0; k < 3; ++k)
    if (res[k])
      for (int c = 0; c < @_N; ++c) {
        res[k][c] = 0;
        for (int r = 0; lambda && r < @_N; ++r) res[k][c] += J[k * @_N * @_N + r * @_N + c] * lambda[r];
      }
  return 0;
}

int jac_adj1_@(const double **arg, double **res, long long int *iw, double *w, int mem) {
  static const double none[@_N];
  double *J = w, *K = J + 3 * @_N * @_N, *KZ = K + 9 * @_N * @_N, *H = KZ + 9 * @_N * @_N;
  double *a = H + 9 * @_N * @_N, *w_id = a + @_N, *values = w_id + @_N;
  const double *lambda = arg[4] ? arg[4] : none;
  (void)iw, (void)mem, (void)KZ, (void)a, (void)w_id;
  if (@_jacobian(arg, J)) return 1;
)";

const char* const of_inverse = R"(  if (@_contract(arg[0], arg[1], arg[2], lambda, values, K)) return 1;
  for (int i = 0; i < 9 * @_N * @_N; ++i) H[i] = K[i];
)";

const char* const of_forward = R"(  const double *minv = J + 2 * @_N * @_N;
  double *res_a[1] = {a};
  if (@(arg, res_a, 0, 0, 0)) return 1;
  for (int i = 0; i < @_N; ++i) {
    w_id[i] = 0;
    for (int k = 0; k < @_N; ++k) w_id[i] -= minv[i * @_N + k] * lambda[k];
  }
  if (@_contract(arg[0], arg[1], a, w_id, values, K)) return 1;
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

const char* const blocks = R"(  for (int x = 0; x < 3; ++x) {
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

std::string sparsities(int n) {
  std::string no_columns;
  for (int k = 0; k <= n; ++k) no_columns += ", 0";
  return "static const long long int @_dense[] = {@_N, @_N, 1}, @_column[] = {@_N, 1, 1};\n"
         "static const long long int @_empty[] = {@_N, @_N" +
         no_columns +
         "}, @_nothing[] = {@_N, 1, 0, 0};\n"
         "static const long long int *const @_shapes[] = {@_dense, @_column, @_empty, @_nothing};\n";
}

/// What CasADi asks a function for. `before`: before NAME in its name; `numbers`: of scratch.
std::string interface(const std::string& before, const std::vector<Shape>& inputs, const std::vector<Shape>& outputs,
                      const std::string& numbers) {
  const auto list = [](const std::vector<Shape>& shapes) {
    std::string text;
    for (Shape shape : shapes) text += (text.empty() ? "" : ", ") + std::to_string(shape);
    return text;
  };
  const std::string name = before + "_@", in = std::to_string(inputs.size()), out = std::to_string(outputs.size());
  return "\nlong long int " + name + "_n_in(void) { return " + in + "; }\nlong long int " + name + "_n_out(void) { return " +
         out + "; }\nconst long long int *" + name + "_sparsity_in(long long int i) {\n  static const int shape[] = {" +
         list(inputs) + "};\n  return i < 0 || i >= " + in + " ? 0 : @_shapes[shape[i]];\n}\nconst long long int *" + name +
         "_sparsity_out(long long int i) {\n  static const int shape[] = {" + list(outputs) +
         "};\n  return i < 0 || i >= " + out + " ? 0 : @_shapes[shape[i]];\n}\nint " + name +
         "_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w) {\n  if (sz_arg) "
         "*sz_arg = " +
         in + ";\n  if (sz_res) *sz_res = " + out + ";\n  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = " + numbers +
         ";\n  return 0;\n}\n";
}

/// Declared before they are defined, as -Wmissing-prototypes asks.
std::string declarations() {
  std::string text;
  for (const std::string before : {"jac", "adj1", "jac_adj1"}) {
    const std::string name = before + "_@";
    text += "int " + name + "(const double **arg, double **res, long long int *iw, double *w, int mem);\nlong long int " +
            name + "_n_in(void);\nlong long int " + name + "_n_out(void);\nconst long long int *" + name +
            "_sparsity_in(long long int i);\nconst long long int *" + name + "_sparsity_out(long long int i);\nint " + name +
            "_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w);\n";
  }
  return text;
}

/// A program within another's text: its header in place of the line that includes it.
std::string within(const VectorisedProgram& program, const std::string& name) {
  EmitOptions options;
  options.batch = false;
  const CProgram code = emit_c(program, name, options);
  return "\n" + replaced(code.source, "#include \"" + name + ".h\"\n", code.header);
}

}  // namespace
}  // namespace casadi_text

std::string why_no_casadi_derivatives(const Model& model, const std::string& algorithm) {
  if (algorithm != "rnea" && algorithm != "aba") return "derivatives for CasADi are of rnea and aba";
  if (model.nq != model.nv) return "without derivatives, for q has quaternions";
  return model.nv == 0 ? "no joint moves" : "";
}

CasadiDerivatives casadi_derivatives(const Model& model, const std::string& algorithm, const std::string& name) {
  if (const std::string why = why_no_casadi_derivatives(model, algorithm); !why.empty()) throw std::invalid_argument(why);
  using namespace casadi_text;
  const bool inverse = algorithm == "rnea";
  const VectorisedProgram first = vectorised_program(model, algorithm + "-derivatives");
  const VectorisedProgram second = vectorised_program(model, "rnea-second-derivatives");
  std::size_t entries = 0;
  for (const Port& port : second.program.outputs()) entries += port.elements.size();
  const std::vector<Shape> state{whole_column, whole_column, whole_column, no_column};
  std::vector<Shape> with_lambda = state, adjoint, rows;
  with_lambda.push_back(whole_column);
  adjoint = with_lambda;
  adjoint.insert(adjoint.end(), {no_column, no_column, no_column});
  for (int x = 0; x < 3; ++x)
    rows.insert(rows.end(),
                {whole_matrix, whole_matrix, whole_matrix, no_matrix, whole_matrix});  // by q, v, third, result, lambda
  const std::string text =
      "\n/* What CasADi differentiates by: exact Jacobians, products with them, and Hessians of these. */\n" + declarations() +
      "#define @_N " + std::to_string(model.nv) + "\n" + sparsities(model.nv) + contraction(second.program) +
      jacobian(first.program, inverse) + first_order + (inverse ? of_inverse : of_forward) + blocks +
      interface("jac", state, {whole_matrix, whole_matrix, whole_matrix}, "3 * @_N * @_N") +
      interface("adj1", with_lambda, {whole_column, whole_column, whole_column}, "3 * @_N * @_N") +
      interface("jac_adj1", adjoint, rows, "30 * @_N * @_N + 2 * @_N + " + std::to_string(entries));
  return {within(first, name + "_first") + within(second, name + "_second") + named(text, name),
          first.program.counts().flops() + second.program.counts().flops()};
}

}  // namespace sparsedyn
