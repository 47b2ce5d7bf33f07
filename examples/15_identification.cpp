// Masses, centres of mass and inertias from torques: the log of a robot that is a tenth heavier than its URDF says is fitted by
// bodies that can exist. 15_identification.py does the same.
#include <cmath>
#include <cstdio>

#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/sparsedyn.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

int main() {
  const Model arm = load_urdf("robots/arm.urdf");
  const auto n = static_cast<std::size_t>(arm.nv);

  // what the robot really is: each mass a tenth more, with all that belongs to it
  const std::vector<double> known = parameters(arm);
  const std::vector<std::string> names = parameter_names(arm);
  std::vector<double> truth = known;
  for (double& number : truth) number *= 1.1;

  TorqueInformation log(arm);  // compressed: its size does not grow with the rows
  RegressorWorkspace<double> work(arm);
  std::vector<double> q(n), v(n), a(n), tau(n), Y(n * truth.size());
  for (int row = 0; row < 2000; ++row) {
    for (std::size_t j = 0; j < n; ++j) {
      const double rate = 1.0 + 0.37 * static_cast<double>(j), at = 0.01 * rate * row;
      q[j] = 0.8 * std::sin(at), v[j] = 0.8 * rate * std::cos(at), a[j] = -0.8 * rate * rate * std::sin(at);
    }
    regressor<double>(arm, work, q.data(), v.data(), a.data(), Y.data());
    for (std::size_t j = 0; j < n; ++j) {
      const double x = 4e4 * std::sin(12.9898 * row + 78.233 * static_cast<double>(j));
      tau[j] = 0.05 * std::sqrt(12.0) * (x - std::floor(x) - 0.5);  // noise of 0.05 N m
      for (std::size_t p = 0; p < truth.size(); ++p) tau[j] += Y[j * truth.size() + p] * truth[p];
    }
    log.add(q.data(), v.data(), a.data(), tau.data(), nullptr);
  }

  const Identification found = identify(log);
  std::printf("%ld torques, %d of %zu parameters seen\n", found.rows, found.rank, known.size());
  const auto error = [&](const std::vector<double>& value) {
    double squares = 0;
    for (std::size_t j = 0; j < n; ++j) squares += log.squares(static_cast<int>(j), value);
    return std::sqrt(squares / static_cast<double>(found.rows));
  };
  std::printf("torque error %.3f N m before, %.3f after; chi-square %.2f a degree of freedom\n", error(known),
              error(found.value), found.chi_square);
  return found.rejected.empty() ? 0 : 1;
}
