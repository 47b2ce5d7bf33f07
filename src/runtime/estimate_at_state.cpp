#include "sparsedyn/runtime/estimate_at_state.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dense/orthogonal.hpp"
#include "determinacy/least_squares.hpp"
#include "determinacy/measurement_weights.hpp"
#include "determinacy/rank_revealing.hpp"
#include "determinacy/reduced_rows.hpp"
#include "runtime/chi_square.hpp"
#include "sparsedyn/system/detail/rounding_probe.hpp"

namespace sparsedyn {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double disagreement = 1e-8;  // of exact rows, beside their terms
constexpr double seen_of_open = 1e-9;  // of what an output sees of an open direction, likewise
constexpr int passes = 3;              // one solution and its refinement

MatrixXd chosen_rows(const MatrixXd& A, const std::vector<int>& which) {
  MatrixXd out(static_cast<Index>(which.size()), A.cols());
  for (std::size_t i = 0; A.cols() > 0 && i < which.size(); ++i) out.row(static_cast<Index>(i)) = A.row(which[i]);
  return out;
}

/// Which equations hold, and which are weighed, in this sample.
struct Rows {
  std::vector<int> exact, noisy;  // indices of sensor rows
  std::vector<int> prior;         // unknowns
  VectorXd weight;                // 1/σ of the noisy rows, then 1/s of the priors
  int missing = 0;
};

Rows rows_of(const System& system, const ReducedRows& reduced, const MeasurementWeights& stated,
             const std::vector<double>& sigma, const double* y) {
  Rows rows;
  std::vector<double> weight;
  for (std::size_t i = 0; i < reduced.sensor_rows().size(); ++i) {
    const int r = reduced.sensor_rows()[i];
    const int input = system.input_of(r);
    if (input >= 0 && std::isnan(y[input])) {
      ++rows.missing;
      continue;
    }
    (sigma[r] > 0 ? rows.noisy : rows.exact).push_back(static_cast<int>(i));
    if (sigma[r] > 0) weight.push_back(1 / sigma[r]);
  }
  for (std::size_t j = 0; j < stated.prior.size(); ++j)
    if (stated.prior[j])
      rows.prior.push_back(static_cast<int>(j)), weight.push_back(std::sqrt(stated.regularisation.precision[j]));
  rows.weight = Eigen::Map<const VectorXd>(weight.data(), static_cast<Index>(weight.size()));
  return rows;
}

class StateProblem {
 public:
  StateProblem(const System& system, const Outputs& outputs, const std::vector<double>& sigma, const double* q, const double* v,
               const double* y, const TakenOff& offsets, bool learnt, const std::vector<std::pair<int, int>>& pairs)
      : system_(system),
        outputs_(outputs),
        pairs_(pairs),
        offsets_(offsets),
        learnt_(learnt),
        y_(y, y + system.inputs().size()),
        values_(system.pattern().entries()),
        right_side_(system.pattern().rows),
        x_(system.pattern().columns),
        work_(system),
        reduced_(system) {
    std::replace_if(
        y_.begin(), y_.end(), [](double r) { return std::isnan(r); }, 0.0);
    system.assemble(q, v, y_.data(), values_.data(), right_side_.data(), work_);
    for (std::size_t k = 0; k < offsets.rows.size(); ++k) right_side_[offsets.rows[k]] -= offsets.value[k];
    clear_rounding(RoundingProbe(system).values(q, y_.data()), values_);
    reduced_.reduce(values_.data());
    rows_ = rows_of(system, reduced_, measurement_weights(system, {}), sigma, y);
    const Index free = reduced_.rows().cols();
    all_ = reduced_.expand(MatrixXd::Identity(free, free));
  }

