// How far a posture is from another, on every kind of joint.
#include "kinematics/posture_distance.hpp"

#include <catch2/catch.hpp>

#include "model/samples.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

double squares_between(const Model& m, const Vector& q0, const Vector& q) {
  Vector away(static_cast<std::size_t>(m.nv));
  return distance_from(m, q0.data(), q.data(), away.data());
}

}  // namespace

TEST_CASE("The distance of a posture has the gradient that differences of it have, whatever the joints") {
  const Model m = random_tree(10, 8, {true, false, 0.0, every_joint_kind()});
  std::mt19937 rng(2);
  for (int state = 0; state < 5; ++state) {
    const Vector q0 = normal_sample(m, rng), q = normal_sample(m, rng);
    Vector away(static_cast<std::size_t>(m.nv));
    distance_from(m, q0.data(), q.data(), away.data());
    for (int k = 0; k < m.nv; ++k) {
      constexpr double h = 1e-6;
      Vector step(away.size(), 0.0), ahead(q), behind(q);
      step[static_cast<std::size_t>(k)] = h;
      integrate(m, q.data(), step.data(), ahead.data());
      step[static_cast<std::size_t>(k)] = -h;
      integrate(m, q.data(), step.data(), behind.data());
      const double slope = (squares_between(m, q0, ahead) - squares_between(m, q0, behind)) / (4 * h);
      CHECK(away[static_cast<std::size_t>(k)] == Approx(slope).margin(1e-7));
    }
  }
}

TEST_CASE("A free body that shifts and turns is as far as its origin went and its angle, each alone") {
  const Model m = random_tree(0, 3, {true});
  Vector q0(7), q(7), away(6);
  neutral(m, q0.data());
  q = {0.3, -0.4, 1.2, 0, 0, std::sin(0.35), std::cos(0.35)};
  CHECK(distance_from(m, q0.data(), q.data(), away.data()) == Approx(0.09 + 0.16 + 1.44 + 0.49));
}
