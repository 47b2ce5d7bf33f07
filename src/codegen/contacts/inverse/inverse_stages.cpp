#include "inverse_stages.hpp"

#include <algorithm>

#include "codegen/contacts/contact_frames.hpp"
#include "codegen/contacts/contact_stages.hpp"
#include "codegen/contacts/loops/loop_rows.hpp"
#include "codegen/programs/recorded_dynamics.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

/// Σ S a on the way to each body that carries contacts.
Values link_accelerations(const Model& model, const ContactLayout& layout, const Frames& frames, const std::vector<Expr>& a) {
  Values y;
  for (int body : layout.bodies) {
    Column sum_of_joints{};
    for (int t : way_of_body(model, body)) {
      const CoordinateMap::Entry e = entry_of(model, t);
      const Expr rate =
          e.multiplier == 1 ? a[static_cast<std::size_t>(e.index)] : Expr(e.multiplier) * a[static_cast<std::size_t>(e.index)];
      sum_of_joints = sum(sum_of_joints, scaled(rate, frames.column(t)));
    }
    y.add(sum_of_joints);
  }
  return y;
}

void record_prepare(Recorder& recorder, const Model& model, const MinimalFormulation& f, const ContactLayout& layout,
                    bool wrenches) {
  const std::vector<Expr> q = recorder.coordinates(model), v = recorder.input("dq", prefixed("dq.", velocity_names(model))),
                          a = recorder.input("ddq", prefixed("ddq.", velocity_names(model)));
  const WrenchInputs fx(recorder, model, f, wrenches);
  recorder.output("id", numbered("id", a.size()), inverse_dynamics(model, f, q, v, a.data(), fx));
  const Frames frames(model, q, v);
  output(recorder, "S", varying_columns(recorder, layout, frames));
  output(recorder, "y", link_accelerations(model, layout, frames, a));
  record_contact_geometry(recorder, layout, frames);
  if (!layout.loops.empty()) record_loops(recorder, model, layout, frames, q, v);
}

/// Bodies from the tips on: each hands its wrench to its parent.
void subtract_contacts(const Model& model, const ContactLayout& layout, const std::vector<Column>& S,
                       const std::vector<Expr>& w, std::vector<Expr>& tau) {
  const Model& tree = model.tree();
  std::vector<Column> wrench(tree.bodies.size());
  std::vector<char> touched(tree.bodies.size(), 0);
  for (std::size_t b = 0; b < layout.bodies.size(); ++b) {
    const auto body = static_cast<std::size_t>(layout.bodies[b]);
    touched[body] = 1;
    std::copy_n(w.begin() + static_cast<std::ptrdiff_t>(b * row_room), 6, wrench[body].begin());
  }
  for (std::size_t b = tree.bodies.size(); b-- > 0;) {
    if (!touched[b]) continue;
    const Body& body = tree.bodies[b];
    for (int t = body.v; t < body.v + freedoms(body.joint); ++t) {
      const CoordinateMap::Entry e = entry_of(model, t);
      add_times(-e.multiplier, product(S[static_cast<std::size_t>(t)], wrench[b]), tau[static_cast<std::size_t>(e.index)]);
    }
    if (body.parent < 0) continue;
    const auto up = static_cast<std::size_t>(body.parent);
    touched[up] = 1, wrench[up] = sum(wrench[up], wrench[b]);
  }
}

void record_finish(Recorder& recorder, const Model& model, const ContactLayout& layout) {
  std::vector<Expr> tau = recorder.input("id", numbered("id", static_cast<std::size_t>(model.nv)));
  const std::vector<Column> S = input_columns(recorder, model, layout, known_columns(model, layout));
  const std::size_t joints = layout.joint_freedoms.size();
  const std::vector<Expr> w = recorder.input("w", numbered("w", layout.bodies.size() * row_room)),
                          dt = recorder.input("dt", numbered("dt", joints));
  subtract_contacts(model, layout, S, w, tau);
  for (std::size_t k = 0; k < joints; ++k) {
    Expr& torque = tau[static_cast<std::size_t>(layout.joint_freedoms[k])];
    torque = torque - dt[k];
  }
  recorder.output("tau", prefixed("tau.", force_names(model)), tau);
}

}  // namespace

InverseStages inverse_stages(const Model& model, const ContactLayout& layout, bool wrenches) {
  const RecordMinimal prepare = [&](Recorder& recorder, const Model& robot, const MinimalFormulation& f) {
    record_prepare(recorder, robot, f, layout, wrenches);
  };
  const bool minimal = has_minimal_tree(model.tree());
  InverseStages stages;
  stages.prepare = program_in(model, cheapest_formulation(model, {minimal && !wrenches, false, !wrenches}, prepare), prepare);
  Recorder recorder;
  record_finish(recorder, model, layout);
  stages.finish = recorder.program();
  return stages;
}

}  // namespace sparsedyn
