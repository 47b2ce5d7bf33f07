#include "contact_stages.hpp"

#include <cstddef>

#include "codegen/contacts/loops/loop_rows.hpp"
#include "codegen/programs/recorded_dynamics.hpp"
#include "contact_step.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {
namespace {

/// Eliminates the other freedoms of M and of the pushes.
void record_prepare(Recorder& recorder, const Model& model, const MinimalFormulation& f, const ContactLayout& layout,
                    bool wrenches) {
  const std::vector<Expr> q = recorder.coordinates(model), v = recorder.input("dq", prefixed("dq.", velocity_names(model))),
                          tau = recorder.input("tau", prefixed("tau.", force_names(model)));
  const WrenchInputs fx(recorder, model, f, wrenches);
  std::vector<Expr> push = inverse_dynamics(model, f, q, v, nullptr, fx);
  for (std::size_t k = 0; k < push.size(); ++k) push[k] = tau[k] - push[k];
  std::vector<std::vector<Expr>> A = joint_space_matrix(model, f, q).lower;
  Values fixed_pivots, rest;
  std::vector<Expr> diagonal;
  for (std::size_t k = 0; k < A.size(); ++k) diagonal.push_back(A[k][k]);
  for (auto at = layout.others.rbegin(); at != layout.others.rend(); ++at) {
    const auto k = static_cast<std::size_t>(*at);
    fixed_pivots.add(A[k][k]), fixed_pivots.add(diagonal[k]);
    const std::vector<Expr> row = A[k];
    const Expr inverted = Expr(1.0) / row[k];
    rest.add(push[k] * inverted);
    for (int i : layout.before[k]) {
      const auto above = static_cast<std::size_t>(i);
      A[k][above] = row[above] * inverted;
      rest.add(A[k][above]);
      push[above] = push[above] - A[k][above] * push[k];
      for (int j : layout.before[k])
        if (j <= i)
          A[above][static_cast<std::size_t>(j)] =
              A[above][static_cast<std::size_t>(j)] - A[k][above] * row[static_cast<std::size_t>(j)];
    }
  }
  Values kept, pushes;
  for_each_entry(layout, [&](int i, int j) { kept.add(A[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]); });
  for (int i : layout.moved) pushes.add(push[static_cast<std::size_t>(i)]);
  const Frames frames(model, q, v);
  output(recorder, "M", kept), output(recorder, "push", pushes);
  output(recorder, "S", varying_columns(recorder, layout, frames));
  record_contact_geometry(recorder, layout, frames);
  if (!layout.loops.empty()) record_loops(recorder, model, layout, frames, q, v);
  output(recorder, "rest", rest), output(recorder, "fixed_pivots", fixed_pivots);
}

/// a_k = z_k − Σ L_ki a_i, base to tips.
void record_finish(Recorder& recorder, const Model& model, const ContactLayout& layout) {
  std::size_t numbers = 0;
  for (int k : layout.others) numbers += 1 + layout.before[static_cast<std::size_t>(k)].size();
  const std::vector<Expr> rest = recorder.input("rest", numbered("rest", numbers)),
                          x = recorder.input("x", numbered("x", layout.moved.size()));
  std::vector<Expr> a(static_cast<std::size_t>(model.nv));
  for (std::size_t k = 0; k < layout.moved.size(); ++k) a[static_cast<std::size_t>(layout.moved[k])] = x[k];
  std::size_t next = numbers;
  for (int k : layout.others) {
    const std::vector<int>& before = layout.before[static_cast<std::size_t>(k)];
    next -= 1 + before.size();  // record_prepare went from the tips
    Expr value = rest[next];
    std::size_t at = next + 1;
    for (int i : before) value = value - rest[at++] * a[static_cast<std::size_t>(i)];
    a[static_cast<std::size_t>(k)] = value;
  }
  recorder.output("ddq", prefixed("ddq.", velocity_names(model)), a);
}

}  // namespace

ContactStages contact_stages(const Model& model, const ContactLayout& layout, bool wrenches, const VaryingRobot* varying) {
  const RecordMinimal prepare = [&](Recorder& recorder, const Model& robot, const MinimalFormulation& f) {
    if (varying) varying->declare(recorder, robot, wrenches ? 4 : 3);
    record_prepare(recorder, robot, f, layout, wrenches);
  };
  const bool minimal = has_minimal_tree(model.tree());
  const Model& moved = varying ? varying->model() : model;
  const Choices choices{minimal && !wrenches, false, !wrenches, varying != nullptr};
  ContactStages stages;
  stages.prepare = program_in(moved, cheapest_formulation(moved, choices, prepare), prepare);
  const KnownColumns known = known_columns(model, layout);
  {
    Recorder recorder;
    record_step(recorder, model, layout, known);
    stages.step = recorder.program();
  }
  {
    Recorder recorder;
    record_finish(recorder, model, layout);
    stages.finish = recorder.program();
  }
  return stages;
}

}  // namespace sparsedyn
