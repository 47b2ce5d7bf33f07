#include "wrench_inputs.hpp"

#include "codegen/minimal/recorded_tree.hpp"
#include "system/names.hpp"

namespace sparsedyn {
namespace {

/// The Model's frame of each body in the frame in which its wrench is taken.
std::vector<Pose<double>> body_frames(const Model& model, const MinimalFormulation& f) {
  std::vector<Pose<double>> frames(model.bodies.size(), identity_pose<double>());
  if (!is_minimal(model, f)) return frames;
  const MinimalTree tree = recorded_tree(model.tree(), f.tree);
  for (std::size_t i = 0; i < frames.size(); ++i) frames[i] = tree.bodies[i].body_frame;
  return frames;
}

}  // namespace

WrenchInputs::WrenchInputs(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool given) {
  if (!given) return;
  std::vector<std::string> names;
  for (const Link& link : model.links) {
    if (link.body < 0) continue;
    const std::vector<std::string> columns = prefixed("fx." + link.name + ".", force_suffixes());
    names.insert(names.end(), columns.begin(), columns.end());
  }
  const std::vector<Expr> values = recorder.input("fx", names);
  const std::vector<Pose<double>> frames = body_frames(model, f);
  on_bodies_.assign(model.bodies.size(), {zero3<Expr>(), zero3<Expr>()});
  const Expr* x = values.data();
  for (const Link& link : model.links) {
    if (link.body < 0) continue;
    const Force<Expr> wrench{{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
    on_bodies_[link.body] = on_bodies_[link.body] + to_parent(frames[link.body] * link.pose, wrench);
    x += 6;
  }
}

}  // namespace sparsedyn
