#include "minimal_tree.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "axial.hpp"
#include "base_parameters.hpp"
#include "canonical_frames.hpp"

namespace sparsedyn {
namespace {

constexpr double kRounding = 1e-13;  // rotation entries this near to 0 and ±1 are these; others in proportion to the largest

double snapped(double x) {
  const double nearest = std::round(x);
  return std::fabs(nearest) <= 1 && std::fabs(x - nearest) < kRounding ? nearest : x;
}
double cleaned(double x, double rounding) { return std::fabs(x) < rounding ? 0.0 : x; }
Vec3<double> cleaned(const Vec3<double>& a, double rounding) {
  return {{cleaned(a[0], rounding), cleaned(a[1], rounding), cleaned(a[2], rounding)}};
}
/// What is no more than rounding beside a mass and a length is zero, and second moments that differ by no more are equal.
Inertia<double> cleaned(const Inertia<double>& I, double mass, double length) {
  const Sym3<double>& s = I.moments;
  const double first = kRounding * mass * length, second = first * length;
  const auto clean = [&](double x) { return cleaned(x, second); };
  const auto like = [&](double x, double other) { return std::fabs(x - other) < second ? other : x; };
  const double xx = clean(s.xx), yy = like(clean(s.yy), xx), zz = like(like(clean(s.zz), yy), xx);
  return {cleaned(I.m, kRounding * mass), cleaned(I.h, first), {xx, clean(s.xy), clean(s.xz), yy, clean(s.yz), zz}};
}

Mat3<double> about_z(const Turn<double>& t) { return {{{t.c, -t.s, 0}, {t.s, t.c, 0}, {0, 0, 1}}}; }
Mat3<double> about_x(const Turn<double>& t) { return {{{1, 0, 0}, {0, t.c, -t.s}, {0, t.s, t.c}}}; }

/// R = Rz(beta) Rx(alpha) Rz(theta0), with beta = 0 where the axes are parallel.
void set_rotation(MinimalBody& body, const Mat3<double>& R) {
  const double pi = std::acos(-1.0);
  double alpha = std::atan2(std::hypot(R(0, 2), R(1, 2)), R(2, 2));
  double beta = std::fabs(std::sin(alpha)) < kRounding ? 0.0 : std::atan2(R(0, 2), -R(1, 2));
  if (std::fabs(std::fabs(beta) - pi) < kRounding) beta = 0.0, alpha = -alpha;
  body.alpha = constant_turn(alpha);
  body.beta = constant_turn(beta);
  const Mat3<double> R0 = transpose(about_z(body.beta) * about_x(body.alpha)) * R;
  body.offset = std::atan2(R0(1, 0), R0(0, 0));
  body.theta0 = constant_turn(body.offset);
}

/// Bodies on parallel joints share the axes of the last of them that carries others, so that these leave them unturned; those
/// that carry none have the axes of the first.
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

/// Leaves that look the same from all sides of the axis they turn about keep their axes.
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

void measure_in(double unit, MinimalBody& body) {
  body.shift = (1 / unit) * body.shift;
  body.origin = (1 / unit) * body.origin;
  for (Inertia<double>* I : {&body.inertia, &body.moved}) {
    I->m *= unit * unit;
    I->h = unit * I->h;
  }
}

/// How far the robot goes, and the bodies' radii of gyration; 1 where it has no size.
double reach(const MinimalTree& tree) {
  double length = 0;
  for (const MinimalBody& b : tree.bodies) {
    const Sym3<double>& s = b.inertia.moments;
    length += std::sqrt(dot(b.origin, b.origin)) + (b.inertia.m > 0 ? std::sqrt((s.xx + s.yy + s.zz) / b.inertia.m) : 0.0);
  }
  return length > 0 ? length : 1.0;
}

}  // namespace

bool parallel_to_parent(const MinimalTree& tree, const MinimalBody& body) {
  return body.joint == BodyJoint::revolute && body.parent >= 0 && tree.bodies[body.parent].joint == BodyJoint::revolute &&
         body.alpha.s == 0;
}

Turn<double> constant_turn(double angle) { return {snapped(std::cos(angle)), snapped(std::sin(angle))}; }

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
  const std::vector<Pose<double>> own = zero_poses(model), frames = options.canonical_frames ? canonical_frames(model) : own;
  MinimalTree tree{{}, (1 / options.unit) * model.gravity, model.nq, model.nv, options.unit};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& b = model.bodies[i];
    const Pose<double> A = b.parent < 0 ? frames[i] : inverse(frames[b.parent]) * frames[i];
    const Pose<double> body_frame = inverse(frames[i]) * own[i];
    const Inertia<double> inertia = to_parent(body_frame, b.inertia);
    MinimalBody body{b.parent, b.joint, b.q, b.v, {}, {}, {}, 0, {}, {}, inertia, inertia, body_frame, static_cast<int>(i),
                     true,     false};
    set_rotation(body, A.R);
    body.origin = A.d;
    tree.bodies.push_back(body);
  }
  const double length = std::min(1.0, reach(tree));
  for (MinimalBody& b : tree.bodies) {
    b.shift = cleaned(transposed_times(about_z(b.beta) * about_x(b.alpha), b.origin), kRounding * length);
    b.origin = cleaned(b.origin, kRounding * length);
  }
  const std::vector<Weight> weight = weights(tree);
  if (options.base_parameters) move_to_parents(tree);
  if (options.base_parameters && options.balanced) balance_parents(tree);
  if (!options.balanced)
    for (MinimalBody& b : tree.bodies) b.moved = b.inertia;
  share_axes(tree, options.apart);
  const auto clean = [&](int i, Inertia<double>& I, double given) {  // in the unit of length
    const double mass = std::min(1.0, weight[i].mass + weight[i].size / (length * length) + given);
    I = cleaned(I, mass * options.unit * options.unit, length / options.unit);
  };
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    MinimalBody& b = tree.bodies[i];
    b.shift_with_child = shifts_with_child(tree, b);
    measure_in(options.unit, b);
    clean(i, b.inertia, 0), clean(i, b.moved, 0);
  }
  if (options.axes_at_rest) rest_axes(tree);
  for (int i : options.other_shift) tree.bodies[i].shift_with_child = !tree.bodies[i].shift_with_child;
  for (const AxisShare& share : options.balanced ? options.shares : std::vector<AxisShare>()) {
    give_to_parent(tree, share);
    const double given = std::fabs(share.m) + std::fabs(share.h) + std::fabs(share.zz);
    for (int i : {share.body, tree.bodies[share.body].parent}) clean(i, tree.bodies[i].moved, given);
  }
  return tree;
}

