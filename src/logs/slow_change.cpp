#include "sparsedyn/logs/detail/slow_change.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sparsedyn {
namespace {

constexpr std::size_t most_correlated = 256;  // series
constexpr int degree = 3;
constexpr int fewest_blocks = 12;
constexpr double beyond_chance = 15;       // F
constexpr double share_of_slow = 0.5;      // of what the stated noise does not explain
constexpr double one_and_the_same = 0.97;  // correlation of series that cannot be told apart
constexpr double follows = 0.1;            // correlation of series of which one follows the other
constexpr double left_to_judge = 0.05;     // variance of a series beside those that are known
constexpr double off_the_beginning = 3;    // deviations of a block's mean

}  // namespace

/// The polynomial of a series' means.
struct SlowChanges::Curve {
  std::array<double, most_blocks> at = {};  // without its constant; 0 where the series has no numbers
  double constant = 0;
  double slow = 0, rest = 0;
  int blocks = 0;

  Curve(const std::array<double, most_blocks>& mean, const std::array<double, most_blocks>& weight) {
    // monomials of the block's number made orthonormal under the weights (Gram and Schmidt, twice for rounding)
    std::array<std::array<double, most_blocks>, degree + 1> basis = {};
    const auto product = [&](const auto& a, const auto& b) {
      double sum = 0;
      for (std::size_t k = 0; k < most_blocks; ++k) sum += weight[k] * a[k] * b[k];
      return sum;
    };
    for (double w : weight) blocks += w > 0;
    double left = product(mean, mean);
    for (int d = 0; d <= degree; ++d) {
      auto& p = basis[static_cast<std::size_t>(d)];
      for (std::size_t k = 0; k < most_blocks; ++k) p[k] = std::pow(2 * static_cast<double>(k) / (most_blocks - 1) - 1, d);
      for (int pass = 0; pass < 2; ++pass)
        for (int e = 0; e < d; ++e) {
          const auto& lower = basis[static_cast<std::size_t>(e)];
          const double shared = product(p, lower);
          for (std::size_t k = 0; k < most_blocks; ++k) p[k] -= shared * lower[k];
        }
      const double length = std::sqrt(product(p, p));
      if (!(length > 0)) continue;
      for (double& x : p) x /= length;
      const double part = product(p, mean);
      left -= part * part;
      if (d == 0) constant = part * p[0];
      if (d == 0) continue;
      slow += part * part;
      for (std::size_t k = 0; k < most_blocks; ++k)
        if (weight[k] > 0) at[k] += part * p[k];
    }
    rest = std::max(left, 0.0);
  }
  double evidence() const { return blocks < fewest_blocks ? 0.0 : slow / degree / std::max(1.0, rest / (blocks - 1 - degree)); }
};

SlowChanges::SlowChanges(std::size_t series)
    : series_(series), blocks_(series * most_blocks), lines_(most_blocks, -1), totals_(series) {
  if (series > most_correlated) return;
  correlation_.assign(series * series, 0.0), correlated_.assign(series * series, 0.0);
}

void SlowChanges::halve() noexcept {
  for (std::size_t s = 0; s < series_; ++s) {
    Block* of = blocks(s);
    for (std::size_t k = 0; k < most_blocks / 2; ++k)
      of[k] = {of[2 * k].count + of[2 * k + 1].count, of[2 * k].sum + of[2 * k + 1].sum};
    std::fill(of + most_blocks / 2, of + most_blocks, Block{});
  }
  for (std::size_t k = 0; k < most_blocks / 2; ++k) lines_[k] = lines_[2 * k] >= 0 ? lines_[2 * k] : lines_[2 * k + 1];
  std::fill(lines_.begin() + most_blocks / 2, lines_.end(), -1);
  length_ *= 2;
}

void SlowChanges::add(std::size_t series, long sample, long line, double number) noexcept {
  while (sample / length_ >= static_cast<long>(most_blocks)) halve();
  const auto block = static_cast<std::size_t>(sample / length_);
  if (lines_[block] < 0) lines_[block] = line;
  Block& to = blocks(series)[block];
  ++to.count, to.sum += number;
  Total& total = totals_[series];
  ++total.count, total.sum += number, total.squares += number * number;
}

void SlowChanges::correlate(std::size_t one, std::size_t other, double correlation) noexcept {
  if (!correlates() || !std::isfinite(correlation)) return;
  for (const std::size_t at : {one * series_ + other, other * series_ + one})
    correlation_[at] += std::max(-1.0, std::min(1.0, correlation)), ++correlated_[at];
}

std::vector<double> SlowChanges::correlations() const {
  std::vector<double> mean(series_ * series_, 0.0);
  for (std::size_t at = 0; at < correlation_.size(); ++at)
    if (correlated_[at] > 0) mean[at] = correlation_[at] / correlated_[at];
  for (std::size_t s = 0; s < series_; ++s) mean[s * series_ + s] = 1;
  return mean;
}

