// Outputs::write and Outputs::gradient for any scalar. Included where they are instantiated: for double beside this file, for
// recorded expressions in codegen.
#pragma once

#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/spatial/detail/component.hpp"
#include "sparsedyn/spatial/detail/velocity_wrench.hpp"

namespace sparsedyn {
namespace detail {

template <class S>
Motion<S> motion_at(const S* x) {
  return {{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
}
template <class S>
Force<S> force_at(const S* x) {
  return {{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
}

/// B φ.
template <class S>
Force<S> joint_force_at(const JointBasis& basis, const S* x) {
  if (basis.identity) return force_at(x);
  Force<S> f{zero3<S>(), zero3<S>()};
  for (int r = 0; r < 6; ++r)
    for (int k = 0; k < 6; ++k)
      if (const double b = basis.B[r][k]; b != 0.0) component(f, r) += Constant<S>(b) * x[k];
  return f;
}

}  // namespace detail

/// Of the leading link's or the world's frame, proper: −g where the link is fixed to the world.
template <class S>
Motion<S> Outputs::acceleration(int link, const S* x) const {
  const int body = system_.model().links[link].body;
  if (body >= 0) return detail::motion_at(x + system_.acc_column(body));
  return {zero3<S>(), cast<S>(-system_.model().gravity)};
}

/// In the link's frame: an unknown, an input, or zero.
template <class S>
Force<S> Outputs::external_wrench(int link, const S* x, const S* y) const {
  if (system_.fx_column(link) >= 0) return detail::force_at(x + system_.fx_column(link));
  Force<S> sum{zero3<S>(), zero3<S>()};
  for (const KnownWrench& known : system_.known_wrenches())
    if (known.link == link) sum = sum + known_wrench(system_.measurements()[known.measurement], y);
  return sum;
}

/// f = I a + v ×* I v − Σ fx + Σ f of the joints that hang on the rigid group, in the frame of the link behind the joint.
template <class S>
Force<S> Outputs::joint_wrench(int derived, const S* x, const S* y, const SystemWorkspace<S>& work) const {
  const RigidGroup& rigid_group = rigid_groups_[derived];
  const int link = derived_[derived].link, body = system_.model().links[link].body;
  Force<S> f = rigid_group.inertia * acceleration(link, x);
  if (body >= 0) f = f + velocity_wrench(rigid_group.inertia, work.v[body]);
  for (int l : rigid_group.links) f = f - to_parent(system_.link_in_leading(l), external_wrench(l, x, y));
  for (int child : rigid_group.bodies)
    f = f + to_parent(work.X[child], detail::joint_force_at(system_.terms()[child].basis, x + system_.f_column(child)));
  return to_child(system_.link_in_leading(link), f);
}

template <class S>
void Outputs::write(const S* x, const S* y, const SystemWorkspace<S>& work, S* out) const noexcept {
  int computed = -1;
  Motion<S> motion{zero3<S>(), zero3<S>()};
  Force<S> force{zero3<S>(), zero3<S>()};
  for (std::size_t c = 0; c < sources_.size(); ++c) {
    const Column& source = sources_[c];
    if (source.velocity >= 0) {
      out[c] = work.tree.v[static_cast<std::size_t>(source.velocity)];
      continue;
    }
    if (source.unknown >= 0) {
      out[c] = source.multiplier == 1 ? x[source.unknown] : Constant<S>(source.multiplier) * x[source.unknown];
      continue;
    }
    const Derived& derived = derived_[source.derived];
    if (computed != source.derived) {
      computed = source.derived;
      if (derived.kind == VariableKind::acc)
        motion = to_child(system_.link_in_leading(derived.link), acceleration(derived.link, x));
      else
        force = derived.kind == VariableKind::fx ? external_wrench(derived.link, x, y) : joint_wrench(computed, x, y, work);
    }
    out[c] = derived.kind == VariableKind::acc ? component(motion, source.component) : component(force, source.component);
  }
}

template <class S>
S Outputs::derived_value(const Column& column, const S* x, const S* y, const SystemWorkspace<S>& work) const {
  const Derived& derived = derived_[column.derived];
  if (derived.kind == VariableKind::f) return component(joint_wrench(column.derived, x, y, work), column.component);
  if (derived.kind == VariableKind::fx) return component(external_wrench(derived.link, x, y), column.component);
  return component(to_child(system_.link_in_leading(derived.link), acceleration(derived.link, x)), column.component);
}

template <class S>
void Outputs::gradient(int c, const S* y, const SystemWorkspace<S>& work, S* zero, S* gradient) const noexcept {
  const Column& column = sources_[c];
  if (column.velocity >= 0) return;
  if (column.unknown >= 0) {
    gradient[column.unknown] = S(column.multiplier);
    return;
  }
  const S offset = derived_value(column, zero, y, work);
  for (int u : reads_[c]) {
    zero[u] = S(1.0);
    gradient[u] = derived_value(column, zero, y, work) - offset;
    zero[u] = S(0.0);
  }
}

}  // namespace sparsedyn
