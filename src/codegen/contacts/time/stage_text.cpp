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

// λᵀ∂²x⁺ = Zᵀ (λᵀ∂²S) Z + (λᵀ ∂S/∂a) ∂²a, Z the derivatives of a joint's (δq, v, a, dt).
const char* const kHessian = R"(
#define @_SIZE (2 * @_NV + @_CONTROLS + 1)

/* lambda' dS/da */
static void @_weigh(const double *slopes, const double *lambda, double *weights) {
  for (int j = 0; j < @_STEPS; ++j) {
    const int v = @_steps[j].freedom, n = @_steps[j].freedoms;
    for (int k = 0; k < n; ++k) {
      weights[v + k] = 0;
      for (int r = 0; r < 2 * n; ++r)
        weights[v + k] += lambda[r < n ? v + r : @_NV + v + r - n] * slopes[@_steps[j].first + r * (3 * n + 1) + 2 * n + k];
    }
  }
}

/* row += x dy/dz of a joint's variable k: a change of q, a velocity, an acceleration, or dt */
static void @_add_moved(int j, int k, double *const *by, double x, double *row) {
  const int v = @_steps[j].freedom, n = @_steps[j].freedoms;
  if (k < n) row[v + k] += x;
  else if (k < 2 * n) row[@_NV + v + k - n] += x;
  else if (k == 3 * n) row[@_SIZE - 1] += x;
  for (int c = 0; k >= 2 * n && k < 3 * n && c < @_NV; ++c) {
    const int at = (v + k - 2 * n) * @_NV + c;
    row[c] += x * by[0][at], row[@_NV + c] += x * by[1][at];
    if (c >= @_NV - @_CONTROLS) row[@_NV + @_CONTROLS + c] += x * by[2][at];
  }
}

/* H: the lower triangle; curvatures: lambda' d2S of each joint; bent: weights' d2a by (q, v, tau); both lower triangles */
static void @_hessian(const double *curvatures, const double *bent, double *const *by, double *H) {
  double whole[@_SIZE * @_SIZE] = {0};
  for (int i = 0; i < 3 * @_NV; ++i)
    for (int k = 0; k <= i; ++k, ++bent) {
      const int bare = @_NV - @_CONTROLS, row = i < 2 * @_NV ? i : i - bare, column = k < 2 * @_NV ? k : k - bare;
      if ((i < 2 * @_NV || row >= 2 * @_NV) && (k < 2 * @_NV || column >= 2 * @_NV)) whole[row * @_SIZE + column] = *bent;
    }
  for (int j = 0; j < @_STEPS; ++j)
    for (int i = 0; i <= 3 * @_steps[j].freedoms; ++i) {
      double meets[@_SIZE] = {0}, own[@_SIZE] = {0};
      int any = 0;
      for (int k = 0; k <= 3 * @_steps[j].freedoms; ++k) {
        const int low = i < k ? i : k, high = i < k ? k : i;
        const double x = curvatures[@_steps[j].first_curvature + high * (high + 1) / 2 + low];
        if (x != 0) @_add_moved(j, k, by, x, meets), any = 1;
      }
      if (!any) continue;
      @_add_moved(j, i, by, 1, own);
      for (int r = 0; r < @_SIZE; ++r)
        for (int c = 0; c <= r && own[r] != 0; ++c) whole[r * @_SIZE + c] += own[r] * meets[c];
    }
  for (int r = 0; r < @_SIZE; ++r)
    for (int c = 0; c <= r; ++c) *H++ = whole[r * @_SIZE + c];
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
  const double *state[] = {in_x, in_x + @_NQ, tau,$WEIGHTS arg[$START]};
  double *results[] = {ddq, $FORCE, $GAP, $NEXT, $SOLVER$SLOPES};
  int code = @_dynamics(state, results, 0, 0, 0);
  if (code) return code;
  @_ADVANCE;
  if (@_not_finite(x_next, @_NQ + @_NV)) return 1;
$AGAIN$RESULTS  return 0;
}
)";

const char* const kDerivativesBegin =
    R"(  double by_q[@_NV * @_NV], by_v[@_NV * @_NV], by_tau[@_NV * @_NV], slopes[@_STEP_SLOPES];
  double *const by[] = {by_q, by_v, by_tau};
)";

