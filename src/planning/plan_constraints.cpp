// Orders of elimination for M + Jᵀ h J: a step of the iteration that finds the forces of contacts, stops and loops.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>

#include "constraints/closed_states.hpp"
#include "constraints/inverse_weights.hpp"
#include "constraints/rows.hpp"
#include "model/samples.hpp"
#include "ordering/reproducible_samples.hpp"
#include "scalar/draw.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/system/detail/constraint_pattern.hpp"

namespace sparsedyn {
namespace {

constexpr int random_states = 100, mixed_states = 40;

/// M(q) where the hard loops are closed; beside it of hard rows Jᵀ D J, as each step has it, and of each other constraint a row
/// on its freedoms, which pushes them softly or firmly: by 10⁻² to 10⁸ of M.
class Steps {
 public:
  Steps(const Model& model, const ConstraintSet& set, Pattern pattern)
      : model_(model),
        pattern_(std::move(pattern)),
        held_(model, resolved(model, hard_part(set), inverse_weights(model))),
        ws_(model),
        n_(static_cast<std::size_t>(model.nv)),
        still_(n_, 0.0),
        H_(n_ * n_) {
    for (const RowBlock& block : resolved(model, set, inverse_weights(model)))
      if (!block.hard) pushed_.push_back(block.freedoms);
    std::mt19937 rng(1);
    std::vector<std::vector<double>> q;
    for (int s = 0; s < random_states; ++s) q.push_back(normal_sample(model, rng));
    for (auto& special : special_configurations(model, mixed_states, rng)) q.push_back(std::move(special));
    states_ = closed_states(model, set, std::move(q), random_states);
  }
  const ClosedStates& states() const { return states_; }

  void fill(int s, double* values, double* right_side) {
    const double* q = states_.q[static_cast<std::size_t>(s)].data();
    std::minstd_rand rng(static_cast<unsigned>(s) + 1u);
    NormalDraw<std::minstd_rand> normal(rng);
    crba(model_, ws_, q, H_.data());
    double size = 0;
    for (std::size_t i = 0; i < n_; ++i) size = std::max(size, H_[i * n_ + i]);
    hold(q);
    for (const std::vector<int>& freedoms : pushed_) {
      const double firmness = size * std::pow(10.0, uniform_draw(rng, -2, 8));
      std::vector<double> row;
      for (std::size_t i = 0; i < freedoms.size(); ++i) row.push_back(normal());
      for (std::size_t a = 0; a < freedoms.size(); ++a)
        for (std::size_t b = 0; b <= a; ++b) at(freedoms[a], freedoms[b]) += firmness * row[a] * row[b];
    }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j) H_[j * n_ + i] = H_[i * n_ + j];
    for (int i = 0, e = 0; i < pattern_.rows; ++i)
      for (; e < pattern_.row_start[static_cast<std::size_t>(i) + 1]; ++e)
        values[e] = at(i, pattern_.column[static_cast<std::size_t>(e)]);
    for (std::size_t i = 0; i < n_; ++i) right_side[i] = normal();
  }

 private:
  double& at(int i, int j) { return H_[static_cast<std::size_t>(i) * n_ + static_cast<std::size_t>(j)]; }

  /// H += Jᵀ D J, the lower triangle.
  void hold(const double* q) {
    held_.at(ws_, q, still_.data());
    for (std::size_t k = 0; k < held_.blocks().size(); ++k) {
      const RowBlock& b = held_.blocks()[k];
      std::array<double, LawNumbers::most_rows * LawNumbers::most_rows> D{};
      for (int r = 0; r < b.rows; ++r) D[static_cast<std::size_t>(r * b.rows + r)] = held_.states()[k].law.D[r];
      held_.add_product(b, D.data(), H_.data());
    }
  }

  const Model& model_;
  Pattern pattern_;
  ConstraintRows held_;                   // hard
  std::vector<std::vector<int>> pushed_;  // freedoms, by constraint that is not
  Workspace<double> ws_;
  std::size_t n_;
  std::vector<double> still_, H_;
  ClosedStates states_;
};

OrderingProblem problem_of(const Model& model, const ConstraintSet& set, const OptimiseOptions& options) {
  OrderingProblem problem;
  problem.pattern = constraint_pattern(model, set);
  problem.exact.assign(static_cast<std::size_t>(model.nv), 0);
  const auto steps = std::make_shared<Steps>(model, set, problem.pattern);
  problem.samples.count = static_cast<int>(steps->states().q.size());
  problem.samples.random = steps->states().random;
  problem.samples.state = [steps](int s) { return steps->states().q[static_cast<std::size_t>(s)]; };
  problem.samples.fill = [steps](int s, double* values, double* right_side) { steps->fill(s, values, right_side); };
  problem.samples.left_out = steps->states().left_out();
  problem.samples = reproducible(sampled(problem.samples, options), problem.pattern.entries(), problem.pattern.rows);
  return problem;
}

/// From the tips to the base, as ConstrainedDynamics does without a plan.
StrategyResult recursive(const OrderingProblem& problem) {
  std::vector<int> order(static_cast<std::size_t>(problem.pattern.rows));
  std::iota(order.rbegin(), order.rend(), 0);
  const Plan plan = make_plan(problem.pattern, {order, order});
  return {"recursive",   plan.factor_flops(), plan.solve_flops(), plan.elimination.fill, measure_health(plan, problem.samples),
          {order, order}};
}

}  // namespace

std::string states_left_out(const Model& model, const ConstraintSet& set) {
  return problem_of(model, set, {}).samples.left_out;
}

OptimiseResult optimise(const Model& model, const ConstraintSet& set, const OptimiseOptions& options) {
  const OrderingProblem problem = problem_of(model, set, options);
  OptimiseResult result = optimise_order(problem, options);
  // The iteration factors H = LᵀDL, by one order for rows and columns.
  auto& found = result.strategies;
  found.erase(
      std::remove_if(found.begin(), found.end(), [](const StrategyResult& s) { return s.order.rows != s.order.columns; }),
      found.end());
  found.insert(found.begin(), recursive(problem));
  std::stable_sort(found.begin(), found.end(),
                   [](const StrategyResult& a, const StrategyResult& b) { return a.flops().total() < b.flops().total(); });
  auto best = std::find_if(found.begin(), found.end(), [](const StrategyResult& s) { return s.health.healthy(); });
  if (best == found.end())
    best = std::min_element(found.begin(), found.end(), [](const StrategyResult& a, const StrategyResult& b) {
      return a.health.worst_backward_error < b.health.worst_backward_error;
    });
  result.plan = make_plan(problem.pattern, best->order);
  result.plan.strategy = best->strategy;
  result.plan.health = best->health;
  result.plan.fingerprint = constraint_fingerprint(model, set);
  return result;
}

}  // namespace sparsedyn
