#include "joint_steps.hpp"

#include <algorithm>

#include "codegen/contacts/contact_frames.hpp"
#include "codegen/stage/joint_step.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "system/names.hpp"

namespace sparsedyn {
namespace {

void add_slopes(const std::vector<LocalJet>& results, std::size_t variables, Values& slopes) {
  for (const LocalJet& result : results)
    for (std::size_t k = 0; k < variables; ++k) slopes.add(result.slope(k));
}

/// λᵀ∂²S of a joint whose first freedom is `v`.
void add_curvatures(const JointStep& step, std::size_t v, const std::vector<Expr>& lambda, Values& curvatures) {
  const std::size_t n = step.v.size();
  for (std::size_t i = 0; i < 3 * n + 1; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      Expr sum;
      for (std::size_t r = 0; r < n; ++r) {
        sum += lambda[v + r] * step.change[r].curvature(i, k);
        sum += lambda[lambda.size() / 2 + v + r] * step.v[r].curvature(i, k);
      }
      curvatures.add(sum);
    }
}

}  // namespace

std::vector<JointSlopes> joint_slopes(const Model& model) {
  std::vector<JointSlopes> all;
  int first = 0, first_curvature = 0;
  for (const Body& body : model.bodies) {
    const int n = freedoms(body.joint), variables = 3 * n + 1;
    all.push_back({body.v, n, first, first_curvature});
    first += 2 * n * variables, first_curvature += variables * (variables + 1) / 2;
  }
  return all;
}

std::pair<std::size_t, std::size_t> joint_slope_counts(const Model& model) {
  const JointSlopes last = joint_slopes(model).back();
  const int variables = 3 * last.freedoms + 1;
  return {static_cast<std::size_t>(last.first + 2 * last.freedoms * variables),
          static_cast<std::size_t>(last.first_curvature + variables * (variables + 1) / 2)};
}

Program joint_steps(const Model& model, StepDerivatives derivatives) {
  Recorder recorder;
  const std::vector<Expr> q = recorder.coordinates(model), v = recorder.input("dq", prefixed("dq.", velocity_names(model))),
                          a = recorder.input("ddq", prefixed("ddq.", velocity_names(model)));
  const Expr dt = recorder.input("dt", {"dt"})[0];
  const bool second = derivatives == StepDerivatives::second;
  const std::vector<Expr> lambda = second ? recorder.input("lambda", numbered("lambda", 2 * v.size())) : std::vector<Expr>();
  Values next, slopes, curvatures;
  next.all.resize(q.size() + v.size());
  for (const Body& body : model.bodies) {
    const JointStep step = semi_implicit_joint_step(body, q, v, a, dt);
    std::copy(step.q.begin(), step.q.end(), next.all.begin() + body.q);
    for (std::size_t k = 0; k < step.v.size(); ++k)
      next.all[q.size() + static_cast<std::size_t>(body.v) + k] = step.v[k].value();
    add_slopes(step.change, 3 * step.v.size() + 1, slopes), add_slopes(step.v, 3 * step.v.size() + 1, slopes);
    if (second) add_curvatures(step, static_cast<std::size_t>(body.v), lambda, curvatures);
  }
  output(recorder, "x_next", next);
  if (derivatives != StepDerivatives::none) output(recorder, "slopes", slopes);
  if (second) output(recorder, "curvatures", curvatures);
  return recorder.program();
}

}  // namespace sparsedyn
