#include "stage_text.hpp"

#include <algorithm>

#include "codegen/contacts/contact_code_parts.hpp"
#include "codegen/contacts/contact_text.hpp"
#include "joint_steps.hpp"

namespace sparsedyn {
namespace {

/// With Z = ∂a/∂(q, v, u) from the contacts, a row of ∂x⁺ is s_δ and s_v at the joint's own places, s_dt by dt, and s_a Z.
const char* const kChain = R"(
/* by: ddq by q, dq and tau, row by row. A, B, T: any may be null. */
static void @_chain(const double *slopes, double *const *by, double *A, double *B, double *T) {
  for (int j = 0; j < @_STEPS; ++j) {
    const int v = @_steps[j].freedom, n = @_steps[j].freedoms, width = 3 * n + 1;
    for (int r = 0; r < 2 * n; ++r) {
      const double *const s = slopes + @_steps[j].first + r * width;
      const int row = r < n ? v + r : @_NV + v + r - n;
      double *const a = A ? A + row * 2 * @_NV : 0, *const b = B ? B + row * @_CONTROLS : 0;
      for (int c = 0; a && c < 2 * @_NV; ++c) a[c] = 0;
      for (int c = 0; b && c < @_CONTROLS; ++c) b[c] = 0;
      for (int k = 0; k < n; ++k) {
        const double through = s[2 * n + k];
        const int at = (v + k) * @_NV;
        if (a) a[v + k] += s[k], a[@_NV + v + k] += s[n + k];
        for (int c = 0; a && c < @_NV; ++c) a[c] += through * by[0][at + c], a[@_NV + c] += through * by[1][at + c];
        for (int c = 0; b && c < @_CONTROLS; ++c) b[c] += through * by[2][at + @_NV - @_CONTROLS + c];
      }
      if (T) T[row] = s[3 * n];
    }
  }
}

)";

const char* const kGradient = R"(
/* g = lambda' [A B T] */
static void @_gradient(const double *slopes, double *const *by, const double *lambda, double *g) {
  double *const dt = g + 2 * @_NV + @_CONTROLS;
  for (int c = 0; c < 2 * @_NV + @_CONTROLS + 1; ++c) g[c] = 0;
  for (int j = 0; j < @_STEPS; ++j) {
    const int v = @_steps[j].freedom, n = @_steps[j].freedoms, width = 3 * n + 1;
    for (int k = 0; k < width; ++k) {
      double sum = 0;
      for (int r = 0; r < 2 * n; ++r)
        sum += lambda[r < n ? v + r : @_NV + v + r - n] * slopes[@_steps[j].first + r * width + k];
      if (k < n) g[v + k] += sum;
      else if (k < 2 * n) g[@_NV + v + k - n] += sum;
      else if (k == 3 * n) *dt += sum;
      for (int c = 0; k >= 2 * n && k < 3 * n && c < @_NV; ++c) {
        const int at = (v + k - 2 * n) * @_NV + c;
        g[c] += sum * by[0][at], g[@_NV + c] += sum * by[1][at];
        if (c >= @_NV - @_CONTROLS) g[@_NV + @_CONTROLS + c] += sum * by[2][at];
      }
    }
  }
}
)";

const char* const kFunction = R"(
int @(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  static const double none[@_STAGE_LONGEST] = {0};
  const double *const in_x = arg[0] ? arg[0] : none, *const in_u = arg[1] ? arg[1] : none, *const in_dt = arg[2] ? arg[2] : none;
  double tau[@_NV] = {0}, ddq[@_NV], next[@_LEFT], x_next[@_NQ + @_NV];
$BEGIN  (void)iw, (void)w, (void)mem;
  if (@_not_finite(in_u, @_CONTROLS) || @_not_finite(in_dt, 1)$LAMBDA) return 1;
  for (int k = 0; k < @_CONTROLS; ++k) tau[@_NV - @_CONTROLS + k] = in_u[k];
  const double *state[] = {in_x, in_x + @_NQ, tau, arg[$START]};
  double *results[] = {ddq, $FORCE, $GAP, $NEXT, $SOLVER$SLOPES};
  const int code = @_dynamics(state, results, 0, 0, 0);
  if (code) return code;
  @_ADVANCE;
  if (@_not_finite(x_next, @_NQ + @_NV)) return 1;
$RESULTS  return 0;
}
)";

const char* const kDerivativesBegin =
    R"(  double by_q[@_NV * @_NV], by_v[@_NV * @_NV], by_tau[@_NV * @_NV], slopes[@_STEP_SLOPES];
  double *const by[] = {by_q, by_v, by_tau};
)";