/// Explains the means of all series by the slow parts of those chosen, one after the other: regression on the chosen ones,
/// whose coefficients are swept out of the correlations (Goodnight 1979).
struct SlowChanges::Search {
  std::size_t n;
  std::vector<std::array<double, most_blocks>> mean, weight;
  std::vector<double> correlation, excess;
  std::vector<char> closed;  // chosen, or like one that is

  explicit Search(const SlowChanges& of)
      : n(of.series_), mean(n), weight(n), correlation(of.correlations()), excess(n), closed(n) {
    for (std::size_t s = 0; s < n; ++s) {
      for (std::size_t k = 0; k < most_blocks; ++k) {
        const Block& block = of.blocks(s)[k];
        weight[s][k] = block.count, mean[s][k] = block.count > 0 ? block.sum / block.count : 0.0;
      }
      const Total& total = of.totals_[s];
      const auto count = static_cast<double>(total.count);
      excess[s] = total.count > 0 ? total.squares - total.sum * total.sum / count - (count - 1) : 0.0;
    }
  }
  double& between(std::size_t a, std::size_t b) { return correlation[a * n + b]; }

  /// Takes what series s shows slowly out of all others.
  void sweep(std::size_t s, bool bounded) {
    const Curve curve(mean[s], weight[s]);
    const double own = between(s, s);
    closed[s] = 1;
    for (std::size_t i = 0; bounded && i < n; ++i)
      if (std::abs(between(i, s)) > follows) closed[i] = 1;
    if (bounded || !(own > left_to_judge)) return;
    for (std::size_t i = 0; i < n; ++i) {
      if (closed[i]) continue;
      const double share = between(i, s) / own, before = squares(i);
      for (std::size_t k = 0; k < most_blocks; ++k)
        if (weight[s][k] > 0) mean[i][k] -= share * (curve.constant + curve.at[k]);
      excess[i] -= before - squares(i);
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (i != s && j != s) between(i, j) -= between(i, s) * between(s, j) / own;
    for (std::size_t i = 0; i < n; ++i)
      if (!(between(i, i) > left_to_judge)) closed[i] = 1;
  }
  /// Of the means about their own mean.
  double squares(std::size_t s) const {
    double count = 0, sum = 0, all = 0;
    for (std::size_t k = 0; k < most_blocks; ++k)
      count += weight[s][k], sum += weight[s][k] * mean[s][k], all += weight[s][k] * mean[s][k] * mean[s][k];
    return count > 0 ? all - sum * sum / count : 0.0;
  }
};

std::vector<SlowChanges::Change> SlowChanges::found(const std::vector<std::size_t>& known, bool bounded) const {
  Search search(*this);
  for (std::size_t s : known) search.sweep(s, bounded);
  std::vector<Change> changes;
  for (;;) {
    std::size_t best = series_;
    double most = beyond_chance;
    for (std::size_t s = 0; s < series_; ++s) {
      if (search.closed[s]) continue;
      const Curve curve(search.mean[s], search.weight[s]);
      // the evidence of a series that others explain in part is in units of what is left of its variance
      const double evidence = curve.evidence() / std::max(search.between(s, s), left_to_judge);
      if (curve.slow < share_of_slow * search.excess[s] || !(evidence > most)) continue;
      most = evidence, best = s;
    }
    if (best == series_) return changes;
    const Curve curve(search.mean[best], search.weight[best]);
    Change change{best, most, 0, -1, {}};
    double low = 0, high = 0, first = 0, last = 0;
    bool begun = false;
    for (std::size_t k = 0; k < most_blocks; ++k) {
      if (!(search.weight[best][k] > 0)) continue;
      if (!begun) low = high = first = curve.at[k];
      begun = true;
      low = std::min(low, curve.at[k]), high = std::max(high, curve.at[k]), last = curve.at[k];
    }
    for (std::size_t k = most_blocks; k-- > 0;) {
      const double weight = search.weight[best][k];
      if (!(weight > 0)) continue;
      if (change.from_line >= 0 && std::abs(curve.at[k] - first) * std::sqrt(weight) < off_the_beginning) break;
      change.from_line = lines_[k];
    }
    change.size = last < first ? low - high : high - low;
    for (std::size_t s = 0; s < series_; ++s)
      if (s != best && !search.closed[s] &&
          std::abs(search.between(s, best)) > one_and_the_same * std::sqrt(search.between(s, s) * search.between(best, best)))
        change.or_else.push_back(s);
    changes.push_back(change);
    if (!correlates()) return changes;
    search.sweep(best, bounded);
  }
}

}  // namespace sparsedyn
