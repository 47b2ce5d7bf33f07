#include <algorithm>
#include <cmath>
#include <random>

#include "hard_row_ranks.hpp"
#include "model/samples.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

constexpr int random_states = 20;
constexpr double rounding_of_turns = 1e-10;  // of a row, beside the largest of its three

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Which of the rows are independent of those before them: Gram–Schmidt, twice. Rows are of size one, or less at this state,
/// and become orthonormal.
std::vector<char> independent_rows(std::vector<std::vector<double>>& rows, double zero) {
  std::vector<char> independent(rows.size(), 0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < r; ++k) {
        if (!independent[k]) continue;
        const double share = product(rows[k], rows[r]);
        for (std::size_t i = 0; i < rows[r].size(); ++i) rows[r][i] -= share * rows[k][i];
      }
    const double left = std::sqrt(product(rows[r], rows[r]));
    independent[r] = left > zero;
    for (double& x : rows[r]) x /= left;
  }
  return independent;
}

/// Three rows along the world's axes become those along the axes R.
void turn_rows(const Mat3<double>& R, std::vector<double>* rows) {
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const Vec3<double> along = transposed_times(R, Vec3<double>{{rows[0][i], rows[1][i], rows[2][i]}});
    for (int k = 0; k < 3; ++k) rows[k][i] = along[k];
  }
}

int rank_of(const std::vector<char>& independent) {
  return static_cast<int>(std::count(independent.begin(), independent.end(), 1));
}

}  // namespace

std::vector<int> put_onto_loops(const Model& model, const ConstraintSet& set, std::vector<std::vector<double>>& q,
                                std::string& open) {
  constexpr double rounding = 1e-12;
  LoopProjection loops(model, set);
  std::vector<double> still(static_cast<std::size_t>(model.nv));
  std::vector<int> closed;
  for (std::vector<double>& posture : q) {
    std::fill(still.begin(), still.end(), 0.0);
    const ProjectionStatus status = loops.project(posture.data(), still.data());
    closed.push_back(!status.ok() ? 0 : status.beside <= rounding ? 2 : 1);
    if (!status.ok() && open.empty()) open = loops.describe(status);
  }
  return closed;
}

namespace {

int most_rank(HardRowRanks& ranks, const std::vector<std::vector<double>>& q, double zero) {
  int most = 0;
  for (const std::vector<double>& posture : q) most = std::max(most, ranks.rank(posture.data(), zero));
  return most;
}

/// Whether from q the loops can be followed where their rows see nothing: a step along, and closed again, is a step.
bool moves(const Model& model, const ConstraintSet& set, HardRowRanks& ranks, const std::vector<double>& q, double zero) {
  constexpr double step = 1e-3;
  std::vector<double> along = ranks.unseen(q.data(), zero);
  for (double& x : along) x *= step;
  std::vector<std::vector<double>> there{q};
  std::string unused;
  integrate(model, q.data(), along.data(), there[0].data());
  if (put_onto_loops(model, set, there, unused)[0] < 2) return false;
  difference(model, q.data(), there[0].data(), along.data());
  return product(along, along) > 0.25 * step * step;
}

/// Whether the loops say at some closed posture as much as at open ones, or move there as freely as they say.
bool close_regularly(const Model& model, const ConstraintSet& set, const std::vector<std::vector<double>>& closed,
                     const std::vector<std::vector<double>>& open) {
  constexpr double zero = 1e-4;
  HardRowRanks ranks(model, set, open);
  const int most = most_rank(ranks, closed, zero);
  if (most >= most_rank(ranks, open, zero)) return true;
  return std::any_of(closed.begin(), closed.end(), [&](const std::vector<double>& q) {
    return ranks.rank(q.data(), zero) == most && moves(model, set, ranks, q, zero);
  });
}

/// The zero posture, then random ones.
std::vector<std::vector<double>> open_postures(const Model& model) {
  std::mt19937 rng(1);
  std::vector<std::vector<double>> q(1 + random_states, std::vector<double>(static_cast<std::size_t>(model.nq)));
  neutral(model, q[0].data());
  for (int k = 1; k <= random_states; ++k) uniform_sample(model, rng, q[static_cast<std::size_t>(k)].data());
  return q;
}

}  // namespace

RankPostures rank_postures(const Model& model, const ConstraintSet& set) {
  std::vector<std::vector<double>> q = open_postures(model);
  RankPostures found{q, false, ""};
  const std::vector<int> closed = put_onto_loops(model, set, q, found.open);
  const int most = *std::max_element(closed.begin(), closed.end());
  std::vector<std::vector<double>> best;
  for (std::size_t k = 0; k < q.size(); ++k)
    if (closed[k] == most) best.push_back(std::move(q[k]));
  found.closed = most > 0 && close_regularly(model, set, best, found.q);
  if (found.closed) found.q = std::move(best);
  return found;
}

std::vector<std::vector<double>> hard_row_postures(const Model& model, const ConstraintSet& set) {
  if (hard_part(set).constraints.empty()) return {};
  return rank_postures(model, set).q;
}

