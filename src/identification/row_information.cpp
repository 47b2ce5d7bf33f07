#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "absorb_rows.hpp"
#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

constexpr int block_rows = 64;

/// With t = tanh(v / s), w = 1 / (1 + x²), x = v / u, h = 1 − c + c w:
///   ∂(t h)/∂(ln s) = −(v / s) (1 − t²) h,  ∂/∂c = t (w − 1),  ∂/∂(ln u) = 2 c t x² w².
double friction(const FrictionColumn& column, double v) noexcept {
  const FrictionShape& g = column.shape;
  if (!column.along) return friction_share(g, v);
  const double u = v / g.smoothing, t = std::tanh(u), x = v / g.stribeck_velocity, w = 1 / (1 + x * x);
  switch (*column.along) {
    case FrictionNumber::smoothing: return -column.friction * u * (1 - t * t) * (1 - g.stribeck + g.stribeck * w);
    case FrictionNumber::stribeck: return column.friction * t * (w - 1);
    case FrictionNumber::stribeck_velocity: return column.friction * 2 * g.stribeck * t * (x * w) * (x * w);
  }
  return 0;
}

}  // namespace

RowInformation::RowInformation(const Model& model)
    : model_(&model), index_(model), joint_parameters_(static_cast<std::size_t>(model.nv), -1) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (index_.of_joints[j] >= 0 && moves_alone(model, model.joints[j]))
      joint_parameters_[static_cast<std::size_t>(model.joints[j].v)] = index_.of_joints[j];
}

void RowInformation::declare(const std::string& name, BaseParameters base, int freedom, double sigma) {
  factors_.emplace_back();
  factors_.back().base = std::move(base), factors_.back().freedom = freedom, factors_.back().sigma = sigma;
  names_.push_back(name);
  size_blocks();
}

void RowInformation::size_blocks() {
  blocks_.resize(factors_.size());
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const std::size_t n = factors_[i].base.independent.size() + 1;
    factors_[i].triangle.assign(n * n, 0.0);
    blocks_[i] = {std::vector<double>(n * block_rows, 0.0), 0};
    along_.resize(std::max(along_.size(), n)), values_.resize(along_.size());
  }
}

void RowInformation::restart(const RowPass& pass) {
  const auto nv = static_cast<std::size_t>(model_->nv);
  if ((!pass.friction.empty() && pass.friction.size() != nv) || (!pass.extra.empty() && pass.extra.size() != nv))
    throw std::invalid_argument("restart: `friction` and `extra` need an entry for each of " + std::to_string(nv) +
                                " freedoms");
  for (std::size_t v = 0; v < pass.extra.size(); ++v)
    if (!pass.extra[v].empty() && joint_parameters_[v] < 0)
      throw std::invalid_argument("restart: `extra` at freedom " + std::to_string(v) + ", which is not one joint's alone");
  std::vector<int> first(nv, index_.count);  // of each freedom's extra columns
  for (std::size_t v = 0, at = static_cast<std::size_t>(index_.count); v < pass.extra.size(); at += pass.extra[v++].size())
    first[v] = static_cast<int>(at);
  pass_ = pass;
  reference_.clear();
  for (Factor& factor : factors_) {
    std::vector<int>& own = factor.base.independent;
    while (!own.empty() && own.back() >= index_.count) own.pop_back();
    for (std::vector<double>& share : factor.base.share) share.resize(own.size());
    if (factor.freedom >= 0 && !pass.extra.empty()) {
      const auto v = static_cast<std::size_t>(factor.freedom);
      for (std::size_t k = 0; k < pass.extra[v].size(); ++k) own.push_back(first[v] + static_cast<int>(k));
      for (std::vector<double>& share : factor.base.share) share.resize(own.size(), 0.0);
    }
    factor.rows = 0, factor.weights = factor.squares = factor.inside = factor.outside = 0;
  }
  if (pass.huber) {
    if (pass.huber->sigma.size() != factors_.size() || pass.huber->value.size() < static_cast<std::size_t>(index_.count))
      throw std::invalid_argument("restart: `huber` needs a number for each parameter and row");
    std::vector<double> value = pass.huber->value;  // what is beyond π is linearised about it
    for (const Factor& factor : factors_) {
      for (int k : factor.base.independent) value.resize(std::max(value.size(), static_cast<std::size_t>(k) + 1), 0.0);
      std::fill(value.begin() + index_.count, value.end(), 0.0);
      reference_.push_back(factor.base.values(value));
    }
  }
  size_blocks();
}

void RowInformation::leave_out(int row) {
  Factor& factor = factors_[static_cast<std::size_t>(row)];
  std::fill(factor.triangle.begin(), factor.triangle.end(), 0.0);
  factor.rows = 0, factor.weights = factor.squares = factor.inside = factor.outside = 0;
  blocks_[static_cast<std::size_t>(row)].count = 0;
}

void RowInformation::put_friction(std::size_t i, double* row, const double* v) const noexcept {
  const int freedom = factors_[i].freedom;
  if (freedom < 0 || pass_.friction.empty()) return;
  const auto own = static_cast<std::size_t>(freedom);
  if (joint_parameters_[own] >= 0) row[joint_parameters_[own] + 2] = friction_share(pass_.friction[own], v[own]);
}

