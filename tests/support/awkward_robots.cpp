#include "support/awkward_robots.hpp"

#include <cmath>
#include <random>
#include <string>

#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::test {
namespace {

const double pi = std::acos(-1.0);

/// Draws one number a statement: a seed means one sequence whatever the compiler.
class Draw {
 public:
  explicit Draw(unsigned seed) : rng_(seed) {}
  double uniform(double low, double high) { return low + (high - low) * (static_cast<double>(rng_()) / 4294967296.0); }
  int below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  bool once_in(int n) { return below(n) == 0; }
  double sign() { return below(2) ? 1.0 : -1.0; }
  /// ±1e-1 … ±1e-12, or sometimes 0.
  double sliver() {
    const double size = std::pow(10.0, -uniform(1, 12)), s = sign();
    return once_in(8) ? 0.0 : s * size;
  }
  Vec3<double> vector(double scale) {
    const double x = uniform(-scale, scale), y = uniform(-scale, scale), z = uniform(-scale, scale);
    return {{x, y, z}};
  }
  /// A multiple of π/2 and a sliver, or any angle.
  double angle() {
    const double near = 0.5 * pi * (below(9) - 4), off = sliver(), any = uniform(-pi, pi);
    return once_in(4) ? any : near + off;
  }
  /// 10^u with u uniform over so many decades about 0.
  double magnitude(double decades) { return std::pow(10.0, uniform(-0.5 * decades, 0.5 * decades)); }

 private:
  std::mt19937 rng_;
};

/// Near ±x, ±y or ±z, or near `other` or its opposite; its length mostly 1 to rounding or to eight decimals, as files have it.
Vec3<double> awkward_axis(Draw& draw, const Vec3<double>& other) {
  Vec3<double> axis = zero3<double>();
  const int entry = draw.below(3);
  axis[entry] = draw.sign();
  if (draw.once_in(3)) axis = (draw.sign() / std::sqrt(dot(other, other))) * other;
  const Vec3<double> any = draw.vector(1);
  const double off = draw.sliver();
  axis = axis + off * any;
  const int length = draw.below(4);
  const double scale = draw.magnitude(6);
  if (length == 0) return scale * axis;
  axis = (1 / std::sqrt(dot(axis, axis))) * axis;
  if (length == 1)
    for (int k = 0; k < 3; ++k) axis[k] = std::round(axis[k] * 1e8) / 1e8;
  return axis;
}

Vec3<double> awkward_rpy(Draw& draw) {
  const double r = draw.angle(), p = draw.angle(), y = draw.angle();
  return {{r, p, y}};
}

AwkwardPart awkward_part(Draw& draw, JointKind kind, double length, Vec3<double>& last_axis) {
  AwkwardPart part;
  part.xyz = draw.vector(length);
  if (draw.once_in(4)) part.xyz = zero3<double>();
  part.rpy = awkward_rpy(draw);
  // the parent's axis in this joint's frame
  last_axis = transposed_times(rotation_from_rpy(part.rpy), last_axis);
  part.joint.kind = kind;
  part.joint.axis = awkward_axis(draw, last_axis);
  const double pitch = draw.magnitude(4);
  part.joint.pitch = kind == JointKind::helical ? pitch * length : 0;
  part.joint.axis2 = awkward_axis(draw, part.joint.axis);
  last_axis = kind == JointKind::universal ? part.joint.axis2 : part.joint.axis;
  return part;
}

/// A solid box or, now and then, a thin rod or plate, turned at an awkward angle.
void awkward_inertia(Draw& draw, double mass, double length, AwkwardLink& link) {
  link.mass = mass;
  link.com = draw.vector(length);
  Vec3<double> sides{{1, 1, 1}};
  for (int k = 0; k < 3; ++k) {
    const double thin = draw.magnitude(8), thick = draw.uniform(0.3, 1);
    sides[k] = draw.once_in(4) ? std::fmin(thin, 1.0) : thick;
  }
  const double scale = mass * length * length;
  const Sym3<double> moments{scale * sides[0] * sides[0], 0, 0, scale * sides[1] * sides[1], 0, scale * sides[2] * sides[2]};
  const Vec3<double> rpy = awkward_rpy(draw);
  link.tensor = rotated(rotation_from_rpy(rpy), trace_minus(moments));
}

Model built(const AwkwardRobot& robot, unsigned seed) {
  ModelBuilder builder("awkward" + std::to_string(seed), robot.gravity);
  const auto name = [](int i) { return "link" + std::to_string(i); };
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const AwkwardLink& link = robot.links[i];
    const Inertia<double> inertia = inertia_about_com(link.mass, link.com, link.tensor);
    const int index = static_cast<int>(i);
    if (i == 0) {
      builder.root(name(0), inertia, robot.floating);
      continue;
    }
    const auto placement = [](const AwkwardPart& part) { return Pose<double>{rotation_from_rpy(part.rpy), part.xyz}; };
    JointSpec spec = link.parts[0].joint;
    Pose<double> origin = placement(link.parts[0]);
    if (link.parts.size() > 1) {
      spec = {};
      spec.kind = JointKind::composite;
      for (const AwkwardPart& part : link.parts) spec.parts.push_back({placement(part), part.joint});
      spec.parts[0].placement = identity_pose<double>();
    }
    builder.link(name(index), inertia, name(link.parent), "joint" + std::to_string(index), spec, origin);
  }
  return builder.build();
}