  StateEstimate estimate() {
    const MatrixXd exact = chosen_rows(reduced_.rows(), rows_.exact),
                   weighed = stacked(chosen_rows(reduced_.rows(), rows_.noisy), chosen_rows(all_, rows_.prior));
    const MatrixXd left = precise_null_space(exact, null_space(exact).basis.cols());
    const MatrixXd open = null_space(stacked(exact, weighed)).basis;
    const MatrixXd B = rows_.weight.asDiagonal() * weighed * left;
    const LeastSquares hold(exact, left), weigh(B, coordinates(left, open));
    z_.assign(static_cast<std::size_t>(exact.cols()), 0.0);
    solve_all();
    for (int k = 0; k < passes; ++k) {
      const VectorXd held = hold.solve(rests(rows_.exact));
      VectorXd rest(weighed.rows());
      rest << rests(rows_.noisy), -chosen(rows_.prior);
      const VectorXd step = held + left * weigh.solve(rows_.weight.asDiagonal() * (rest - weighed * held));
      for (std::size_t i = 0; i < z_.size(); ++i) z_[i] += step[static_cast<Index>(i)];
      solve_all();
    }
    StateEstimate found;
    found.contradicting = contradicting(exact);
    if (!found.contradicting.empty()) return found;
    found.unknowns = x_;
    found.missing = rows_.missing;
    found.open = static_cast<int>(open.cols());
    found.redundancy = static_cast<int>(rows_.weight.size() - (left.cols() - open.cols()));
    const OffsetRows read = offset_rows(weigh, B);
    find_innovations(weigh, B, read, found);
    find_information(B, read, found);
    find_outputs(weigh, left, reduced_.expand(open), read, found);
    found.backward_error = backward_error();
    return found;
  }

 private:
  /// All unknowns from the free ones.
  void solve_all() { reduced_.solve(values_.data(), right_side_.data(), z_, x_.data()); }

  /// Of the directions `open`, which the columns of `left` span, in these columns.
  static MatrixXd coordinates(const MatrixXd& left, const MatrixXd& open) {
    if (open.cols() == 0) return MatrixXd(left.cols(), 0);
    return dense_algebra::solve(dense_algebra::PivotedQR(left), open);
  }

  double rest(int row) const {
    const Pattern& p = system_.pattern();
    double sum = right_side_[row];
    for (int e = p.row_start[row]; e < p.row_start[row + 1]; ++e) sum -= values_[e] * x_[p.column[e]];
    return sum;
  }
  double terms(int row) const {
    const Pattern& p = system_.pattern();
    double sum = std::abs(right_side_[row]);
    for (int e = p.row_start[row]; e < p.row_start[row + 1]; ++e) sum += std::abs(values_[e] * x_[p.column[e]]);
    return sum;
  }
  VectorXd rests(const std::vector<int>& which) const {
    VectorXd r(static_cast<Index>(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i) r[static_cast<Index>(i)] = rest(reduced_.sensor_rows()[which[i]]);
    return r;
  }
  VectorXd chosen(const std::vector<int>& unknowns) const {
    VectorXd x(static_cast<Index>(unknowns.size()));
    for (std::size_t i = 0; i < unknowns.size(); ++i) x[static_cast<Index>(i)] = x_[unknowns[i]];
    return x;
  }

  /// lᵀ Y = 0 asks lᵀ y = 0 of what is read.
  std::vector<int> contradicting(const MatrixXd& exact) const {
    const MatrixXd dependencies = null_space(exact.transpose()).basis;
    std::vector<int> rows;
    for (std::size_t i = 0; i < rows_.exact.size(); ++i) rows.push_back(reduced_.sensor_rows()[rows_.exact[i]]);
    std::vector<char> named(rows.size(), 0);
    for (Index k = 0; k < dependencies.cols(); ++k) {
      double sum = 0, size = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double l = dependencies(static_cast<Index>(i), k);
        sum += l * rest(rows[i]);
        size += std::abs(l) * terms(rows[i]);
      }
      if (!(std::abs(sum) > disagreement * size)) continue;
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (dependencies(static_cast<Index>(i), k) != 0) named[i] = 1;
    }
    std::vector<int> found;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (named[i]) found.push_back(rows[i]);
    return found;
  }

