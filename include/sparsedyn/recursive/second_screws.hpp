// The screws of all freedoms on the way of a body, as that body sees them: what a pair of freedoms below meets.
// Equations and names as in docs/second-derivatives.md.
#pragma once

#include "sparsedyn/recursive/joint_screws.hpp"
#include "sparsedyn/recursive/triple_index.hpp"

namespace sparsedyn {

/// True where freedom c of the joint shifts its body without turning it.
constexpr bool is_shift(BodyJoint joint, int c) {
  switch (joint) {
    case BodyJoint::prismatic: return true;
    case BodyJoint::planar: return c < 2;
    case BodyJoint::floating: return c >= 3;
    default: return false;
  }
}

/// A body's frame, as second derivatives need it: rates are taken from the point c that the parent carries.
template <class S>
struct SecondFrame {
  Mat3<S> R;
  Vec3<S> d, w;     // of O_i in the parent, and the rate of c there
  Vec3<S> v_joint;  // velocity of O_i from c
};

/// A freedom's screw with the rates z1, l1, z2 by which the parent carries it, L2 = l2 − z × a, and zv, lv: the mean of what
/// parent and child make of it.
template <class S>
struct SecondScrew {
  Vec3<S> z, l, z1, l1, z2, L2, zv, lv;
};

/// What a triple reads of its highest screw: z, l, z1, z2, L2, zv, lv, component by component, a plane for each.
enum class ScrewPlane { z = 0, l = 3, z1 = 6, z2 = 9, L2 = 12, zv = 15, lv = 18 };
constexpr int screw_planes = 21;

/// Allocated once for a model; one a thread.
template <class S>
struct SecondWorkspace {
  explicit SecondWorkspace(const Model& model) : moments(model), frames(model.bodies.size()), screws(model.nv) {
    const TripleIndex index(model);
    int room = 0;
    for (const Body& body : model.bodies) {
      first.push_back(room);
      room += screw_planes * index.width(body.v);
    }
    seen.assign(room, S(0.0));
  }
  MomentWorkspace<S> moments;
  std::vector<SecondFrame<S>> frames;
  std::vector<SecondScrew<S>> screws;  // by entry of v, in its own body
  std::vector<S> seen;                 // for each body the planes of the screws on its way, by depth
  std::vector<int> first;              // where those of a body begin
};

namespace detail {

template <class S>
SecondScrew<S> second_screw(const BodyMoments<S>& x, const BodyMotion<S>& carrier, const Vec3<S>& v_joint, const Motion<S>& e) {
  const Constant<S> half(0.5);
  const Vec3<S> mean = half * (x.motion.w + carrier.w);
  return {e.w,
          e.v,
          cross(carrier.w, e.w),
          cross(carrier.w, e.v),
          carrier.U * e.w,
          carrier.U * e.v - cross(e.w, carrier.a),
          cross(mean, e.w),
          cross(mean, e.v) - half * cross(e.w, v_joint)};
}

/// About e_z.
template <class S>
SecondScrew<S> second_revolute(const BodyMotion<S>& m) {
  const S o(0.0);
  const Vec3<S> z1{{m.w[1], -m.w[0], o}}, zero = zero3<S>();
  return {{{o, o, S(1.0)}}, zero, z1, zero, column(m.U, 2), {{m.a[1], -m.a[0], o}}, z1, zero};
}

/// The plane's three components for four freedoms.
template <class S>
Vec3<Lanes<S>> load(const S* planes, int width, ScrewPlane x) {
  const S* from = planes + static_cast<int>(x) * width;
  return {{sparsedyn::load(from), sparsedyn::load(from + width), sparsedyn::load(from + 2 * width)}};
}
template <class S>
void store(const Vec3<Lanes<S>>& u, S* planes, int width, ScrewPlane x) {
  for (int r = 0; r < 3; ++r) sparsedyn::store(u[r], planes + (static_cast<int>(x) + r) * width);
}

/// Four screws from the parent's frame: the origin shifts by d, with the rate w from the point that they were seen from.
template <class S>
void pass_down(const Mat3<S>& R, const Vec3<S>& d, const Vec3<S>& w, const S* parent, int parent_width, S* child, int width) {
  using P = ScrewPlane;
  const auto from = [&](P x) { return load(parent, parent_width, x); };
  const auto to = [&](const Vec3<Lanes<S>>& u, P x) { store(transposed_times(R, u), child, width, x); };
  const Vec3<Lanes<S>> z = from(P::z), z1 = from(P::z1), z2 = from(P::z2), zv = from(P::zv);
  to(z, P::z), to(z1, P::z1), to(z2, P::z2), to(zv, P::zv);
  to(from(P::l) - cross(d, z), P::l);
  to(from(P::lv) - cross(d, zv) - cross(w, z), P::lv);
  to(from(P::L2) - cross(d, z2) - twice(cross(w, z1)), P::L2);
}

template <class S>
void set_plane(const Vec3<S>& u, S* planes, int width, ScrewPlane x) {
  for (int r = 0; r < 3; ++r) planes[(static_cast<int>(x) + r) * width] = u[r];
}

}  // namespace detail

/// Frames and screws after moment_passes. Where parent and child carry the axis alike, c may as well be O_i.
template <class S>
void find_frames(const Model& model, const TripleIndex& index, SecondWorkspace<S>& ws) noexcept {
  using P = ScrewPlane;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    const BodyMoments<S>& x = ws.moments.bodies[b];
    const bool fixed = has_fixed_axis(body.joint);
    SecondFrame<S>& frame = ws.frames[b];
    frame = {x.pose.R, x.pose.d, x.w, zero3<S>()};
    if (!fixed) frame.v_joint = x.v_joint, frame.w = x.w - x.pose.R * x.v_joint;
    S* seen = ws.seen.data() + ws.first[b];
    const int width = index.width(body.v);
    if (body.parent >= 0) {
      const int up = index.width(model.bodies[body.parent].v);
      for (int at = 0; at < up; at += TripleIndex::block)
        detail::pass_down(frame.R, frame.d, ws.frames[body.parent].v_joint + frame.w,
                          ws.seen.data() + ws.first[body.parent] + at, up, seen + at, width);
    }
    for (int c = 0; c < freedoms(body.joint); ++c) {
      const bool revolute = body.joint == BodyJoint::revolute;
      const SecondScrew<S>& e = ws.screws[body.v + c] =
          revolute ? detail::second_revolute(x.motion)
                   : detail::second_screw(x, fixed ? x.motion : x.parent, frame.v_joint,
                                          cast<S>(cast<Constant<S>>(motion_subspace(body, c))));
      S* at = seen + index.depth(body.v + c);
      const auto set = [&](const Vec3<S>& u, P plane) { detail::set_plane(u, at, width, plane); };
      set(e.z, P::z), set(e.l, P::l), set(e.z1, P::z1), set(e.z2, P::z2), set(e.L2, P::L2), set(e.zv, P::zv), set(e.lv, P::lv);
    }
  }
}

}  // namespace sparsedyn
