#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "checks.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::verification {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_velocity = 2, largest_other = 5;  // rad/s, m/s; rad/s², m/s², N m, N

/// Uniform in ± most.
void fill(std::vector<double>& x, double most, std::mt19937& rng) {
  for (double& e : x) e = most * (2.0 * (static_cast<double>(rng()) / 4294967295.0) - 1.0);
}

/// The robot, whose joints move where a file's limits are a point: exporters write 0 to 0 for limits that nobody gave.
Model with_ranges(Model model) {
  const auto widen = [](Model& of) {
    for (JointLimits& limits : of.limits)
      if (limits.lower == limits.upper) limits.lower = -infinity, limits.upper = infinity;
  };
  widen(model);
  if (model.coordinate_map) {
    auto map = std::make_shared<CoordinateMap>(*model.coordinate_map);
    widen(map->tree);
    model.coordinate_map = std::move(map);
  }
  return model;
}

}  // namespace

std::vector<State> states(const Model& model, int count, unsigned seed) {
  std::mt19937 rng(seed);
  const Model free = with_ranges(model);
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<State> all;
  for (int sample = 0; sample < count; ++sample) {
    State s{sample,
            std::vector<double>(static_cast<std::size_t>(model.nq)),
            std::vector<double>(n),
            std::vector<double>(n),
            std::vector<double>(n),
            std::vector<Force<double>>(model.tree().bodies.size(), {zero3<double>(), zero3<double>()})};
    neutral(model, s.q.data());
    if (sample > 1) random_configuration(free, rng, s.q.data());
    if (sample > 0) {
      fill(s.v, largest_velocity, rng), fill(s.a, largest_other, rng), fill(s.tau, largest_other, rng);
      std::vector<double> wrench(6);
      for (Force<double>& f : s.fx) {
        fill(wrench, largest_other, rng);
        f = {{{wrench[0], wrench[1], wrench[2]}}, {{wrench[3], wrench[4], wrench[5]}}};
      }
    }
    all.push_back(std::move(s));
  }
  return all;
}

double conditioning(const Model& model, const State& state) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Matrix M(model.nv, model.nv);
  Workspace<double> ws(model);
  crba(model, ws, state.q.data(), M.data());
  const Eigen::VectorXd scale = M.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  if (!scale.allFinite()) return std::numeric_limits<double>::infinity();
  M = scale.asDiagonal() * M * scale.asDiagonal();
  const Eigen::VectorXd sizes = Eigen::SelfAdjointEigenSolver<Matrix>(M, Eigen::EigenvaluesOnly).eigenvalues().cwiseAbs();
  return sizes.minCoeff() > 0 ? sizes.maxCoeff() / sizes.minCoeff() : std::numeric_limits<double>::infinity();
}

}  // namespace sparsedyn::verification