  /// The readings with offsets, as the estimate sees them.
  struct OffsetRows {
    std::vector<Index> row;  // of B, an offset each; −1: not in this sample
    MatrixXd answer;         // (BᵀB)⁺ Bᵀ e for each of them: what its reading, in units of its deviation, makes of z
    /// How z⊤g follows the offsets.
    VectorXd toward(const VectorXd& weight, const VectorXd& g) const {
      VectorXd t = VectorXd::Zero(static_cast<Index>(row.size()));
      for (Index k = 0; k < t.size(); ++k)
        if (row[static_cast<std::size_t>(k)] >= 0 && g.size() > 0)
          t[k] = weight[row[static_cast<std::size_t>(k)]] * g.dot(answer.col(k));
      return t;
    }
  };
  OffsetRows offset_rows(const LeastSquares& weigh, const MatrixXd& B) const {
    OffsetRows made{std::vector<Index>(offsets_.rows.size(), -1),
                    MatrixXd::Zero(B.cols(), static_cast<Index>(offsets_.rows.size()))};
    for (std::size_t i = 0; i < rows_.noisy.size(); ++i)
      for (std::size_t k = 0; k < made.row.size(); ++k) {
        if (reduced_.sensor_rows()[rows_.noisy[i]] != offsets_.rows[k]) continue;
        made.row[k] = static_cast<Index>(i);
        if (B.cols() > 0) made.answer.col(static_cast<Index>(k)) = weigh.normal_solve(B.row(made.row[k]).transpose());
      }
    return made;
  }
  /// How the residual of row i of B, (1 − H) W y there, follows the offsets.
  VectorXd residual_toward(const MatrixXd& B, const OffsetRows& read, Index i) const {
    VectorXd t = B.cols() == 0 ? VectorXd::Zero(static_cast<Index>(read.row.size()))
                               : VectorXd(-read.toward(rows_.weight, B.row(i).transpose()));
    for (std::size_t k = 0; k < read.row.size(); ++k)
      if (read.row[k] == i) t[static_cast<Index>(k)] += rows_.weight[i];
    return t;
  }

  /// A noisy row's residual has the variance (1 − H)_ii, H = B (BᵀB)⁺ Bᵀ; less what went into the offsets, or, where the sample
  /// was not learnt from, and what they may be off.
  void find_innovations(const LeastSquares& weigh, const MatrixXd& B, const OffsetRows& read, StateEstimate& found) const {
    found.innovations.assign(system_.pattern().rows, 0.0);
    bool unjudged = false;
    for (std::size_t i = 0; i < rows_.noisy.size(); ++i) {
      const auto k = static_cast<Index>(i);
      const int row = reduced_.sensor_rows()[rows_.noisy[i]];
      const double residual = rows_.weight[k] * rest(row);
      double variance = B.cols() == 0 ? 1 : 1 - weigh.variance(B.row(k).transpose());  // Eigen's empty rows point nowhere
      if (!offsets_.rows.empty()) {
        const VectorXd t = residual_toward(B, read, k);
        variance += (learnt_ ? -1 : 1) * offsets_.variance(t.data());
        unjudged = unjudged || (!learnt_ && offsets_.leave_open(t.data(), 1));
      }
      found.chi_square += residual * residual;
      if (variance > no_redundancy) found.innovations[row] = residual / std::sqrt(variance);
    }
    if (!unjudged) return;
    found.chi_square = 0, found.redundancy = 0;
    std::fill(found.innovations.begin(), found.innovations.end(), 0.0);
  }

  void find_information(const MatrixXd& B, const OffsetRows& read, StateEstimate& found) const {
    const std::size_t n = read.row.size();
    found.information.assign(n * n, 0.0), found.moment.assign(n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      if (read.row[k] < 0) continue;
      const double weight = rows_.weight[read.row[k]];
      const VectorXd t = residual_toward(B, read, read.row[k]);
      found.moment[k] = weight * weight * rest(offsets_.rows[k]);
      for (std::size_t l = 0; l < n; ++l) {
        found.information[k * n + l] = weight * t[static_cast<Index>(l)];
        found.moment[k] += found.information[k * n + l] * offsets_.value[l];
      }
    }
  }

