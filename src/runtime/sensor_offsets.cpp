#include "sparsedyn/runtime/sensor_offsets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dense/symmetric.hpp"

namespace sparsedyn {
namespace {

/// Directions of b that hold less than this share of the best known one's information are not known.
constexpr double no_information = 1e-10;
/// One that holds less than this beside a single reading's is not scaled up.
constexpr double nothing_seen = 1e-12;
/// Offsets below this, in deviations that each would have if the others were known, are rounding, and zero: an offset that is
/// taken off where all else is exactly zero leaves an equation of nothing but rounding. Left out, n of them change nothing by
/// more than n times this share of the deviation that the offsets give it.
constexpr double rounding_of_offsets = 1e-10;
/// An offset that has less of such a direction is known.
constexpr double leakage = 1e-6;

}  // namespace

/// Sized once. (Eigen takes a vector of its own from the heap in each decomposition.)
struct OffsetEquations::Workspace {
  explicit Workspace(Eigen::Index n) : scaled(n, n), scale(n), inverse(n), open(n), eigen(n) {}
  Eigen::MatrixXd scaled;
  Eigen::VectorXd scale, inverse, open;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
};

namespace {

Eigen::Index at(std::size_t k) { return static_cast<Eigen::Index>(k); }

}  // namespace

OffsetEquations::OffsetEquations(std::vector<int> rows) : rows_(std::move(rows)) {
  const std::size_t n = rows_.size();
  information_.assign(n * n, 0.0), moment_.assign(n, 0.0);
  found_.value.resize(n), found_.standard_deviation.resize(n), found_.determined.resize(n);
  found_.taken_off = {rows_, std::vector<double>(n, 0.0), std::vector<double>(n * n, 0.0)};
  found_.taken_off.open.reserve(n * n);
  if (n > 0) work_ = std::make_unique<Workspace>(at(n));
}

OffsetEquations::~OffsetEquations() = default;

void OffsetEquations::clear() noexcept {
  std::fill(information_.begin(), information_.end(), 0.0);
  std::fill(moment_.begin(), moment_.end(), 0.0);
}

std::vector<double> OffsetEquations::sums() const {
  std::vector<double> all = information_;
  all.insert(all.end(), moment_.begin(), moment_.end());
  return all;
}

void OffsetEquations::set_sums(const std::vector<double>& sums) {
  const bool finite = std::all_of(sums.begin(), sums.end(), [](double x) { return std::isfinite(x); });
  if (sums.size() != information_.size() + moment_.size() || !finite)
    throw std::invalid_argument("offsets: these sums are of another sensor set, or not finite");
  const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(information_.size());
  std::copy(sums.begin(), middle, information_.begin());
  std::copy(middle, sums.end(), moment_.begin());
}

void OffsetEquations::add(const std::vector<double>& information, const std::vector<double>& moment) noexcept {
  if (information.size() != information_.size() || moment.size() != moment_.size()) return;
  for (std::size_t k = 0; k < information.size(); ++k) information_[k] += information[k];
  for (std::size_t k = 0; k < moment.size(); ++k) moment_[k] += moment[k];
}

/// Rows and columns of the information to a diagonal of 1.
void OffsetEquations::scale(const std::vector<double>& sigma) noexcept {
  Workspace& w = *work_;
  const std::size_t n = rows_.size();
  for (std::size_t k = 0; k < n; ++k) {
    const double weight = 1 / sigma[k];  // a reading's that all others together predict exactly
    w.scale[at(k)] = 1 / std::sqrt(std::max(information_[k * n + k], nothing_seen * weight * weight));
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = 0; l < n; ++l)
      w.scaled(at(k), at(l)) = 0.5 * (information_[k * n + l] + information_[l * n + k]) * w.scale[at(k)] * w.scale[at(l)];
}

/// Directions that hold no information: their inverse is zero.
void OffsetEquations::find_open(const std::vector<double>& sigma) noexcept {
  Workspace& w = *work_;
  const std::size_t n = rows_.size();
  const auto& vectors = w.eigen.eigenvectors();
  const double least = no_information * std::max(w.eigen.eigenvalues()[at(n - 1)], std::numeric_limits<double>::min());
  TakenOff& off = found_.taken_off;
  off.open.clear();
  w.open.setZero();
  for (std::size_t i = 0; i < n; ++i) {
    const bool known = w.eigen.eigenvalues()[at(i)] > least;
    w.inverse[at(i)] = known ? 1 / w.eigen.eigenvalues()[at(i)] : 0.0;
    if (known) continue;
    double size = 0;  // in deviations of the readings
    for (std::size_t k = 0; k < n; ++k) {
      w.open[at(k)] += std::abs(vectors(at(k), at(i)));
      size = std::max(size, std::abs(w.scale[at(k)] * vectors(at(k), at(i))) / sigma[k]);
    }
    for (std::size_t k = 0; k < n; ++k) off.open.push_back(w.scale[at(k)] * vectors(at(k), at(i)) / size);
  }
}

void OffsetEquations::find_values() noexcept {
  const Workspace& w = *work_;
  const std::size_t n = rows_.size();
  const auto& vectors = w.eigen.eigenvectors();
  TakenOff& off = found_.taken_off;
  for (std::size_t k = 0; k < n; ++k) {
    off.value[k] = 0;
    for (std::size_t l = 0; l < n; ++l) {
      double covariance = 0;
      for (std::size_t i = 0; i < n; ++i) covariance += vectors(at(k), at(i)) * w.inverse[at(i)] * vectors(at(l), at(i));
      off.covariance[k * n + l] = covariance * w.scale[at(k)] * w.scale[at(l)];
      off.value[k] += off.covariance[k * n + l] * moment_[l];
    }
    if (std::abs(off.value[k]) < rounding_of_offsets * w.scale[at(k)]) off.value[k] = 0;
    const bool known = !(w.open[at(k)] > leakage);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    found_.determined[k] = known;
    found_.value[k] = known ? off.value[k] : nan;
    found_.standard_deviation[k] = known ? std::sqrt(off.covariance[k * n + k]) : nan;
  }
}

const LearntOffsets& OffsetEquations::solve(const std::vector<double>& sigma) noexcept {
  if (rows_.empty()) return found_;
  scale(sigma);
  dense_algebra::decompose(work_->scaled, work_->eigen);
  find_open(sigma);
  find_values();
  return found_;
}

namespace {

/// Noisy rows of sensors that carry a bias.
std::vector<int> rows_with_offsets(const System& system) {
  std::vector<int> rows;
  for (const Measurement& m : system.measurements())
    if (system.sensors().sensors[m.sensor].bias)
      for (int k = 0; k < m.rows(); ++k)
        if (m.sigma[k] > 0) rows.push_back(m.first_row + k);
  return rows;
}

}  // namespace

SensorOffsets::SensorOffsets(Estimator& estimator)
    : estimator_(estimator), equations_(rows_with_offsets(estimator.system())), sigma_(rows().size()) {
  const System& system = estimator.system();
  for (int row : rows()) names_.push_back(system.equation_names()[row]);
  unit_.resize(system.pattern().rows), residual_.resize(system.pattern().rows), current_.resize(system.pattern().rows);
}

/// The residuals are those of readings less the offsets b' taken off at present, so that Eᵀ W (1 − H) W E b' is added to them.
void SensorOffsets::add() noexcept {
  const std::vector<int>& rows = equations_.rows();
  const std::size_t n = rows.size();
  std::vector<double>&information = equations_.information(), &moment = equations_.moment();
  const TakenOff& off = estimator_.offsets();
  for (std::size_t k = 0; k < off.rows.size(); ++k) current_[off.rows[k]] = off.value[k];
  for (std::size_t k = 0; k < n; ++k) {
    const int row = rows[k];
    moment[k] += estimator_.weight(row) * estimator_.share(row) * estimator_.residual(row);
    if (estimator_.weight(row) == 0) continue;
    unit_[row] = 1.0;
    estimator_.project(unit_.data(), residual_.data());
    unit_[row] = 0.0;
    for (std::size_t l = 0; l < n; ++l) {
      const double seen = estimator_.weight(rows[l]) * residual_[rows[l]];
      information[l * n + k] += seen;
      moment[l] += seen * current_[row];
    }
  }
}

const LearntOffsets& SensorOffsets::result() noexcept {
  for (std::size_t k = 0; k < sigma_.size(); ++k) sigma_[k] = estimator_.sigma(equations_.rows()[k]);
  return equations_.solve(sigma_);
}

}  // namespace sparsedyn
