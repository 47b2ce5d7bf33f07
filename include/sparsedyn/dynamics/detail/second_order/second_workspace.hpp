// What second derivatives of inverse dynamics keep for each body and freedom, and the pass that prepares it.
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/detail/second_order/second_order_column.hpp"

namespace sparsedyn {

/// Allocated once for a model; one a thread.
template <class S>
struct SecondWorkspace {
  explicit SecondWorkspace(const Model& robot)
      : moments(robot),
        frames(robot.bodies.size()),
        screws(robot.tree().nv),
        kinds(screws.size()),
        all_fixed(robot.bodies.size(), true),
        force_columns(robot.tree().nv) {
    const Model& model = robot.tree();
    const TensorIndex index(model);
    int room = 0;
    for (const Body& body : model.bodies) {
      first.push_back(room);
      if (freedoms(body.joint) > 0) room += index.way(body.v);
      for (int c = 0; c < freedoms(body.joint); ++c) kinds[body.v + c] = screw_kind(body, c);
    }
    seen.resize(room);
    for (int b = static_cast<int>(model.bodies.size()) - 1; b >= 0; --b) {
      const Body& body = model.bodies[b];
      all_fixed[b] = all_fixed[b] && has_fixed_axis(body.joint);
      if (body.parent >= 0) all_fixed[body.parent] = all_fixed[body.parent] && all_fixed[b];
    }
  }
  MomentWorkspace<S> moments;
  std::vector<SecondFrame<S>> frames;
  std::vector<SecondScrew<S>> screws;  // by entry of v, in its own body
  std::vector<ScrewKind> kinds;        // by entry of v
  std::vector<SeenScrew<S>> seen;      // for each body the screws on its way, by depth
  std::vector<int> first;              // where those of a body begin
  std::vector<char> all_fixed;         // by body: its joint and all below have fixed axes
  SecondOrderColumns<S> force_columns;
};

inline namespace SPARSEDYN_CODE {

/// Frames and screws after moment_passes. Where parent and child carry the axis alike, c may as well be O_i.
template <class S>
void find_frames(const Model& model, const TensorIndex& index, SecondWorkspace<S>& ws) noexcept {
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    const BodyMoments<S>& x = ws.moments.bodies[b];
    const bool fixed = has_fixed_axis(body.joint);
    SecondFrame<S>& frame = ws.frames[b];
    frame = {x.w, zero3<S>()};
    if (!fixed) frame.v_joint = x.v_joint, frame.w = x.w - x.pose.R * x.v_joint;
    SeenScrew<S>* seen = ws.seen.data() + ws.first[b];
    if (body.parent >= 0) {
      frame.w = frame.w + ws.frames[body.parent].v_joint;
      const SeenScrew<S>* above = ws.seen.data() + ws.first[body.parent];
      for (int d = 0; d < index.depth(body.v); ++d)
        detail::pass_down(x.pose, frame.w, ws.kinds[index.on_path(body.v, d)], above[d], seen[d]);
    }
    for (int c = 0; c < freedoms(body.joint); ++c) {
      const bool revolute = body.joint == BodyJoint::revolute;
      SecondScrew<S>& e = ws.screws[body.v + c] =
          revolute ? detail::second_revolute(x.motion)
                   : detail::second_screw(x, fixed ? x.motion : x.parent, frame.v_joint,
                                          cast<S>(cast<Constant<S>>(motion_subspace(body, c))));
      detail::see(e, seen[index.depth(body.v + c)]);
    }
  }
}

}  // namespace SPARSEDYN_CODE

}  // namespace sparsedyn
