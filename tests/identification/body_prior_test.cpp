// What the prior says of bodies, wherever their links' frames lie, and what is said where it overrules the data.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/identification/identify.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;
using Eigen::Matrix4d;
using Eigen::Vector3d;

/// [Σ h; hᵀ m] of ten numbers.
Matrix4d moments_of(const double* ten) {
  const double trace = 0.5 * (ten[4] + ten[6] + ten[9]);
  Matrix4d P;
  P << trace - ten[4], -ten[5], -ten[7], ten[1], -ten[5], trace - ten[6], -ten[8], ten[2], -ten[7], -ten[8], trace - ten[9],
      ten[3], ten[1], ten[2], ten[3], ten[0];
  return P;
}
void write_moments(const Matrix4d& P, double* ten) {
  const double trace = P.topLeftCorner<3, 3>().trace();
  const double numbers[] = {P(3, 3),  P(0, 3),         P(1, 3),  P(2, 3),  trace - P(0, 0),
                            -P(0, 1), trace - P(1, 1), -P(0, 2), -P(1, 2), trace - P(2, 2)};
  std::copy_n(numbers, 10, ten);
}
/// About a point c of the frame that it is given in.
Matrix4d about(const Matrix4d& P, const Vector3d& c) {
  Matrix4d X = Matrix4d::Identity();
  X.topRightCorner<3, 1>() = -c;
  return X * P * X.transpose();
}
double radius_of_gyration(const double* ten) {
  const Matrix4d P = moments_of(ten);
  return std::sqrt(about(P, P.topRightCorner<3, 1>() / P(3, 3)).topLeftCorner<3, 3>().trace() / P(3, 3));
}

/// The robot with every link's frame moved in its body.
Model with_moved_frames(Model model, double far, unsigned seed) {
  std::mt19937 rng(seed);
  for (Link& link : model.links) {
    if (link.body < 0) continue;
    const Vec3<double> d = random_vector(rng, far);
    link.pose.d = link.pose.d + link.pose.R * d;
    link.inertia = shifted(link.inertia, -d);
  }
  return model;
}

/// 30 % heavier or lighter, the centre of mass 0.3 radii of gyration away, moments about it 30 % larger or smaller; and joints.
Vector drawn(const Model& model, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Vector pi = parameters(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    double* const ten = &pi[10 * j];
    const Matrix4d P = moments_of(ten);
    const Vector3d c = P.topRightCorner<3, 1>() / P(3, 3);
    Matrix4d central = about(P, c);
    central.topLeftCorner<3, 3>() *= rng() % 2 ? 1.3 : 0.7;
    central *= rng() % 2 ? 1.3 : 0.7;
    const Vector3d away = Vector3d(normal(rng), normal(rng), normal(rng)).normalized() * 0.3 * radius_of_gyration(ten);
    write_moments(about(central, -(c + away)), ten);
    REQUIRE(consistency(ten) > 0);
  }
  for (std::size_t k = 10 * model.joints.size(); k < pi.size(); ++k) pi[k] = std::fabs(normal(rng));
  return pi;
}

TorqueInformation rows_of(const Model& model, const Vector& pi, int samples, double noise, unsigned seed) {
  TorqueInformation information(model);
  RegressorWorkspace<double> work(model);
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  Vector tau(static_cast<std::size_t>(model.nv));
  for (int k = 0; k < samples; ++k) {
    const State s = random_state(model, rng);
    regressor_times(model, work, s.q.data(), s.v.data(), s.a.data(), pi.data(), tau.data());
    for (double& each : tau) each += noise * normal(rng);
    information.add(s.q.data(), s.v.data(), s.a.data(), tau.data(), nullptr);
  }
  return information;
}

/// What least squares of one row of a log, by itself, leaves of the same row of another log: root mean square.
double least_squares_held_out(const RowInformation::Factor& fitted, const RowInformation::Factor& held) {
  const Eigen::Index n = fitted.order();
  const auto triangle = [n](const RowInformation::Factor& of) {
    return Eigen::Map<const Eigen::MatrixXd>(of.triangle.data(), n + 1, n + 1);
  };
  const Eigen::VectorXd beta =
      triangle(fitted).topLeftCorner(n, n).triangularView<Eigen::Upper>().solve(triangle(fitted).topRightCorner(n, 1));
  Eigen::VectorXd left = -triangle(held).col(n);
  left.head(n) += triangle(held).topLeftCorner(n, n).triangularView<Eigen::Upper>() * beta;
  return std::sqrt(left.squaredNorm() / static_cast<double>(held.rows));
}

}  // namespace

