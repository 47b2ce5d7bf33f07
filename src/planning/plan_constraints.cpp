// Orders of elimination for M + Jᵀ h J: a step of the iteration that finds the forces of contacts, stops and loops.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>

#include "constraints/blocks.hpp"
#include "constraints/inverse_weights.hpp"
#include "ordering/reproducible_samples.hpp"
#include "scalar/draw.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/system/detail/constraint_pattern.hpp"

namespace sparsedyn {
namespace {

constexpr int random_states = 100, mixed_states = 40;

/// M(q), and a row on the freedoms of each constraint, which pushes them softly or firmly: by 10⁻² to 10⁸ of M.
class Steps {
 public:
  Steps(const Model& model, const ConstraintSet& set, Pattern pattern)
      : model_(model),
        pattern_(std::move(pattern)),
        pushed_(freedoms_of(resolved(model, set, inverse_weights(model)))),
        ws_(model),
        n_(static_cast<std::size_t>(model.nv)),
        H_(n_ * n_) {
    std::mt19937 rng(1);
    for (int s = 0; s < random_states; ++s) q_.push_back(random_configuration(model, rng));
    for (auto& q : special_configurations(model, mixed_states, rng)) q_.push_back(std::move(q));
  }
  const std::vector<std::vector<double>>& states() const { return q_; }

  void fill(int s, double* values, double* right_side) {
    std::minstd_rand rng(static_cast<unsigned>(s) + 1u);
    NormalDraw<std::minstd_rand> normal(rng);
    crba(model_, ws_, q_[static_cast<std::size_t>(s)].data(), H_.data());
    double size = 0;
    for (std::size_t i = 0; i < n_; ++i) size = std::max(size, H_[i * n_ + i]);
    for (const std::vector<int>& freedoms : pushed_) {
      const double firmness = size * std::pow(10.0, uniform_draw(rng, -2, 8));
      std::vector<double> row;
      for (std::size_t k = 0; k < freedoms.size(); ++k) row.push_back(normal());
      for (std::size_t a = 0; a < freedoms.size(); ++a)
        for (std::size_t b = 0; b < freedoms.size(); ++b) at(freedoms[a], freedoms[b]) += firmness * row[a] * row[b];
    }
    for (int i = 0, e = 0; i < pattern_.rows; ++i)
      for (; e < pattern_.row_start[static_cast<std::size_t>(i) + 1]; ++e)
        values[e] = at(i, pattern_.column[static_cast<std::size_t>(e)]);
    for (std::size_t i = 0; i < n_; ++i) right_side[i] = normal();
  }

 private:
  double& at(int i, int j) { return H_[static_cast<std::size_t>(i) * n_ + static_cast<std::size_t>(j)]; }

  const Model& model_;
  Pattern pattern_;
  std::vector<std::vector<int>> pushed_;  // by constraint
  Workspace<double> ws_;
  std::size_t n_;
  std::vector<double> H_;
  std::vector<std::vector<double>> q_;
};

OrderingProblem problem_of(const Model& model, const ConstraintSet& set, const OptimiseOptions& options) {
  OrderingProblem problem;
  problem.pattern = constraint_pattern(model, set);
  problem.exact.assign(static_cast<std::size_t>(model.nv), 0);
  const auto steps = std::make_shared<Steps>(model, set, problem.pattern);
  problem.samples.count = static_cast<int>(steps->states().size());
  problem.samples.random = random_states;
  problem.samples.state = [steps](int s) { return steps->states()[static_cast<std::size_t>(s)]; };
  problem.samples.fill = [steps](int s, double* values, double* right_side) { steps->fill(s, values, right_side); };
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
