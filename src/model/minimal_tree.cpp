#include "minimal_tree.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "axial.hpp"
#include "base_parameters.hpp"
#include "canonical_frames.hpp"
#include "sized.hpp"

namespace sparsedyn {
namespace {

/// Of the angle of (c, s). Quarter turns are exact, both numbers or none: a sine of 1e-7 beside a cosine of 1 is no rounding.
Turn<double> snapped(long double c, long double s) {
  const long double size = std::hypot(c, s);
  c /= size, s /= size;
  if (std::fabs(s) < kRounding) return {std::copysign(1.0, static_cast<double>(c)), 0.0};
  if (std::fabs(c) < kRounding) return {0.0, std::copysign(1.0, static_cast<double>(s))};
  return {static_cast<double>(c), static_cast<double>(s)};
}

template <class S>
Mat3<S> about_z(const Turn<double>& t) {
  return {{{t.c, -t.s, 0.0}, {t.s, t.c, 0.0}, {0.0, 0.0, 1.0}}};
}
template <class S>
Mat3<S> about_x(const Turn<double>& t) {
  return {{{1.0, 0.0, 0.0}, {0.0, t.c, -t.s}, {0.0, t.s, t.c}}};
}
template <class S>
Mat3<S> before_joint(const MinimalBody& b) {
  return about_z<S>(b.beta) * about_x<S>(b.alpha);
}

/// R = Rz(beta) Rx(alpha) Rz(theta0), with beta = 0 where the axes are parallel. Where they nearly are, beta is known to few
/// digits, and theta0 makes up for it.
void set_rotation(MinimalBody& body, const Mat3<Sized>& R) {
  const auto entry = [&](int i, int k) { return vanishes(R(i, k)) ? 0.0L : R(i, k).value; };
  const long double x = entry(0, 2), y = -entry(1, 2), sine = std::hypot(x, y);
  const bool parallel = sine < kRounding;
  body.beta = parallel ? Turn<double>{1, 0} : snapped(y / sine, x / sine);
  const bool about = body.beta.s == 0 && body.beta.c < 0;
  if (about) body.beta.c = 1;
  body.alpha = snapped(entry(2, 2), about ? -sine : sine);
  const Mat3<Sized> R0 = transpose(before_joint<Sized>(body)) * R;
  body.offset = static_cast<double>(std::atan2(R0(1, 0).value, R0(0, 0).value));
  body.theta0 = constant_turn(body.offset);
}

/// Bodies in a chain of parallel joints share one frame orientation, so that no rotation is needed between them. It is that of
/// the last of these bodies that carries a body on a joint which is not parallel, or of the first one where none does.
void share_axes(MinimalTree& tree, const std::vector<int>& apart) {
  const std::size_t n = tree.bodies.size();
  std::vector<int> head(n), leader(n);
  for (std::size_t i = 0; i < n; ++i) {
    const MinimalBody& b = tree.bodies[i];
    const bool shares = parallel_to_parent(tree, b) && std::count(apart.begin(), apart.end(), static_cast<int>(i)) == 0;
    head[i] = shares ? head[b.parent] : static_cast<int>(i);
    if (b.parent >= 0 && !shares) leader[head[b.parent]] = b.parent;
    leader[i] = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < n; ++i) tree.bodies[i].leader = leader[head[i]];
}

/// A leaf body that is symmetric about its joint's axis needs no rotation with its joint.
void rest_axes(MinimalTree& tree) {
  std::vector<bool> carries(tree.bodies.size(), false);
  for (const MinimalBody& b : tree.bodies)
    if (b.parent >= 0) carries[b.parent] = true;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    MinimalBody& b = tree.bodies[i];
    const Inertia<double>& I = b.inertia;
    const Sym3<double>& s = I.moments;
    const bool round = I.h[0] == 0 && I.h[1] == 0 && s.xx == s.yy && s.xy == 0 && s.xz == 0 && s.yz == 0;
    if (b.joint == BodyJoint::revolute && !carries[i] && round) b.turns = false;
  }
}

int entries(const Vec3<double>& a) { return (a[0] != 0) + (a[1] != 0) + (a[2] != 0); }

/// Whether the shift along the axis is better taken with U e_z of the body: fewer entries are left for its parent's U, and that
/// is not the sparse one of a first joint.
bool shifts_with_child(const MinimalTree& tree, const MinimalBody& b) {
  if (b.parent < 0 || (tree.bodies[b.parent].parent < 0 && tree.bodies[b.parent].joint != BodyJoint::floating)) return false;
  const Vec3<double> across = turn_z(b.beta, turn_x(b.alpha, Vec3<double>{{b.shift[0], b.shift[1], 0.0}}));
  return entries(across) + 1 < entries(b.origin);
}

void measure_in(double unit, MinimalBody& body, Inertia<Sized>& inertia, Inertia<Sized>& moved) {
  body.shift = (1 / unit) * body.shift;
  body.origin = (1 / unit) * body.origin;
  for (Inertia<Sized>* I : {&inertia, &moved}) {
    I->m = unit * unit * I->m;
    I->h = unit * I->h;
  }
}

/// From the parent's frame to the body's, both canonical.
Pose<Sized> between(const Model& model, const std::vector<Pose<long double>>& frames, int i) {
  const Body& b = model.bodies[i];
  const Pose<Sized> own = sized(b.placement) * cast<Sized>(frames[i]);
  return b.parent < 0 ? own : inverse(cast<Sized>(frames[b.parent])) * own;
}

}  // namespace