TEST_CASE("Without data the deviations are those of the prior, about the centre of mass") {
  Model model = random_tree(4, 21);
  // frames at the centres of mass
  for (const Joint& joint : model.joints) {
    Link& link = model.links[static_cast<std::size_t>(joint.child_link)];
    const Vector pi = parameters(model);
    const double* const ten = &pi[10 * static_cast<std::size_t>(&joint - model.joints.data())];
    const Vec3<double> c{{ten[1] / ten[0], ten[2] / ten[0], ten[3] / ten[0]}};
    link.pose.d = link.pose.d + link.pose.R * c;
    link.inertia = shifted(link.inertia, -c);
  }
  const Vector pi = parameters(model);
  TorqueInformation information = rows_of(model, pi, 200, 0.1, 3);
  IdentifyOptions blind;
  blind.sigma.assign(static_cast<std::size_t>(model.nv), 1e9);
  blind.prior = 0.2;
  const Identification x = identify(information, blind);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const double m = pi[10 * j], k = radius_of_gyration(&pi[10 * j]);
    CHECK(std::hypot(pi[10 * j + 1], pi[10 * j + 2], pi[10 * j + 3]) < 1e-12 * m);
    for (std::size_t n = 0; n < 10; ++n)
      CHECK(x.sd[10 * j + n] == Approx(0.2 * m * (n == 0 ? 1 : n < 4 ? k : k * k)).epsilon(1e-6));
  }
}

TEST_CASE("The fit does not depend on where the links' frames lie") {
  for (const double far : {1e-3, 0.3, 30.0}) {
    CAPTURE(far);
    const Model model = random_tree(4, 22), moved = with_moved_frames(model, far, 5);
    std::mt19937 rng(6);
    Vector truth = drawn(model, rng), of_moved = truth;
    const Vector before = parameters(model), after = parameters(moved);
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const double* const old = &before[10 * j];
      const Vector3d shift =
          (Vector3d(old[1], old[2], old[3]) - Vector3d(after[10 * j + 1], after[10 * j + 2], after[10 * j + 3])) / old[0];
      write_moments(about(moments_of(&truth[10 * j]), shift), &of_moved[10 * j]);
    }
    TorqueInformation rows = rows_of(model, truth, 60, 5.0, 3), rows_of_moved = rows_of(moved, of_moved, 60, 5.0, 3);
    const Identification x = identify(rows), y = identify(rows_of_moved);
    for (int i = 0; i < model.nv; ++i)
      CHECK(rows_of_moved.squares(i, y.value) == Approx(rows.squares(i, x.value)).epsilon(1e-6));
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      CHECK(std::fabs(y.value[10 * j] - x.value[10 * j]) < 1e-3 * x.sd[10 * j]);
      CHECK(y.sd[10 * j] == Approx(x.sd[10 * j]).epsilon(1e-4));
      CHECK(radius_of_gyration(&y.value[10 * j]) == Approx(radius_of_gyration(&x.value[10 * j])).epsilon(1e-3));
    }
  }
}

TEST_CASE("Robots 30 % and 0.3 radii from their files: held out, the fit is as good as least squares") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const Model model = with_moved_frames(random_tree(5, 30 + seed), seed % 3 == 0 ? 1e-3 : 0.2, seed);
    std::mt19937 rng(seed);
    const Vector truth = drawn(model, rng);
    const double noise = 0.05;
    TorqueInformation rows = rows_of(model, truth, 700, noise, 40 + seed), held = rows_of(model, truth, 700, noise, 90 + seed);
    const Identification x = identify(rows);
    CHECK(x.rejected.empty());
    CHECK(x.chi_square == Approx(1).epsilon(0.1));
    for (std::size_t i = 0; i < rows.factors().size(); ++i) {
      const double fitted = std::sqrt(held.squares(static_cast<int>(i), x.value) / static_cast<double>(held.factors()[i].rows));
      CHECK(fitted <= 1.05 * least_squares_held_out(rows.factors()[i], held.factors()[i]));
      CHECK(x.beside_least_squares[i] < 1.05);
    }
  }
}

