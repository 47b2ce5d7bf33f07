// Nori et al. 2017, Property 3 and Remark 5: what load cells under two feet determine.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <random>

#include "model/samples.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/spatial/detail/component.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Wrenches of a frame in the frame that it is posed in.
Matrix6 force_transform(const Pose<double>& X) {
  Matrix6 m;
  for (int c = 0; c < 6; ++c) {
    Force<double> unit{zero3<double>(), zero3<double>()};
    component(unit, c) = 1.0;
    const Force<double> x = to_parent(X, unit);
    for (int r = 0; r < 3; ++r) m(r, c) = x.n[r], m(3 + r, c) = x.f[r];
  }
  return m;
}

/// Columns of a wrench by component: n_x n_y n_z f_x f_y f_z.
Eigen::MatrixXd columns(const Matrix6& X, std::initializer_list<int> components) {
  Eigen::MatrixXd m(6, static_cast<Eigen::Index>(components.size()));
  int k = 0;
  for (int c : components) m.col(k++) = X.col(c);
  return m;
}

Eigen::MatrixXd beside(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd m(6, a.cols() + b.cols());
  m << a, b;
  return m;
}

int rank(const Eigen::MatrixXd& m) {
  const Eigen::VectorXd s = m.jacobiSvd().singularValues();
  return static_cast<int>((s.array() > 1e-11 * s[0]).count());
}

/// A humanoid whose accelerations are known and whose wrenches but those under the soles are zero.
System standing(const Model& model, const std::string& sensors) {
  return System(model, parse_sensor_set(R"({"sensors": [
    {"name": "motion", "type": "joint_acceleration", "joint": "*"},
    {"name": "base", "type": "joint_acceleration", "joint": "base"},
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},
    {"name": "cells", "type": "load_cell", "link": ["l_sole", "r_sole"], "sigma": 1})" +
                                            sensors + "]}",
                                        "two_feet"));
}

int open_directions(const System& system, const std::vector<double>& q) {
  return static_cast<int>(system.unknowns().size()) - rank_at(system, q);
}

Model humanoid() {
  LoadOptions options;
  options.floating = true;
  return load_urdf(source_folder() + "/robots/humanoid.urdf", options);
}

const char* const slippery = R"(,
    {"name": "slip", "type": "external_wrench", "link": ["l_sole", "r_sole"], "components": ["fx", "fy"], "value": 0})";

}  // namespace

TEST_CASE(
    "Property 3: the directions that three load cells on each foot leave undetermined never span all wrenches, in any posture "
    "of the feet") {
  std::mt19937 rng(3);
  for (int s = 0; s < 1000; ++s) {
    const Pose<double> X = random_pose(rng);
    CHECK(rank(beside(columns(Matrix6::Identity(), {2, 3, 4}), columns(force_transform(X), {2, 3, 4}))) == 5);
  }
  // soles in one plane: forces in it and moments about its normal are the same three directions on both feet
  for (double angle : {0.0, 0.3, 2.0}) {
    const Pose<double> X{rotation_from_rpy(Vec3<double>{{0, 0, angle}}), {{0.2, -0.3, 0}}};
    CHECK(rank(beside(columns(Matrix6::Identity(), {2, 3, 4}), columns(force_transform(X), {2, 3, 4}))) == 3);
  }
}

TEST_CASE("Property 3: the undetermined direction is a force along the line in which the planes of the two soles meet") {
  std::mt19937 rng(5);
  for (int s = 0; s < 100; ++s) {
    const Pose<double> X = random_pose(rng);
    const Vec3<double> left{{0, 0, 1}}, right{{X.R(0, 2), X.R(1, 2), X.R(2, 2)}}, along = cross(left, right);
    // a point of both planes: p · left = 0, p · right = d · right
    const double c = dot(left, right), h = dot(X.d, right), k = 1 / (1 - c * c);
    const Vec3<double> point = k * h * right - (k * h * c) * left;
    const Force<double> hidden{cross(point, along), along}, on_right = to_child(X, hidden);
    for (double seen : {hidden.f[2], hidden.n[0], hidden.n[1], on_right.f[2], on_right.n[0], on_right.n[1]})
      CHECK(std::abs(seen) <= 1e-12);
  }
}

TEST_CASE("Property 3 on a humanoid: three cells under both feet leave one direction open in general, three on level ground") {
  const Model model = humanoid();
  const System system = standing(model, "");
  std::mt19937 rng(7);
  for (int s = 0; s < 10; ++s) CHECK(open_directions(system, normal_sample(model, rng)) == 1);
  std::vector<double> upright(model.nq, 0.0);
  upright[6] = 1;  // quaternion x y z w
  CHECK(open_directions(system, upright) == 3);
}

TEST_CASE("Remark 5: on very slippery ground all wrenches are determined, unless the soles' normals are parallel") {
  const Model model = humanoid();
  const System system = standing(model, slippery);
  std::mt19937 rng(9);
  for (int s = 0; s < 10; ++s) CHECK(open_directions(system, normal_sample(model, rng)) == 0);
  std::vector<double> upright(model.nq, 0.0);
  upright[6] = 1;
  CHECK(open_directions(system, upright) == 1);  // a moment about the common normal, +N on one foot and −N on the other
}