void RowInformation::put(std::size_t i, double* row, const double* v, double measured) noexcept {
  if (std::isnan(measured)) return;
  Factor& factor = factors_[i];
  const auto own = static_cast<std::size_t>(std::max(factor.freedom, 0));
  put_friction(i, row, v);
  double* to = values_.data();
  std::size_t extra = 0;
  for (int k : factor.base.independent) *to++ = k < index_.count ? row[k] : friction(pass_.extra[own][extra++], v[own]);
  const double w = pass_.huber ? weight(i, values_.data(), measured) : 1;
  *to = measured;
  Block& block = blocks_[i];
  for (std::size_t k = 0; k <= factor.base.independent.size(); ++k)
    block.rows[k * block_rows + static_cast<std::size_t>(block.count)] = w * values_[k];
  ++factor.rows;
  if (++block.count == block_rows) absorb(i);
}

/// √w of a row, which it counts.
double RowInformation::weight(std::size_t i, const double* values, double measured) noexcept {
  Factor& factor = factors_[i];
  double residual = -measured;
  for (double beta : reference_[i]) residual += beta * *values++;
  const double u = std::fabs(residual) / pass_.huber->sigma[i], threshold = pass_.huber->threshold;
  const double w = u <= threshold ? 1 : threshold / u;
  factor.weights += w, factor.inside += u <= threshold, factor.outside += u > 5;
  factor.squares += std::min(u, threshold) * std::min(u, threshold);
  return std::sqrt(w);
}

void RowInformation::absorb(std::size_t i) noexcept {
  const Eigen::Index n = factors_[i].order() + 1;
  absorb_rows(Triangle(factors_[i].triangle.data(), n, n),
              Columns(blocks_[i].rows.data(), blocks_[i].count, n, Eigen::OuterStride<>(block_rows)),
              Eigen::Map<Eigen::VectorXd>(along_.data(), n));
  blocks_[i].count = 0;
}

/// Diagonals are made positive, so that the same rows in another order give the same triangle.
const std::vector<RowInformation::Factor>& RowInformation::factors() {
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    absorb(i);
    const Eigen::Index n = factors_[i].order() + 1;
    Triangle triangle(factors_[i].triangle.data(), n, n);
    for (Eigen::Index k = 0; k < n; ++k)
      if (triangle(k, k) < 0) triangle.row(k) *= -1;
  }
  return factors_;
}

void RowInformation::merge(const RowInformation& other) {
  RowInformation copy = other;
  const std::vector<Factor>& theirs = copy.factors();
  factors();
  if (theirs.size() != factors_.size()) throw std::invalid_argument("these logs are of another robot");
  for (std::size_t i = 0; i < factors_.size(); ++i)
    if (theirs[i].base.independent != factors_[i].base.independent)
      throw std::invalid_argument("these logs are of another robot");
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const Eigen::Index n = factors_[i].order() + 1;
    std::vector<double> rows = theirs[i].triangle;
    absorb_rows(Triangle(factors_[i].triangle.data(), n, n), Columns(rows.data(), n, n, Eigen::OuterStride<>(n)),
                Eigen::Map<Eigen::VectorXd>(along_.data(), n));
    factors_[i].rows += theirs[i].rows;
    factors_[i].weights += theirs[i].weights, factors_[i].squares += theirs[i].squares;
    factors_[i].inside += theirs[i].inside, factors_[i].outside += theirs[i].outside;
  }
}

double RowInformation::squares(int row, const std::vector<double>& pi) {
  const Factor& factor = factors()[static_cast<std::size_t>(row)];
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

std::vector<double> RowInformation::state() {
  std::vector<double> numbers;
  for (const Factor& factor : factors()) {
    numbers.push_back(factor.order());
    for (double each : {static_cast<double>(factor.rows), factor.weights, factor.squares, factor.inside, factor.outside})
      numbers.push_back(each);
    numbers.insert(numbers.end(), factor.triangle.begin(), factor.triangle.end());
  }
  return numbers;
}

void RowInformation::restore(const std::vector<double>& state) {
  constexpr std::size_t head = 6;
  std::size_t at = 0;
  for (const Factor& factor : factors_) {
    if (at + head + factor.triangle.size() > state.size() || state[at] != factor.order())
      throw std::invalid_argument("these numbers are of another robot");
    if (!(state[at + 1] >= 0 && state[at + 1] <= 9007199254740992.0))  // 2⁵³, beyond which doubles do not count
      throw std::invalid_argument("a number of rows that is not a count");
    at += head + factor.triangle.size();
  }
  if (at != state.size()) throw std::invalid_argument("these numbers are of another robot");
  const double* from = state.data();
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    Factor& factor = factors_[i];
    factor.rows = static_cast<long>(from[1]);
    factor.weights = from[2], factor.squares = from[3], factor.inside = from[4], factor.outside = from[5];
    std::copy_n(from + head, factor.triangle.size(), factor.triangle.begin());
    from += head + factor.triangle.size();
    blocks_[i].count = 0;
  }
}

}  // namespace sparsedyn