std::vector<std::vector<double>> moving_postures(const Model& model, const ConstraintSet& set) {
  constexpr double zero = 1e-4;  // of the largest: redundant loops close to 1e-8 alone
  std::vector<std::vector<double>> all = open_postures(model), found;
  std::string open;
  const std::vector<int> closed = put_onto_loops(model, set, all, open);
  HardRowRanks ranks(model, set, all);
  int least = std::numeric_limits<int>::max();
  for (std::size_t k = 1; k < all.size(); ++k) {  // without the zero posture, at which linkages may lie in a line
    const int rank = closed[k] > 0 ? ranks.rank(all[k].data(), zero) : std::numeric_limits<int>::max();
    if (closed[k] == 0 || rank > least) continue;
    if (rank < least) found.clear(), least = rank;
    found.push_back(all[k]);
  }
  return found.empty() ? hard_row_postures(model, set) : found;
}

HardRowRanks::HardRowRanks(const Model& model, const ConstraintSet& set)
    : HardRowRanks(model, set, rank_postures(model, set).q) {}

HardRowRanks::HardRowRanks(const Model& model, const ConstraintSet& set, std::vector<std::vector<double>> postures)
    : model_(model),
      postures_(std::move(postures)),
      rows_(model, resolved(model, hard_part(set), inverse_weights(model))),
      ws_(model),
      still_(model.nv, 0.0) {
  size_.assign(static_cast<std::size_t>(rows_.rows()), 0.0);
  for (const std::vector<double>& q : postures_) {
    const std::vector<std::vector<double>> J = rows_at(q.data());
    for (std::size_t r = 0; r < J.size(); ++r) size_[r] = std::max(size_[r], std::sqrt(product(J[r], J[r])));
  }
  for (const RowBlock& b : rows_.blocks()) {  // what the rounding of a turn leaves of a row beside its neighbours is nothing
    if (axes_of_rows(model_, b) < 0) continue;
    const auto first = size_.begin() + b.first_row;
    const double largest = *std::max_element(first, first + 3);
    std::replace_if(
        first, first + 3, [&](double size) { return size < rounding_of_turns * largest; }, 0.0);
  }
}

std::vector<std::vector<double>> HardRowRanks::rows_at(const double* q) {
  rows_.at(ws_, q, still_.data());
  std::vector<std::vector<double>> J;
  for (int r = 0; r < rows_.rows(); ++r) J.emplace_back(rows_.row(r), rows_.row(r) + still_.size());
  for (const RowBlock& b : rows_.blocks()) {
    const int body = axes_of_rows(model_, b);
    if (body >= 0) turn_rows(ws_.world_pose[static_cast<std::size_t>(body)].R, &J[static_cast<std::size_t>(b.first_row)]);
  }
  return J;
}

std::vector<std::vector<double>> HardRowRanks::scaled_rows_at(const double* q) {
  std::vector<std::vector<double>> J = rows_at(q);
  for (std::size_t r = 0; r < J.size(); ++r)
    for (double& x : J[r]) x = size_[r] > 0 ? x / size_[r] : 0;
  return J;
}

std::vector<char> HardRowRanks::independent(const double* q, double zero) {
  std::vector<std::vector<double>> J = scaled_rows_at(q);
  return independent_rows(J, zero);
}

std::vector<double> HardRowRanks::unseen(const double* q, double zero) {
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> J = scaled_rows_at(q);
  const std::vector<char> said = independent_rows(J, zero);
  std::vector<double> x(still_.size());
  for (double& number : x) number = normal(rng);
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t r = 0; r < J.size(); ++r) {
      if (!said[r]) continue;
      const double share = product(J[r], x);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] -= share * J[r][i];
    }
  const double size = std::sqrt(product(x, x));
  for (double& number : x) number = size > 0 ? number / size : 0;
  return x;
}

int HardRowRanks::rank(const double* q, double zero) { return rank_of(independent(q, zero)); }

HardRows hard_rows(const Model& model, const ConstraintSet& set) {
  HardRowRanks ranks(model, set);
  std::vector<std::string> names;
  for (const RowBlock& b : ranks.blocks())
    for (const std::string& name : equality_rows(b.name, b.rows)) names.push_back(name);

  HardRows found;
  found.rows = static_cast<int>(names.size());
  std::vector<std::vector<char>> independent;
  for (const std::vector<double>& q : ranks.postures()) {
    independent.push_back(ranks.independent(q.data()));
    found.rank = std::max(found.rank, rank_of(independent.back()));
  }
  std::vector<char> ever(names.size(), 0);
  for (const std::vector<char>& rows : independent)  // where others are lost, a row may say what it never does
    for (std::size_t r = 0; r < names.size(); ++r) ever[r] = ever[r] || (rows[r] && rank_of(rows) == found.rank);
  found.freedoms = model.nv - found.rank;
  for (std::size_t r = 0; r < names.size(); ++r)
    if (!ever[r]) found.redundant.push_back(names[r]);
  return found;
}

}  // namespace sparsedyn