  void find_outputs(const LeastSquares& weigh, const MatrixXd& left, const MatrixXd& open, const OffsetRows& read,
                    StateEstimate& found) const {
    const std::size_t count = outputs_.columns().size();
    found.outputs.resize(count), found.deviations.assign(count, nan), found.determined.assign(count, 1);
    found.follows_open_offset.assign(count, 0);
    outputs_.write(x_.data(), y_.data(), work_, found.outputs.data());
    std::vector<double> zero(x_.size(), 0.0), gradient(x_.size(), 0.0);
    std::vector<VectorXd> follows(count), toward(count);
    for (std::size_t c = 0; c < count; ++c) {
      const std::vector<int>& unknowns = outputs_.unknowns_of(static_cast<int>(c));
      outputs_.gradient(static_cast<int>(c), y_.data(), work_, zero.data(), gradient.data());
      Eigen::RowVectorXd seen = Eigen::RowVectorXd::Zero(open.cols()), size = seen,
                         free = Eigen::RowVectorXd::Zero(all_.cols());
      for (int u : unknowns) {
        if (open.cols() > 0) {
          seen += gradient[u] * open.row(u);
          size += std::abs(gradient[u]) * open.row(u).cwiseAbs();
        }
        if (all_.cols() > 0) free += gradient[u] * all_.row(u);
      }
      const VectorXd g = (free * left).transpose(), g_size = (free.cwiseAbs() * left.cwiseAbs()).transpose();
      const double variance = weigh.variance(g);
      VectorXd t = read.toward(rows_.weight, g);
      if ((g.array().abs() <= seen_of_open * g_size.array()).all()) t.setZero();  // held by exact rows, but for rounding
      found.follows_open_offset[c] = offsets_.leave_open(t.data(), std::sqrt(variance));
      if (found.follows_open_offset[c] || (seen.array().abs() > seen_of_open * size.array()).any())
        found.determined[c] = 0, found.outputs[c] = nan;
      else
        found.deviations[c] = std::sqrt(variance + offsets_.variance(t.data()));
      follows[c] = g, toward[c] = t;
    }
    for (const auto& [a, b] : pairs_) {
      const auto i = static_cast<std::size_t>(a), k = static_cast<std::size_t>(b);
      const bool known = found.determined[i] && found.determined[k];
      found.covariances.push_back(known ? covariance(weigh, follows[i], follows[k], toward[i], toward[k]) : nan);
    }
  }

  double covariance(const LeastSquares& weigh, const VectorXd& a, const VectorXd& b, const VectorXd& off_a,
                    const VectorXd& off_b) const {
    const double sum = a.size() > 0 ? a.dot(weigh.normal_solve(b)) : 0.0;
    const Index n = off_a.size();
    if (n == 0 || offsets_.covariance.empty()) return sum;
    return sum + off_a.dot(Eigen::Map<const MatrixXd>(offsets_.covariance.data(), n, n) * off_b);
  }

  double backward_error() const {
    const Pattern& p = system_.pattern();
    double residual = 0, norm_Y = 0, norm_b = 0, norm_x = 0;
    for (double x : x_) norm_x = std::max(norm_x, std::abs(x));
    for (int r = 0; r < p.rows; ++r) {
      double row = 0;
      for (int e = p.row_start[r]; e < p.row_start[r + 1]; ++e) row += std::abs(values_[e]);
      norm_Y = std::max(norm_Y, row), norm_b = std::max(norm_b, std::abs(right_side_[r]));
      if (!is_added(system_.equations()[r].kind)) residual = std::max(residual, std::abs(rest(r)));
    }
    for (int i : rows_.exact) residual = std::max(residual, std::abs(rest(reduced_.sensor_rows()[i])));
    return residual == 0 ? 0 : residual / (norm_Y * norm_x + norm_b);
  }

  const System& system_;
  const Outputs& outputs_;
  const std::vector<std::pair<int, int>>& pairs_;
  const TakenOff& offsets_;
  const bool learnt_;
  std::vector<double> y_, values_, right_side_, z_, x_;
  SystemWorkspace<double> work_;
  ReducedRows reduced_;
  Rows rows_;
  MatrixXd all_;  // all unknowns for each free one
};

}  // namespace

StateEstimate estimate_at_state(const System& system, const Outputs& outputs, const std::vector<double>& sigma, const double* q,
                                const double* v, const double* y, const TakenOff& offsets, bool learnt,
                                const std::vector<std::pair<int, int>>& pairs) {
  return StateProblem(system, outputs, sigma, q, v, y, offsets, learnt, pairs).estimate();
}

}  // namespace sparsedyn