TEST_CASE("A prior that overrules the data is named, with the prior that would suffice") {
  const Model model = random_tree(4, 23);
  std::mt19937 rng(8);
  const Vector truth = drawn(model, rng);
  TorqueInformation rows = rows_of(model, truth, 500, 0.05, 4);
  for (const double sigma : {0.0, 0.05}) {
    CAPTURE(sigma);
    PassOptions options;
    options.fit.prior = 1e-4;
    if (sigma > 0) options.fit.sigma.assign(static_cast<std::size_t>(model.nv), sigma);
    const auto nothing_to_read = [] {};
    Identification x = identify_by_passes(rows, options, nothing_to_read);
    REQUIRE_FALSE(x.rejected.empty());
    CHECK(x.overruled == x.rejected);
    CHECK(x.beside_least_squares[static_cast<std::size_t>(x.rejected.front())] > 1.2);
    REQUIRE(x.sufficient_prior > options.fit.prior);
    REQUIRE(x.sufficient_prior <= 0.1);
    options.fit.prior = x.sufficient_prior;
    x = identify_by_passes(rows, options, nothing_to_read);
    CHECK(x.rejected.empty());
    CHECK((x.overruled.empty() && x.sufficient_prior == 0));
  }
}

TEST_CASE("If no prior would suffice, the fit says so") {
  const Model model = random_tree(4, 23);
  Vector truth = parameters(model);
  for (std::size_t k = 10 * model.joints.size(); k < truth.size(); ++k) truth[k] = -5;  // joints that drive themselves
  TorqueInformation rows = rows_of(model, truth, 500, 0.05, 4);
  const Identification x = identify_by_passes(rows, {}, [] {});
  CHECK_FALSE(x.rejected.empty());
  CHECK(x.overruled.empty());
}

TEST_CASE("A prior that biases the fit is named, with the bias and the prior that would suffice") {
  const Model model = random_tree(4, 23);
  const ParameterIndex index(model);
  Vector truth = parameters(model);
  const std::size_t last = model.joints.size() - 1;
  for (std::size_t k = 0; k < 10; ++k) truth[10 * last + k] *= 15;  // a load that the file does not know
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (index.of_joints[j] >= 0)
      for (int k = 0; k < 3; ++k) truth[static_cast<std::size_t>(index.of_joints[j] + k)] = 0.2;
  TorqueInformation rows = rows_of(model, truth, 800, 0.05, 4);
  PassOptions options;
  const Identification x = identify_by_passes(rows, options, [] {});
  REQUIRE_FALSE(x.overrun.empty());
  bool mass = false;
  for (std::size_t k = 0; k < x.overrun.size(); ++k) {
    const auto of = static_cast<std::size_t>(x.overrun[k]);
    CAPTURE(of);
    CHECK(x.overrun_deviations[k] > 5);
    CHECK(x.overrun_pull[k] >= 0);
    CHECK((k == 0 || x.overrun_deviations[k] <= x.overrun_deviations[k - 1]));
    if (of == 10 * last) {
      mass = true;
      CHECK(x.overrun_deviations[k] == Approx((x.value[of] / parameters(model)[of] - 1) / 0.3));
    }
  }
  CHECK(mass);
  REQUIRE(x.prior_not_overrun > 0.3);
  REQUIRE(x.prior_not_overrun <= 20);
  options.fit.prior = x.prior_not_overrun;
  const Identification wider = identify_by_passes(rows, options, [] {});
  CHECK((wider.overrun.empty() && wider.prior_not_overrun == 0));
  // what is told is nearer the truth, in its own deviations, where the prior is not overrun
  const auto worst = [&](const Identification& of) {
    double most = 0;
    for (std::size_t k = 0; k < truth.size(); ++k)
      if (of.determined[k]) most = std::max(most, std::fabs(of.value[k] - truth[k]) / of.sd[k]);
    return most;
  };
  CHECK(worst(wider) < 6);
  CHECK(worst(x) > worst(wider));
}

TEST_CASE("A joint parameter far from its prior is named, and no prior of bodies is suggested") {
  const Model model = random_tree(3, 23);
  const ParameterIndex index(model);
  Vector truth = parameters(model);
  const auto damping = static_cast<std::size_t>(index.of_joints[1] + 1);
  truth[damping] = 140;
  TorqueInformation rows = rows_of(model, truth, 500, 0.05, 4);
  const Identification x = identify_by_passes(rows, {}, [] {});
  REQUIRE(x.overrun == std::vector<int>{static_cast<int>(damping)});
  CHECK(x.overrun_deviations[0] == Approx(140).epsilon(0.01));
  CHECK(x.overrun_pull[0] == Approx(140 * x.sd[damping]).epsilon(0.01));
  CHECK(x.prior_not_overrun == 0);
}
