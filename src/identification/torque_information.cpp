#include "sparsedyn/identification/torque_information.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace sparsedyn {
namespace {

constexpr int block_rows = 64;

std::vector<int> all_parameters(const Model& model) {
  std::vector<int> all(static_cast<std::size_t>(ParameterIndex(model).count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

using Triangle = Eigen::Map<Eigen::MatrixXd>;
using Columns = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// [T; B] → [T'; 0] by reflections (Householder 1958) that touch one row of the triangle and all of B each.
void absorb_rows(Triangle T, Columns B, Eigen::Map<Eigen::VectorXd> along) noexcept {
  const Eigen::Index n = T.cols();
  for (Eigen::Index k = 0; k < n; ++k) {
    const double below = B.col(k).squaredNorm();
    if (!(below > 0)) continue;
    const double size = std::sqrt(T(k, k) * T(k, k) + below), pivot = T(k, k) > 0 ? T(k, k) + size : T(k, k) - size;
    // reflect along (pivot, B_k): x -= (pivot, B_k) (pivot x_0 + B_kᵀ x) / (size |pivot|)
    const double scale = 1 / (size * std::fabs(pivot));
    T(k, k) = T(k, k) > 0 ? -size : size;
    const Eigen::Index rest = n - k - 1;
    if (rest == 0) continue;
    along.head(rest).noalias() = B.rightCols(rest).transpose() * B.col(k);
    along.head(rest) += pivot * T.row(k).tail(rest).transpose();
    along.head(rest) *= scale;
    T.row(k).tail(rest) -= pivot * along.head(rest).transpose();
    B.rightCols(rest).noalias() -= B.col(k) * along.head(rest).transpose();
  }
}

}  // namespace

TorqueInformation::TorqueInformation(const Model& model)
    : model_(&model),
      factors_(static_cast<std::size_t>(model.nv)),
      blocks_(static_cast<std::size_t>(model.nv)),
      work_(model),
      Y_(static_cast<std::size_t>(model.nv) * static_cast<std::size_t>(work_.index.count)),
      from_wrenches_(static_cast<std::size_t>(model.nv), 0.0) {
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    factors_[i].base = base_parameters(model, all_parameters(model), static_cast<int>(i));
    const std::size_t n = factors_[i].base.independent.size() + 1;
    factors_[i].triangle.assign(n * n, 0.0);
    blocks_[i].rows.assign(n * block_rows, 0.0);
    along_.resize(std::max(along_.size(), n));
  }
}

/// Σ Jᵀ fx, with the poses that the regressor has left.
void TorqueInformation::add_wrenches(const Force<double>* fx) noexcept {
  Workspace<double>& ws = work_.dynamics;
  for (std::size_t b = 0; b < ws.force.size(); ++b) ws.force[b] = fx[b];
  for (std::size_t b = ws.force.size(); b-- > 0;) {
    const Body& body = model_->bodies[b];
    joint_force(body, ws.force[b], from_wrenches_.data());
    if (body.parent < 0) continue;
    Force<double>& up = ws.force[static_cast<std::size_t>(body.parent)];
    up = up + to_parent(ws.pose[b], ws.force[b]);
  }
}

void TorqueInformation::add(const double* q, const double* v, const double* a, const double* tau,
                            const Force<double>* fx) noexcept {
  regressor(*model_, work_, q, v, a, Y_.data());
  if (fx) add_wrenches(fx);
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    if (std::isnan(tau[i])) continue;
    Block& block = blocks_[i];
    double* to = block.rows.data() + block.count;
    const double* row = Y_.data() + i * static_cast<std::size_t>(work_.index.count);
    for (int k : factors_[i].base.independent) *to = row[k], to += block_rows;
    *to = tau[i] + (fx ? from_wrenches_[i] : 0.0);
    ++factors_[i].rows;
    if (++block.count == block_rows) absorb(i);
  }
}

void TorqueInformation::absorb(std::size_t i) noexcept {
  const Eigen::Index n = factors_[i].order() + 1;
  absorb_rows(Triangle(factors_[i].triangle.data(), n, n),
              Columns(blocks_[i].rows.data(), blocks_[i].count, n, Eigen::OuterStride<>(block_rows)),
              Eigen::Map<Eigen::VectorXd>(along_.data(), n));
  blocks_[i].count = 0;
}

/// Diagonals are made positive, so that the same rows in another order give the same triangle.
const std::vector<TorqueInformation::Factor>& TorqueInformation::factors() {
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    absorb(i);
    const Eigen::Index n = factors_[i].order() + 1;
    Triangle triangle(factors_[i].triangle.data(), n, n);
    for (Eigen::Index k = 0; k < n; ++k)
      if (triangle(k, k) < 0) triangle.row(k) *= -1;
  }
  return factors_;
}

void TorqueInformation::merge(const TorqueInformation& other) {
  TorqueInformation copy = other;
  const std::vector<Factor>& theirs = copy.factors();
  factors();
  if (theirs.size() != factors_.size()) throw std::invalid_argument("these logs are of another robot");
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    if (theirs[i].base.independent != factors_[i].base.independent)
      throw std::invalid_argument("these logs are of another robot");
    const Eigen::Index n = factors_[i].order() + 1;
    std::vector<double> rows = theirs[i].triangle;
    absorb_rows(Triangle(factors_[i].triangle.data(), n, n), Columns(rows.data(), n, n, Eigen::OuterStride<>(n)),
                Eigen::Map<Eigen::VectorXd>(along_.data(), n));
    factors_[i].rows += theirs[i].rows;
  }
}

double TorqueInformation::squares(int freedom, const std::vector<double>& pi) {
  const Factor& factor = factors()[static_cast<std::size_t>(freedom)];
  const std::vector<double> beta = factor.base.values(pi);
  const int n = factor.order();
  double sum = factor.entry(n, n) * factor.entry(n, n);
  for (int r = 0; r < n; ++r) {
    double residual = -factor.entry(r, n);
    for (int c = r; c < n; ++c) residual += factor.entry(r, c) * beta[static_cast<std::size_t>(c)];
    sum += residual * residual;
  }
  return sum;
}

std::vector<double> TorqueInformation::state() {
  std::vector<double> numbers;
  for (const Factor& factor : factors()) {
    numbers.push_back(factor.order());
    numbers.push_back(static_cast<double>(factor.rows));
    numbers.insert(numbers.end(), factor.triangle.begin(), factor.triangle.end());
  }
  return numbers;
}

void TorqueInformation::restore(const std::vector<double>& state) {
  TorqueInformation fresh(*model_);
  std::size_t at = 0;
  for (Factor& factor : fresh.factors_) {
    const std::size_t size = factor.triangle.size();
    if (at + 2 + size > state.size() || state[at] != factor.order())
      throw std::invalid_argument("these numbers are of another robot");
    factor.rows = static_cast<long>(state[at + 1]);
    std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(at + 2), size, factor.triangle.begin());
    at += 2 + size;
  }
  if (at != state.size()) throw std::invalid_argument("these numbers are of another robot");
  *this = std::move(fresh);
}

}  // namespace sparsedyn
