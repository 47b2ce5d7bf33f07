#include "samples.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "scalar/draw.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

const double pi = std::acos(-1.0);
constexpr double close = 1e-9;  // as one angle

void write_random_quaternion(std::mt19937& rng, double* quaternion) {
  NormalDraw<std::mt19937> normal(rng);
  double norm = 0;
  for (int k = 0; k < 4; ++k) {
    quaternion[k] = normal();
    norm += quaternion[k] * quaternion[k];
  }
  for (int k = 0; k < 4; ++k) quaternion[k] /= std::sqrt(norm);
}

/// Quaternion x y z w of roll, pitch, yaw about fixed axes.
void write_quaternion(double roll, double pitch, double yaw, double* quaternion) {
  const double cr = std::cos(roll / 2), sr = std::sin(roll / 2), cp = std::cos(pitch / 2), sp = std::sin(pitch / 2),
               cy = std::cos(yaw / 2), sy = std::sin(yaw / 2);
  quaternion[0] = sr * cp * cy - cr * sp * sy;
  quaternion[1] = cr * sp * cy + sr * cp * sy;
  quaternion[2] = cr * cp * sy - sr * sp * cy;
  quaternion[3] = cr * cp * cy + sr * sp * sy;
}

std::vector<double> special_state(const Model& model, const std::function<double()>& angle) {
  std::vector<double> q(model.nq);
  for (const Body& body : model.bodies) {
    double* x = q.data() + body.q;
    const bool turns = quaternion_offset(body.joint) >= 0;
    const int scalars = coordinates(body.joint) - (turns ? 4 : 0);
    for (int k = 0; k < scalars; ++k) x[k] = angle();
    if (!turns) continue;
    const double roll = angle(), pitch = angle(), yaw = angle();
    write_quaternion(roll, pitch, yaw, x + scalars);
  }
  return q;
}

/// Coordinates of all joints but balls and free ones.
std::vector<double> angles_of(const Model& model, const double* q) {
  std::vector<double> all;
  for (const Body& body : model.bodies)
    if (quaternion_offset(body.joint) < 0) all.insert(all.end(), q + body.q, q + body.q + coordinates(body.joint));
  return all;
}

}  // namespace

void uniform_sample(const Model& model, std::mt19937& rng, double* q) {
  NormalDraw<std::mt19937> normal(rng);
  for (const Body& body : model.bodies) {
    for (int k = 0; k < coordinates(body.joint); ++k) {
      const bool length = coordinate_of(body.joint, k).measure == Measure::length;
      q[body.q + k] = (length ? 1.0 : pi) * uniform_draw(rng, -1.0, 1.0);
    }
    if (const int quaternion = quaternion_offset(body.joint); quaternion >= 0)
      for (int k = 0; k < 4; ++k) q[body.q + quaternion + k] = normal();
  }
  normalise(model, q);
}

std::vector<double> normal_sample(const Model& model, std::mt19937& rng) {
  NormalDraw<std::mt19937> normal(rng);
  std::vector<double> q(model.nq);
  for (const Body& body : model.bodies) {
    double* x = q.data() + body.q;
    for (int k = 0; k < coordinates(body.joint); ++k) {
      const Measure measure = coordinate_of(body.joint, k).measure;
      if (measure == Measure::quaternion) {
        write_random_quaternion(rng, x + k);
        break;
      }
      x[k] = measure == Measure::length ? 0.5 * normal() : uniform_draw(rng, -pi, pi);
    }
  }
  return q;
}

std::vector<std::vector<double>> special_configurations(const Model& model, int mixed, std::mt19937& rng) {
  const double angles[] = {0.0, pi / 2, -pi / 2, pi};
  std::vector<std::vector<double>> states;
  for (double angle : angles) states.push_back(special_state(model, [&] { return angle; }));
  for (int k = 0; k < mixed; ++k) states.push_back(special_state(model, [&] { return angles[rng() % 4]; }));
  return states;
}

bool is_right_angled(const Model& model, const double* q) {
  const std::vector<double> x = angles_of(model, q);
  return std::all_of(x.begin(), x.end(), [](double angle) {
    const double turns = angle / (pi / 2);
    return std::abs(turns - std::round(turns)) < close;
  });
}

std::string posture_name(const Model& model, const double* q) {
  if (!is_right_angled(model, q)) return "a posture of no special angles";
  const std::vector<double> x = angles_of(model, q);
  const double first = x.empty() ? 0 : x.front();
  const bool equal = std::all_of(x.begin(), x.end(), [&](double angle) { return std::abs(angle - first) < close; });
  return equal ? "all joints at " + std::to_string(std::lround(first * 180 / pi)) + "°" : "a mix of right angles";
}

}  // namespace sparsedyn
