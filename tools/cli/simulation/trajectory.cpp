#include "trajectory.hpp"

#include <cmath>

namespace sparsedyn::cli {
namespace {

constexpr double pi = 3.14159265358979323846;

/// An orientation R = Rz(yaw) Ry(pitch) Rx(roll) as a quaternion x y z w, its angular velocity in body coordinates
/// (Rᵀ Ṙ = [ω]×) and that one's rate.
struct Orientation {
  double quaternion[4];
  Vec3<double> w, dw;
  Mat3<double> R;
};

Orientation orientation(const Jet& roll, const Jet& pitch, const Jet& yaw) {
  const double sa = std::sin(roll.x), ca = std::cos(roll.x), sb = std::sin(pitch.x), cb = std::cos(pitch.x);
  const double da = roll.dx, db = pitch.dx, dc = yaw.dx;
  Orientation o;
  o.w = {{da - dc * sb, db * ca + dc * cb * sa, -db * sa + dc * cb * ca}};
  o.dw = {{roll.ddx - yaw.ddx * sb - dc * db * cb,
           pitch.ddx * ca - db * da * sa + yaw.ddx * cb * sa + dc * (da * cb * ca - db * sb * sa),
           -pitch.ddx * sa - db * da * ca + yaw.ddx * cb * ca - dc * (da * cb * sa + db * sb * ca)}};
  o.R = rotation_from_rpy({{roll.x, pitch.x, yaw.x}});
  const double sr = std::sin(0.5 * roll.x), cr = std::cos(0.5 * roll.x), sp = std::sin(0.5 * pitch.x);
  const double cp = std::cos(0.5 * pitch.x), sy = std::sin(0.5 * yaw.x), cy = std::cos(0.5 * yaw.x);
  const double quaternion[4] = {sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
                                cr * cp * cy + sr * sp * sy};
  for (int k = 0; k < 4; ++k) o.quaternion[k] = quaternion[k];
  return o;
}

void move_spherical(const Jet* x, double* q, double* v, double* a) {
  const Orientation o = orientation(x[0], x[1], x[2]);
  for (int k = 0; k < 4; ++k) q[k] = o.quaternion[k];
  for (int k = 0; k < 3; ++k) v[k] = o.w[k], a[k] = o.dw[k];
}

/// Linear velocity in the body's axes, v = Rᵀ ṗ, and its rate Rᵀ p̈ − ω × v.
void move_floating(const Jet* x, double* q, double* v, double* a) {
  const Orientation o = orientation(x[0], x[1], x[2]);
  const Vec3<double> velocity = transposed_times(o.R, Vec3<double>{{x[3].dx, x[4].dx, x[5].dx}});
  const Vec3<double> rate = transposed_times(o.R, Vec3<double>{{x[3].ddx, x[4].ddx, x[5].ddx}}) - cross(o.w, velocity);
  for (int k = 0; k < 3; ++k) {
    q[k] = x[3 + k].x;
    v[k] = o.w[k], a[k] = o.dw[k];
    v[3 + k] = velocity[k], a[3 + k] = rate[k];
  }
  for (int k = 0; k < 4; ++k) q[3 + k] = o.quaternion[k];
}

/// The same in the plane: x, y, angle.
void move_planar(const Jet* x, double* q, double* v, double* a) {
  const double c = std::cos(x[2].x), s = std::sin(x[2].x), w = x[2].dx;
  for (int k = 0; k < 3; ++k) q[k] = x[k].x;
  v[0] = c * x[0].dx + s * x[1].dx;
  v[1] = c * x[1].dx - s * x[0].dx;
  v[2] = w;
  a[0] = c * x[0].ddx + s * x[1].ddx + w * v[1];
  a[1] = c * x[1].ddx - s * x[0].ddx - w * v[0];
  a[2] = x[2].ddx;
}

/// How far freedom k of a body goes (rad or m).
double reach(BodyJoint joint, int k) {
  constexpr double turn = 0.9, shift = 0.15;
  switch (joint) {
    case BodyJoint::prismatic: return shift;
    case BodyJoint::planar: return k < 2 ? shift : turn;
    case BodyJoint::floating: return k < 3 ? turn : shift;
    default: return turn;
  }
}

}  // namespace

Jet at(const SmoothCurve& curve, double t) {
  Jet jet{curve.offset, 0, 0};
  for (const auto& wave : curve.waves) {
    const double s = std::sin(wave.rate * t + wave.phase), c = std::cos(wave.rate * t + wave.phase);
    jet.x += wave.amplitude * s;
    jet.dx += wave.amplitude * wave.rate * c;
    jet.ddx -= wave.amplitude * wave.rate * wave.rate * s;
  }
  return jet;
}

Random::Random(std::uint64_t seed) : state_(seed) {}

/// SplitMix64 (Steele, Lea & Flood, Fast splittable pseudorandom number generators, 2014).
std::uint64_t Random::next() {
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) { return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53; }

/// Box & Muller (1958).
double Random::normal() {
  const double u = 1.0 - uniform(0, 1), angle = uniform(0, 2 * pi);
  return std::sqrt(-2.0 * std::log(u)) * std::cos(angle);
}

SmoothCurve random_curve(Random& random, double size) {
  SmoothCurve curve;
  curve.offset = random.uniform(-0.4, 0.4) * size;
  for (auto& wave : curve.waves)
    wave = {random.uniform(0.05, 0.2) * size, 2 * pi * random.uniform(0.1, 0.6), random.uniform(0, 2 * pi)};
  return curve;
}

Trajectory::Trajectory(const Model& model, Random& random) : model_(model) {
  for (const Body& body : model.bodies) {
    curves_.emplace_back();
    for (int k = 0; k < freedoms(body.joint); ++k) curves_.back().push_back(random_curve(random, reach(body.joint, k)));
  }
}

void Trajectory::evaluate(double t, double* q, double* v, double* a) const {
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& body = model_.bodies[i];
    Jet x[6];
    for (std::size_t k = 0; k < curves_[i].size(); ++k) x[k] = at(curves_[i][k], t);
    switch (body.joint) {
      case BodyJoint::planar: move_planar(x, q + body.q, v + body.v, a + body.v); break;
      case BodyJoint::spherical: move_spherical(x, q + body.q, v + body.v, a + body.v); break;
      case BodyJoint::floating: move_floating(x, q + body.q, v + body.v, a + body.v); break;
      default: q[body.q] = x[0].x, v[body.v] = x[0].dx, a[body.v] = x[0].ddx;
    }
  }
}

}  // namespace sparsedyn::cli
