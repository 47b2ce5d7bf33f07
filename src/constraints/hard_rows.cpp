#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "constraints/loops/products.hpp"
#include "hard_row_ranks.hpp"
#include "model/samples.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

constexpr int random_states = 20;

/// Which of the rows are independent of those before them in `order`: Gram–Schmidt, twice. Rows are of size one, or less at
/// this state, and become orthonormal.
std::vector<char> independent_rows(std::vector<std::vector<double>>& rows, const std::vector<std::size_t>& order, double zero) {
  std::vector<char> independent(rows.size(), 0);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t r = order[place];
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t before = 0; before < place; ++before) {
        const std::size_t k = order[before];
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

/// A weld's rows ė = ½ (s 1 − [e]×) w of its quaternion (s, e) become those of w, in the second frame:
///   w = 2/s (s² ė + e (e·ė) + s e × ė)
void make_turns_relative(const Vec3<double>& e, std::vector<double>* rows) {
  const double s = std::sqrt(std::max(0.0, 1 - dot(e, e)));
  if (s == 0) return;  // half a turn
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const Vec3<double> rate{{rows[0][i], rows[1][i], rows[2][i]}};
    const Vec3<double> w = (2 / s) * (s * s * rate + dot(e, rate) * e + s * cross(e, rate));
    for (int k = 0; k < 3; ++k) rows[k][i] = w[k];
  }
}

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool is_pair(const RowBlock& b) { return b.type == ConstraintType::connect || b.type == ConstraintType::weld; }

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
  choose_axes();
  measure_rows();
  order_rows();
}

/// Rows that always follow from others of their three come last, lest one of these be taken for the one that follows.
void HardRowRanks::order_rows() {
  order_.resize(follows_.size());
  std::iota(order_.begin(), order_.end(), std::size_t(0));
  std::stable_partition(order_.begin(), order_.end(), [&](std::size_t r) { return !follows_[r]; });
}

void HardRowRanks::choose_axes() {
  axes_.assign(rows_.blocks().size(), {});
  for (std::size_t k = 0; k < axes_.size(); ++k)
    if (is_pair(rows_.blocks()[k])) axes_[k] = axes_of(k);
  follows_.assign(at(rows_.rows()), 0);
  for (std::size_t k = 0; k < axes_.size(); ++k)
    for (int r = 0; r < rows_.blocks()[k].rows && is_pair(rows_.blocks()[k]); ++r)
      follows_[at(rows_.blocks()[k].first_row + r)] = (r < 3 ? axes_[k].points : axes_[k].turns).follows[at(r % 3)];
}

/// The axes in which most rows always follow from others: those of the last body in common, else of the links themselves.
LoopAxes HardRowRanks::axes_of(std::size_t block) {
  const RowBlock& b = rows_.blocks()[block];
  const auto body_of = [&](int link) { return link < 0 ? -1 : model_.links[static_cast<std::size_t>(link)].body; };
  const int first = body_of(b.link[0]), second = body_of(b.link[1]);
  LoopAxes axes;
  axes.body = common_body(model_, first, second);
  axes.points = following(block, b.first_row, axes.body);
  for (const int body : {second, first}) {
    if (body < 0 || body == axes.body) continue;
    const FollowingRows found = following(block, b.first_row, body);
    if (found.count() > axes.points.count()) axes.body = body, axes.points = found;
  }
  if (b.type == ConstraintType::weld) axes.turns = following(block, b.first_row + 3, axes.body);
  return axes;
}

FollowingRows HardRowRanks::following(std::size_t block, int first, int body) {
  axes_[block].body = body;
  std::array<std::vector<double>, 3> rows;
  for (const std::vector<double>& q : postures_) {
    const std::vector<std::vector<double>> J = rows_at(q.data());
    for (std::size_t k = 0; k < 3; ++k) {
      const std::vector<double>& row = J[static_cast<std::size_t>(first) + k];
      rows[k].insert(rows[k].end(), row.begin(), row.end());
    }
  }
  return following_rows(std::move(rows));
}

/// Of each row, where it is largest; nothing of one that follows from others of its three.
void HardRowRanks::measure_rows() {
  size_.assign(static_cast<std::size_t>(rows_.rows()), 0.0);
  for (const std::vector<double>& q : postures_) {
    const std::vector<std::vector<double>> J = rows_at(q.data());
    for (std::size_t r = 0; r < J.size(); ++r) size_[r] = std::max(size_[r], std::sqrt(product(J[r], J[r])));
  }
  for (const RowBlock& b : rows_.blocks())
    for (int three = 0; three < b.rows && is_pair(b); three += 3) judge_beside_largest(&size_[at(b.first_row + three)]);
  for (std::size_t r = 0; r < size_.size(); ++r)
    if (follows_[r]) size_[r] = 0;
}

Mat3<double> HardRowRanks::axes_at_posture(int body) const {
  return body < 0 ? identity3<double>() : link_pose(model_, ws_, model_.leading_link(body)).R;
}

std::vector<std::vector<double>> HardRowRanks::rows_at(const double* q) {
  rows_.at(ws_, q, still_.data());
  std::vector<std::vector<double>> J;
  for (int r = 0; r < rows_.rows(); ++r) J.emplace_back(rows_.row(r), rows_.row(r) + still_.size());
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const RowBlock& b = rows_.blocks()[k];
    if (!is_pair(b)) continue;
    std::vector<double>* first = &J[static_cast<std::size_t>(b.first_row)];
    if (axes_[k].body >= 0) turn_rows(axes_at_posture(axes_[k].body), first);
    const auto& e = rows_.states()[k].error;
    if (b.type == ConstraintType::weld) make_turns_relative({{e[3], e[4], e[5]}}, first + 3);
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
  return independent_rows(J, order_, zero);
}

std::vector<double> HardRowRanks::unseen(const double* q, double zero) {
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> J = scaled_rows_at(q);
  const std::vector<char> said = independent_rows(J, order_, zero);
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
  return hard_rows(model, ranks);
}

HardRows hard_rows(const Model& model, HardRowRanks& ranks) {
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