const char* const kSecondBegins =
    R"(  double curvatures[@_STEP_CURVATURES], bent[3 * @_NV * (3 * @_NV + 1) / 2], weights[@_NV];
)";

/// A copy: multipliers are read behind the first results, whose vectors may be the caller's own multipliers.
const char* const kMultipliers = R"(  double in_lambda[2 * @_NV];
  memcpy(in_lambda, arg[3] ? arg[3] : none, sizeof in_lambda);
)";

/// Multipliers of the accelerations depend on these, so second derivatives are computed in a second call, which begins at the
/// answer.
const char* const kAgain = R"(  if (curved) {
    @_weigh(slopes, in_lambda, weights);
    const double *at_answer[] = {in_x, in_x + @_NQ, tau, weights, next};
    double *derivatives[] = {0, 0, 0, 0, 0, by_q, by_v, by_tau, 0, 0, 0, bent};
    if ((code = @_dynamics(at_answer, derivatives, 0, 0, 0))) return code;
  }
)";

std::string table_of_joints(const Model& model) {
  std::string text =
      "typedef struct {\n  int freedom, freedoms, first, first_curvature;\n} @_joint_step;\nstatic const @_joint_step "
      "@_steps[] = {\n";
  const std::vector<JointSlopes> all = joint_slopes(model);
  for (const JointSlopes& joint : all)
    text += "  {" + std::to_string(joint.freedom) + ", " + std::to_string(joint.freedoms) + ", " + std::to_string(joint.first) +
            ", " + std::to_string(joint.first_curvature) + "},\n";
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
  bool derived() const { return matrices() || has("g") || has("H"); }
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
  if (results.has("H")) text += "  if (curved) @_hessian(curvatures, bent, by, " + results.of("H") + ");\n";
  return text;
}

}  // namespace

std::string contact_stage_chain(const Model& model, const Program& ports) {
  const Results results(ports.outputs());
  if (!results.derived()) return "";
  const auto [slopes, curvatures] = joint_slope_counts(model);
  return macro("STEP_SLOPES", slopes) + macro("STEP_CURVATURES", curvatures) + table_of_joints(model) +
         (results.matrices() ? kChain : "") + (results.has("g") ? kGradient : "") + (results.has("H") ? kHessian : "");
}

std::string contact_stage_function(const Program& ports) {
  const Results results(ports.outputs());
  const bool derivatives = results.derived();
  const bool multipliers = elements_of(ports.inputs(), "lambda") > 0, second = results.has("H");
  std::string wanted;
  for (const char* name : {"A", "B", "T", "g", "H"})
    if (results.has(name)) wanted += (wanted.empty() ? "" : " || ") + results.of(name) + " != 0";
  std::string begin = derivatives ? kDerivativesBegin + ("  const int derived = " + wanted + ";\n") : "";
  if (second)
    begin += kSecondBegins +
             ("  const int curved = " + results.of("H") + " != 0, at_once = derived && !curved;\n  (void)derived;\n");
  if (results.has("force")) begin += "  double force[@_ROOM(@_FORCES)];\n";
  if (results.has("gap")) begin += "  double gap[@_ROOM(@_CONTACTS)];\n";
  if (multipliers) begin += kMultipliers;
  std::string text = kFunction;
  const auto put = [&](const std::string& mark, const std::string& by) { text = substituted(std::move(text), mark, by); };
  put("$BEGIN", begin), put("$LAMBDA", multipliers ? " || @_not_finite(in_lambda, 2 * @_NV)" : "");
  put("$START", std::to_string(ports.inputs().size() - 1));
  put("$FORCE", results.wanted("force")), put("$GAP", results.wanted("gap")),
      put("$NEXT", second ? "next" : results.wanted("next"));
  put("$WEIGHTS", second ? " 0," : ""), put("$AGAIN", second ? kAgain : "");
  put("$SOLVER", results.of("solver"));
  put("$SLOPES", !derivatives ? ""
                 : second     ? ", at_once ? by_q : 0, at_once ? by_v : 0, at_once ? by_tau : 0, 0, 0, 0, 0"
                              : ", derived ? by_q : 0, derived ? by_v : 0, derived ? by_tau : 0, 0, 0, 0");
  std::string copies;
  for (const char* name : {"x_next", "force", "gap", "next"}) copies += results.copied(name);
  put("$RESULTS", copies + (derivatives ? derived_results(results) : ""));
  return text;
}

}  // namespace sparsedyn
