#include "kinematic_programs.hpp"

#include <string>

#include "expr_vector.hpp"
#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn {
namespace {

ExprVector rate_input(Recorder& recorder, const Model& model, const std::string& port) {
  return recorder.input(port, prefixed(port + ".", velocity_names(model)));
}

/// Elements with their names.
struct Elements {
  std::vector<std::string> names;
  ExprVector values;
  void add(const std::string& name, const Expr& value) { names.push_back(name), values.push_back(value); }
  void add(const std::string& before, const Vec3<Expr>& x) {
    for (int k = 0; k < 3; ++k) add(before + "xyz"[k], x[k]);
  }
};

}  // namespace

void record_kinematics(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  const ExprVector q = recorder.coordinates(model), v = rate_input(recorder, model, "dq"),
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

namespace {

/// NAME.LINK.row.column of a 6 × nv matrix of each link, as `write` makes it.
template <class Write>
void output_by_link(Recorder& recorder, const Model& model, const std::string& name, const Write& write) {
  Elements entries;
  const auto nv = static_cast<std::size_t>(model.nv);
  ExprVector J(6 * nv);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    write(static_cast<int>(i), J.data());
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t c = 0; c < nv; ++c)
        entries.add(name + "." + model.links[i].name + "." + std::to_string(r) + "." + std::to_string(c), J[r * nv + c]);
  }
  recorder.output(name, entries.names, entries.values);
}

}  // namespace

void record_jacobians(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  const ExprVector q = recorder.coordinates(model);
  Workspace<Expr> work(model);
  forward_kinematics(model, work, q.data(), static_cast<const Expr*>(nullptr), static_cast<const Expr*>(nullptr));
  output_by_link(recorder, model, "J", [&](int link, Expr* J) { link_jacobian(model, work, link, Axes::link, J); });
}

void record_jacobian_rates(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  const ExprVector q = recorder.coordinates(model), v = rate_input(recorder, model, "dq");
  Workspace<Expr> work(model);
  forward_kinematics(model, work, q.data(), v.data(), static_cast<const Expr*>(nullptr));
  output_by_link(recorder, model, "dJ",
                 [&](int link, Expr* dJ) { point_jacobian_rate(model, work, link, Axes::link, zero3<double>(), dJ); });
}

namespace {

/// NAME.row.column of a matrix of nv columns; of a robot without freedoms there is none.
template <class Write>
void output_by_freedom(Recorder& recorder, const Model& model, const std::string& name, std::size_t rows, const Write& write) {
  const ExprVector q = recorder.coordinates(model);
  const auto nv = static_cast<std::size_t>(model.nv);
  Elements entries;
  ExprVector matrix(rows * nv);
  Workspace<Expr> work(model);
  forward_kinematics(model, work, q.data(), static_cast<const Expr*>(nullptr), static_cast<const Expr*>(nullptr));
  if (nv > 0) write(work, matrix.data());
  for (std::size_t e = 0; e < matrix.size(); ++e)
    entries.add(name + "." + std::to_string(e / nv) + "." + std::to_string(e % nv), matrix[e]);
  recorder.output(name, entries.names, entries.values);
}

}  // namespace

void record_centroidal_momentum_matrix(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  output_by_freedom(recorder, model, "A", 6,
                    [&](Workspace<Expr>& work, Expr* A) { centroidal_momentum_matrix(model, work, A); });
}

void record_centre_of_mass_jacobian(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  output_by_freedom(recorder, model, "J", 3, [&](Workspace<Expr>& work, Expr* J) { centre_of_mass_jacobian(model, work, J); });
}

void record_momentum(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  const ExprVector q = recorder.coordinates(model), v = rate_input(recorder, model, "dq");
  Workspace<Expr> work(model);
  forward_kinematics(model, work, q.data(), v.data(), static_cast<const Expr*>(nullptr));
  Elements centre, sum;
  if (model.nv > 0) {
    if (moving_mass(model) > 0) centre.add("com.", centre_of_mass(model, work));
    const Force<Expr> h = momentum(model, work);
    sum.add("momentum.n", h.n), sum.add("momentum.f", h.f);
  }
  recorder.output("com", centre.names, centre.values);
  recorder.output("momentum", sum.names, sum.values);
}

void record_momentum_rate(Recorder& recorder, const Model& model, const MinimalFormulation&, bool) {
  const ExprVector q = recorder.coordinates(model), v = rate_input(recorder, model, "dq"),
                   a = rate_input(recorder, model, "ddq");
  Workspace<Expr> work(model);
  forward_kinematics(model, work, q.data(), v.data(), a.data());
  Elements rate;
  if (model.nv > 0) {
    const Force<Expr> h = momentum_rate(model, work);
    rate.add("momentum_rate.n", h.n), rate.add("momentum_rate.f", h.f);
  }
  recorder.output("momentum_rate", rate.names, rate.values);
}

}  // namespace sparsedyn
