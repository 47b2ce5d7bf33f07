#include "closed_states.hpp"

#include <algorithm>
#include <cmath>

#include "dense/symmetric.hpp"
#include "hard_row_ranks.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"

namespace sparsedyn {
namespace {

constexpr double near_singular = 1e-6;

/// Keeps the states that are flagged.
void keep(const std::vector<char>& flags, ClosedStates& states) {
  std::vector<std::vector<double>> kept;
  int random = 0;
  for (std::size_t s = 0; s < flags.size(); ++s) {
    if (!flags[s]) continue;
    random += static_cast<int>(s) < states.random;
    kept.push_back(std::move(states.q[s]));
  }
  states.q = std::move(kept), states.random = random;
}

void project(const Model& model, const ConstraintSet& set, ClosedStates& states) {
  const std::vector<int> closed = put_onto_loops(model, set, states.q, states.why);
  const int most = *std::max_element(closed.begin(), closed.end());
  states.open = static_cast<int>(std::count(closed.begin(), closed.end(), 0));
  if (most == 0) states.closed = false;
  std::vector<char> flags;
  for (int k : closed) flags.push_back(k == most);
  if (states.closed) keep(flags, states);
}

/// How far M + Jᵀ E J, E = 1/w, is from singular: the least pivot, its diagonal scaled to one. It vanishes where loops do not
/// hold what moves no mass.
class Firmness {
 public:
  Firmness(const Model& model, const ConstraintSet& set)
      : model_(model),
        rows_(model, resolved(model, hard_part(set), inverse_weights(model))),
        ws_(model),
        still_(static_cast<std::size_t>(model.nv), 0.0),
        M_(model.nv, model.nv) {}

  double at(const double* q) {
    crba(model_, ws_, q, M_.data());
    rows_.at(ws_, q, still_.data());
    Eigen::MatrixXd K = M_;
    for (const RowBlock& b : rows_.blocks())
      for (int r = 0; r < b.rows; ++r) {
        const Eigen::Map<const Eigen::VectorXd> J(rows_.row(b.first_row + r), model_.nv);
        K += J * J.transpose() / (r < 3 ? b.linear_weight : b.angular_weight);
      }
    Eigen::VectorXd scale(K.rows());
    for (Eigen::Index i = 0; i < K.rows(); ++i) scale[i] = K(i, i) > 0 ? 1 / std::sqrt(K(i, i)) : 0;
    const std::optional<Eigen::MatrixXd> L = dense_algebra::cholesky(scale.asDiagonal() * K * scale.asDiagonal());
    return L ? std::pow(L->diagonal().minCoeff(), 2) : 0;
  }

 private:
  const Model& model_;
  ConstraintRows rows_;
  Workspace<double> ws_;
  std::vector<double> still_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M_;
};

void leave_out_singular(const Model& model, const ConstraintSet& set, ClosedStates& states) {
  HardRowRanks ranks(model, set);
  Firmness firmness(model, set);
  std::vector<int> rank;
  std::vector<double> firm;
  for (const std::vector<double>& q : states.q) {
    rank.push_back(ranks.rank(q.data(), near_singular));
    firm.push_back(firmness.at(q.data()));
  }
  const int best = *std::max_element(rank.begin(), rank.end());
  const double firmest = *std::max_element(firm.begin(), firm.end());
  std::vector<char> regular;
  for (std::size_t s = 0; s < rank.size(); ++s) regular.push_back(rank[s] == best && firm[s] >= near_singular * firmest);
  keep(regular, states);
}

}  // namespace

std::string ClosedStates::left_out() const {
  if (open == 0) return "";
  if (closed)
    return "states that were left out since no posture near them closes the loops: " + std::to_string(open) +
           " (the first: " + why + ")";
  return "no regular posture was found that closes the loops, so health is that of open loops" +
         (why.empty() ? "" : " (" + why + ")");
}

ClosedStates closed_states(const Model& model, const ConstraintSet& set, std::vector<std::vector<double>> q, int random) {
  ClosedStates states;
  states.q = std::move(q), states.random = random;
  const bool loops = std::any_of(set.constraints.begin(), set.constraints.end(), [](const Constraint& c) { return c.hard; });
  if (!loops || states.q.empty()) return states;
  const RankPostures postures = rank_postures(model, set);
  states.closed = postures.closed;
  if (postures.closed)
    project(model, set, states);
  else
    states.open = static_cast<int>(states.q.size()), states.why = postures.open;
  leave_out_singular(model, set, states);
  return states;
}

}  // namespace sparsedyn