Pose<double> zero_placement(const MinimalBody& body) {
  return {about_z(body.beta) * about_x(body.alpha) * about_z(body.theta0), body.origin};
}

std::vector<Pose<double>> axial_steps(const MinimalBody& body) {
  const auto turn = [](const Mat3<double>& R) { return Pose<double>{R, zero3<double>()}; };
  const auto shift = [](double x, double y, double z) { return Pose<double>{identity3<double>(), {{x, y, z}}}; };
  const bool slides = body.joint == BodyJoint::prismatic;
  const Vec3<double>& d = body.shift;
  std::vector<Pose<double>> steps{turn(about_z(body.beta)), shift(d[0], 0, 0), turn(about_x(body.alpha)),
                                  shift(0, d[1], slides ? 0 : d[2]), turn(about_z(body.theta0))};
  if (slides) steps.push_back(shift(0, 0, d[2]));
  return steps;
}

std::vector<double> length_units(const Model& model) {
  std::map<double, int> uses;  // of an offset, to 12 digits
  for (const MinimalBody& b : minimal_tree(model).bodies)
    for (int k = 0; k < 3; ++k)
      if (b.shift[k] != 0) ++uses[std::round(std::fabs(b.shift[k]) * 1e12) * 1e-12];
  std::vector<std::pair<int, double>> most;
  for (const auto& [offset, n] : uses) most.push_back({-n, offset});
  std::sort(most.begin(), most.end());
  std::vector<double> units{1.0};
  for (std::size_t k = 0; k < std::min<std::size_t>(most.size(), 6); ++k) units.push_back(most[k].second);
  return units;
}

Model minimal_model(const Model& model, const MinimalOptions& options) {
  const MinimalTree tree = minimal_tree(model, options);
  Model minimal = model;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const MinimalBody& b = tree.bodies[i];
    minimal.bodies[i].placement = zero_placement(b);
    minimal.bodies[i].inertia = b.inertia;
  }
  return minimal;
}

}  // namespace sparsedyn