/// Turned about an awkward axis by an awkward angle.
void awkward_quaternion(Draw& draw, double* u) {
  const Vec3<double> other = draw.vector(1);
  const Vec3<double> axis = awkward_axis(draw, other);
  const double angle = draw.angle(), s = std::sin(angle / 2) / std::sqrt(dot(axis, axis));
  for (int k = 0; k < 3; ++k) u[k] = s * axis[k];
  u[3] = std::cos(angle / 2);
  normalise_quaternion(u);
}

}  // namespace

AwkwardRobot awkward_robot(unsigned seed, const AwkwardOptions& options) {
  Draw draw(seed);
  AwkwardRobot robot{};
  robot.floating = draw.once_in(2);
  robot.gravity = {{0, 0, -9.81}};
  const Vec3<double> leaning = draw.vector(9.81);
  if (draw.once_in(4)) robot.gravity = leaning;
  // each robot has a spread of its own, so that most are not extreme in all respects
  const double mass_decades = draw.uniform(0, options.decades), length_decades = draw.uniform(0, options.decades);
  const int joints = 2 + draw.below(7);
  AwkwardLink root{-1, {}, 0, zero3<double>(), {}};
  const double root_mass = draw.magnitude(mass_decades), root_length = draw.magnitude(length_decades);
  awkward_inertia(draw, root_mass, root_length, root);
  robot.links.push_back(root);
  std::vector<Vec3<double>> axes{{{0, 0, 1}}};
  for (int moving = 0; moving < joints;) {
    AwkwardLink link{};
    const int last = static_cast<int>(robot.links.size()) - 1, any = draw.below(last + 1);
    link.parent = draw.once_in(3) ? any : last;
    const JointKind kind = options.kinds[static_cast<std::size_t>(draw.below(static_cast<int>(options.kinds.size())))];
    const double mass = draw.magnitude(mass_decades), length = draw.magnitude(length_decades);
    Vec3<double> axis = axes[static_cast<std::size_t>(link.parent)];
    if (kind == JointKind::composite)
      for (JointKind part : {JointKind::revolute, JointKind::prismatic, JointKind::spherical, JointKind::planar})
        link.parts.push_back(awkward_part(draw, part, length, axis));
    else
      link.parts.push_back(awkward_part(draw, kind, length, axis));
    awkward_inertia(draw, mass, length, link);
    robot.links.push_back(link);
    axes.push_back(axis);
    moving += kind != JointKind::fixed;
  }
  robot.model = built(robot, seed);
  return robot;
}

AwkwardState awkward_state(const AwkwardRobot& robot, unsigned seed) {
  Draw draw(seed);
  const Model& model = robot.model;
  AwkwardState state;
  state.q.resize(static_cast<std::size_t>(model.nq));
  for (const Body& body : model.bodies) {
    double* q = state.q.data() + body.q;
    for (int k = 0; k < coordinates(body.joint); ++k) q[k] = draw.uniform(-1, 1);
    switch (body.joint) {
      case BodyJoint::revolute:
      case BodyJoint::helical: q[0] = draw.angle(); break;
      case BodyJoint::planar: q[2] = draw.angle(); break;
      case BodyJoint::spherical: awkward_quaternion(draw, q); break;
      case BodyJoint::floating: awkward_quaternion(draw, q + 3); break;
      default: break;
    }
  }
  const double speed = draw.magnitude(4);
  const auto drawn = [&](double scale) {
    std::vector<double> x(static_cast<std::size_t>(model.nv));
    for (double& e : x) e = draw.uniform(-scale, scale);
    return x;
  };
  state.v = drawn(speed);
  state.a = drawn(speed * speed);
  state.tau = drawn(10);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Vec3<double> n = draw.vector(1), f = draw.vector(1);
    state.wrenches.push_back({n, f});
  }
  return state;
}

}  // namespace sparsedyn::test