bool parallel_to_parent(const MinimalTree& tree, const MinimalBody& body) {
  return body.joint == BodyJoint::revolute && body.parent >= 0 && tree.bodies[body.parent].joint == BodyJoint::revolute &&
         body.alpha.s == 0;
}

Turn<double> constant_turn(double angle) { return snapped(std::cos(angle), std::sin(angle)); }

bool has_minimal_tree(const Model& model) {
  const auto upright = [](const Mat3<double>& R) { return R(0, 0) == 1.0 && R(1, 1) == 1.0 && R(2, 2) == 1.0; };
  for (const Body& b : model.bodies)
    if (!(b.joint == BodyJoint::revolute || b.joint == BodyJoint::prismatic ||
          (b.joint == BodyJoint::floating && b.parent < 0 && upright(b.placement.R))))
      return false;
  return true;
}

MinimalTree minimal_tree(const Model& model, const MinimalOptions& options) {
  if (!has_minimal_tree(model))
    throw std::invalid_argument("a joint is neither revolute, prismatic nor a root that floats along the world's axes");
  const std::vector<Pose<long double>> frames =
      options.canonical_frames ? canonical_frames(model, {options.varying, options.unturned, options.unshifted})
                               : std::vector<Pose<long double>>(model.bodies.size(), identity_pose<long double>());
  MinimalTree tree{{}, (1 / options.unit) * model.gravity, model.nq, model.nv, options.unit};
  std::vector<Inertia<Sized>> inertia;
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Body& b = model.bodies[i];
    const Pose<Sized> A = between(model, frames, i);
    inertia.push_back(to_parent(cast<Sized>(inverse(frames[i])), sized(b.inertia)));
    MinimalBody body{b.parent, b.joint, b.q, b.v, {}, {}, {}, 0, {}, {}, {}, {}, {}, i, true, false};
    body.body_frame = rounded(inverse(frames[i]));
    set_rotation(body, A.R);
    body.shift = rounded(transposed_times(before_joint<Sized>(body), A.d));
    body.origin = rounded(A.d);
    tree.bodies.push_back(body);
  }
  std::vector<Inertia<Sized>> moved = inertia;
  if (options.base_parameters) move_to_parents(tree, options.kept, inertia);
  if (options.base_parameters && options.balanced) balance_parents(tree, moved);
  if (!options.balanced) moved = inertia;
  share_axes(tree, options.apart);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    MinimalBody& b = tree.bodies[i];
    b.shift_with_child = shifts_with_child(tree, b);
    measure_in(options.unit, b, inertia[i], moved[i]);
  }
  for (const AxisShare& share : options.balanced ? options.shares : std::vector<AxisShare>())
    give_to_parent(tree, share, moved);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    tree.bodies[i].inertia = rounded(inertia[i]), tree.bodies[i].moved = rounded(moved[i]);
  if (options.axes_at_rest) rest_axes(tree);
  for (int i : options.other_shift) tree.bodies[i].shift_with_child = !tree.bodies[i].shift_with_child;
  return tree;
}

Pose<double> zero_placement(const MinimalBody& body) {
  return {before_joint<double>(body) * about_z<double>(body.theta0), body.origin};
}

std::vector<Pose<double>> axial_steps(const MinimalBody& body) {
  const auto turn = [](const Mat3<double>& R) { return Pose<double>{R, zero3<double>()}; };
  const auto shift = [](double x, double y, double z) { return Pose<double>{identity3<double>(), {{x, y, z}}}; };
  const bool slides = body.joint == BodyJoint::prismatic;
  const Vec3<double>& d = body.shift;
  std::vector<Pose<double>> steps{turn(about_z<double>(body.beta)), shift(d[0], 0, 0), turn(about_x<double>(body.alpha)),
                                  shift(0, d[1], slides ? 0 : d[2]), turn(about_z<double>(body.theta0))};
  if (slides) steps.push_back(shift(0, 0, d[2]));
  return steps;
}

std::vector<double> length_units(const Model& model) {
  constexpr double kShort = 1e-6;  // beside the largest offset: its square would not be far from the smallest numbers
  double largest = 0;
  std::map<double, int> uses;  // of an offset, to 12 digits
  for (const MinimalBody& b : minimal_tree(model).bodies)
    for (int k = 0; k < 3; ++k) {
      const double offset = std::fabs(b.shift[k]);
      if (offset == 0) continue;
      largest = std::max(largest, offset);
      const double digit = std::pow(10.0, 12 - std::ceil(std::log10(offset)));
      ++uses[std::round(offset * digit) / digit];
    }
  std::vector<std::pair<int, double>> most;
  for (const auto& [offset, n] : uses)
    if (offset > kShort * largest) most.push_back({-n, offset});
  std::sort(most.begin(), most.end());
  std::vector<double> units{1.0};
  for (std::size_t k = 0; k < std::min<std::size_t>(most.size(), 6); ++k) units.push_back(most[k].second);
  return units;
}

}  // namespace sparsedyn