/// A copy: multipliers are read behind the first results, whose vectors may be the caller's own multipliers.
const char* const kMultipliers = R"(  double in_lambda[2 * @_NV];
  memcpy(in_lambda, arg[3] ? arg[3] : none, sizeof in_lambda);
)";

std::string table_of_joints(const Model& model) {
  std::string text =
      "typedef struct {\n  int freedom, freedoms, first;\n} @_joint_step;\nstatic const @_joint_step @_steps[] = {\n";
  const std::vector<JointSlopes> all = joint_slopes(model);
  for (const JointSlopes& joint : all)
    text += "  {" + std::to_string(joint.freedom) + ", " + std::to_string(joint.freedoms) + ", " + std::to_string(joint.first) +
            "},\n";
  return macro("STEPS", all.size()) + text + "};\n";
}

/// Places of the outputs, by name.
class Results {
 public:
  explicit Results(const std::vector<Port>& ports) : ports_(ports) {}
  /// `res[K]`, or 0 where the output is not there.
  std::string of(const std::string& name) const {
    const auto at = std::find_if(ports_.begin(), ports_.end(), [&](const Port& port) { return port.name == name; });
    return at == ports_.end() ? "0" : "res[" + std::to_string(at - ports_.begin()) + "]";
  }
  bool has(const std::string& name) const { return of(name) != "0"; }
  bool matrices() const { return has("A") || has("B") || has("T"); }
  /// Whether there are derivatives.
  bool derived() const { return matrices() || has("g"); }
  /// The vector `name` where the output is wanted, else null.
  std::string wanted(const std::string& name) const { return has(name) ? of(name) + " ? " + name + " : 0" : "0"; }
  std::string copied(const std::string& name) const {
    return has(name) && elements_of(ports_, name) > 0
               ? "  if (" + of(name) + ") memcpy(" + of(name) + ", " + name + ", sizeof " + name + ");\n"
               : "";
  }

 private:
  const std::vector<Port>& ports_;
};

std::string derived_results(const Results& results) {
  std::string text;
  if (results.matrices())
    text += "  if (derived) @_chain(slopes, by, " + results.of("A") + ", " + results.of("B") + ", " + results.of("T") + ");\n";
  if (results.has("g")) text += "  if (" + results.of("g") + ") @_gradient(slopes, by, in_lambda, " + results.of("g") + ");\n";
  return text;
}

}  // namespace

std::string contact_stage_chain(const Model& model, const Program& ports) {
  const Results results(ports.outputs());
  if (!results.derived()) return "";
  const std::vector<JointSlopes> all = joint_slopes(model);
  const int n = all.back().freedoms;
  return macro("STEP_SLOPES", static_cast<std::size_t>(all.back().first + 2 * n * (3 * n + 1))) + table_of_joints(model) +
         (results.matrices() ? kChain : "") + (results.has("g") ? kGradient : "");
}

std::string contact_stage_function(const Program& ports) {
  const Results results(ports.outputs());
  const bool derivatives = results.derived();
  const bool multipliers = elements_of(ports.inputs(), "lambda") > 0;
  std::string wanted;
  for (const char* name : {"A", "B", "T", "g"})
    if (results.has(name)) wanted += (wanted.empty() ? "" : " || ") + results.of(name) + " != 0";
  std::string begin = derivatives ? kDerivativesBegin + ("  const int derived = " + wanted + ";\n") : "";
  if (results.has("force")) begin += "  double force[@_ROOM(@_FORCES)];\n";
  if (results.has("gap")) begin += "  double gap[@_ROOM(@_CONTACTS)];\n";
  if (multipliers) begin += kMultipliers;
  std::string text = kFunction;
  const auto put = [&](const std::string& mark, const std::string& by) { text = substituted(std::move(text), mark, by); };
  put("$BEGIN", begin), put("$LAMBDA", multipliers ? " || @_not_finite(in_lambda, 2 * @_NV)" : "");
  put("$START", std::to_string(ports.inputs().size() - 1));
  put("$FORCE", results.wanted("force")), put("$GAP", results.wanted("gap")), put("$NEXT", results.wanted("next"));
  put("$SOLVER", results.of("solver"));
  put("$SLOPES", derivatives ? ", derived ? by_q : 0, derived ? by_v : 0, derived ? by_tau : 0, 0, 0, 0" : "");
  std::string copies;
  for (const char* name : {"x_next", "force", "gap", "next"}) copies += results.copied(name);
  put("$RESULTS", copies + (derivatives ? derived_results(results) : ""));
  return text;
}

}  // namespace sparsedyn
