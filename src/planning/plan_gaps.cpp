// Which patterns of gaps need a plan of their own, and those plans.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>

#include "model/samples.hpp"
#include "scalar/draw.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/gap_closer.hpp"

namespace sparsedyn {
namespace {

constexpr int states_tried = 3;

/// Solves samples at general states with a pattern of gaps.
class GapTrial {
 public:
  explicit GapTrial(const std::shared_ptr<const System>& system)
      : system_(std::make_shared<const System>(system->of_examples())), closer_(std::make_shared<const GapCloser>(system_)) {}

  bool serves(std::shared_ptr<const EstimatorPlan> plan, const std::vector<char>& missing) const {
    EstimatorOptions options;
    options.outputs = {system_->unknown_names().front()};
    options.close_gaps = [closer = closer_](const std::vector<char>& rows) { return closer->close(rows); };
    Estimator estimator(system_, std::move(plan), options);
    const Model& model = system_->model();
    std::mt19937 rng(1);
    NormalDraw<std::mt19937> normal(rng);
    std::vector<double> v(static_cast<std::size_t>(model.nv)), y(system_->inputs().size());
    double out = 0;
    for (int s = 0; s < states_tried; ++s) {
      const std::vector<double> q = normal_sample(model, rng);
      for (double& x : v) x = normal();
      for (double& x : y) x = normal();
      for (const Measurement& m : system_->measurements())
        for (int k = 0; k < m.rows(); ++k)
          if (m.inputs[k] >= 0 && missing[static_cast<std::size_t>(m.first_row + k)])
            y[static_cast<std::size_t>(m.inputs[k])] = std::numeric_limits<double>::quiet_NaN();
      if (!estimator.estimate(q.data(), v.data(), y.data(), &out).ok()) return false;
    }
    return true;
  }

 private:
  std::shared_ptr<const System> system_;
  std::shared_ptr<const GapCloser> closer_;
};

/// None where no order serves.
std::shared_ptr<const EstimatorPlan> searched(const System& system, const std::vector<char>& missing,
                                              const OptimiseOptions& options) {
  try {
    return plan_estimator(system, missing, options);
  } catch (const std::domain_error&) {  // singular whatever the order
    return nullptr;
  }
}

}  // namespace

GapSearch plan_gaps(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan,
                    const std::vector<std::vector<char>>& patterns, const OptimiseOptions& options) {
  const GapTrial trial(system);
  OptimiseOptions silent = options;
  silent.progress = nullptr;
  auto extended = std::make_shared<EstimatorPlan>(*plan);
  GapSearch found;
  const std::set<std::vector<char>> distinct(patterns.begin(), patterns.end());
  double done = 0;
  for (const std::vector<char>& missing : distinct)
    if (missing.size() != static_cast<std::size_t>(system->pattern().rows))
      throw std::invalid_argument("gaps: one flag a row of the system is expected");
  for (const std::vector<char>& missing : distinct) {
    if (options.progress) options.progress("gaps", done++ / static_cast<double>(distinct.size()));
    if (trial.serves(plan, missing)) {
      ++found.served;
      continue;
    }
    auto alone = std::make_shared<EstimatorPlan>(*plan);
    if (auto own = searched(*system, missing, silent)) alone->gaps.push_back(std::move(own));
    if (alone->gaps.size() > plan->gaps.size() && trial.serves(alone, missing))
      extended->gaps.push_back(alone->gaps.back());
    else
      found.unserved.push_back(missing);
  }
  found.plan = std::move(extended);
  return found;
}

}  // namespace sparsedyn
