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

}  // namespace

std::vector<JointSlopes> joint_slopes(const Model& model) {
  std::vector<JointSlopes> all;
  int first = 0;
  for (const Body& body : model.bodies) {
    const int n = freedoms(body.joint);
    all.push_back({body.v, n, first});
    first += 2 * n * (3 * n + 1);
  }
  return all;
}

Program joint_steps(const Model& model, bool derivatives) {
  Recorder recorder;
  const std::vector<Expr> q = recorder.coordinates(model), v = recorder.input("dq", prefixed("dq.", velocity_names(model))),
                          a = recorder.input("ddq", prefixed("ddq.", velocity_names(model)));
  const Expr dt = recorder.input("dt", {"dt"})[0];
  Values next, slopes;
  next.all.resize(q.size() + v.size());
  for (const Body& body : model.bodies) {
    const JointStep step = semi_implicit_joint_step(body, q, v, a, dt);
    std::copy(step.q.begin(), step.q.end(), next.all.begin() + body.q);
    for (std::size_t k = 0; k < step.v.size(); ++k)
      next.all[q.size() + static_cast<std::size_t>(body.v) + k] = step.v[k].value();
    add_slopes(step.change, 3 * step.v.size() + 1, slopes), add_slopes(step.v, 3 * step.v.size() + 1, slopes);
  }
  output(recorder, "x_next", next);
  if (derivatives) output(recorder, "slopes", slopes);
  return recorder.program();
}

}  // namespace sparsedyn
