#include "kinematic_programs.hpp"

#include <string>

#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn {
namespace {

using Expressions = std::vector<Expr>;

Expressions rate_input(Recorder& recorder, const Model& model, const std::string& port) {
  return recorder.input(port, prefixed(port + ".", velocity_names(model)));
}

/// Elements with their names.
struct Elements {
  std::vector<std::string> names;
  Expressions values;
  void add(const std::string& name, const Expr& value) { names.push_back(name), values.push_back(value); }
  void add(const std::string& before, const Vec3<Expr>& x) {
    for (int k = 0; k < 3; ++k) add(before + "xyz"[k], x[k]);
  }
};

}  // namespace

void record_kinematics(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  const Expressions q = recorder.coordinates(model), v = rate_input(recorder, model, "dq"),
                    a = rate_input(recorder, model, "ddq");
  Workspace<Expr> work(model);
  forward_kinematics(model, work, q.data(), v.data(), a.data());
  Elements pose, velocity, acceleration;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const int link = static_cast<int>(i);
    const std::string name = "." + model.links[i].name + ".";
    const Pose<Expr> x = link_pose(model, work, link);
    pose.add("pose" + name, x.d);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) pose.add("pose" + name + "R" + std::to_string(r) + std::to_string(c), x.R(r, c));
    const Motion<Expr> w = link_velocity(model, work, link), b = link_acceleration(model, work, link);
    velocity.add("vel" + name + "w", w.w), velocity.add("vel" + name + "v", w.v);
    acceleration.add("acc" + name + "w", b.w), acceleration.add("acc" + name + "v", b.v);
  }
  recorder.output("pose", pose.names, pose.values);
  recorder.output("vel", velocity.names, velocity.values);
  recorder.output("acc", acceleration.names, acceleration.values);
}

void record_jacobians(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  const Expressions q = recorder.coordinates(model);
  Workspace<Expr> work(model);
  forward_kinematics(model, work, q.data(), static_cast<const Expr*>(nullptr), static_cast<const Expr*>(nullptr));
  Elements entries;
  const auto nv = static_cast<std::size_t>(model.nv);
  Expressions J(6 * nv);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    link_jacobian(model, work, static_cast<int>(i), Axes::link, J.data());
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t c = 0; c < nv; ++c)
        entries.add("J." + model.links[i].name + "." + std::to_string(r) + "." + std::to_string(c), J[r * nv + c]);
  }
  recorder.output("J", entries.names, entries.values);
}

}  // namespace sparsedyn
