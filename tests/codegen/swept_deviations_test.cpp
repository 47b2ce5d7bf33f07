// Deviations of generated programs, whose sweep no one looks at, at many states beside an inverse in long double, of sets of
// ordinary sigmas. Of twelve decades of them: tests/requests/inexact_columns_test.cpp.
#include <Eigen/SparseLU>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "runtime/mixed_sets.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// The system that an estimator weighs, in long double and in an order of Eigen's own.
class LongInverse {
 public:
  explicit LongInverse(const EstimatorPlan& plan) : plan_(plan), own_(plan.plan) {}

  void factor(const Estimator& estimator, const State& s, const std::vector<double>& y) {
    const System& system = estimator.system();
    const Pattern& pattern = plan_.plan.pattern;
    std::vector<double> values(static_cast<std::size_t>(system.pattern().entries())), right(static_cast<std::size_t>(rows())),
        all(pattern.column.size()), b(static_cast<std::size_t>(rows() + unknowns()));
    weight_.resize(right.size());
    SystemWorkspace<double> work(system);
    system.assemble(s.q.data(), s.v.data(), y.data(), values.data(), right.data(), work);
    for (int r = 0; r < rows(); ++r) weight_[static_cast<std::size_t>(r)] = estimator.weight(r);
    plan_.augmented.fill(values.data(), right.data(), weight_.data(), plan_.regularisation.precision.data(), all.data(),
                         b.data());
    std::vector<Eigen::Triplet<long double>> entries;
    for (int r = 0; r < pattern.rows; ++r)
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
        entries.emplace_back(r, pattern.column[static_cast<std::size_t>(e)],
                             static_cast<long double>(all[static_cast<std::size_t>(e)]));
    Matrix A(pattern.rows, pattern.columns);
    A.setFromTriplets(entries.begin(), entries.end());
    lu_.compute(A);
    REQUIRE(lu_.info() == Eigen::Success);
    own_.factor(all.data());
  }
  /// The deviation of unknown u, Σ ν² + Σ p x²; 0 where it is not known: −C_uu is another number, or a solve in the plan's
  /// order, in double and not refined, as a program has it, has less than ten digits.
  double deviation(int u) {
    Vector unit = Vector::Zero(rows() + unknowns());
    unit(rows() + u) = 1;
    const Vector x = lu_.solve(unit);
    const long double squares = sum_of_squares(x);
    if (!(std::abs(-x(u) - squares) <= 1e-10L * squares)) return 0;
    const std::vector<double> right(unit.data(), unit.data() + unit.size());
    std::vector<double> solved(right.size());
    if (!own_.solve(right.data(), solved.data()).ok()) return 0;
    const double truth = static_cast<double>(std::sqrt(squares));
    return std::abs(std::sqrt(sum_of_squares(solved)) - truth) <= 1e-10 * truth ? truth : 0;
  }

 private:
  using Matrix = Eigen::SparseMatrix<long double>;
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  template <class Answer>
  typename Answer::value_type sum_of_squares(const Answer& x) const {
    typename Answer::value_type sum = 0;
    for (int r = 0; r < rows(); ++r)
      if (weight_[static_cast<std::size_t>(r)] != 0) sum += x[unknowns() + r] * x[unknowns() + r];
    const std::vector<double>& precision = plan_.regularisation.precision;
    for (std::size_t k = 0; k < precision.size(); ++k) sum += precision[k] * x[k] * x[k];
    return sum;
  }
  int rows() const { return plan_.augmented.equations(); }
  int unknowns() const { return plan_.augmented.unknowns(); }

  const EstimatorPlan& plan_;
  std::vector<double> weight_;
  ZeroFillLU<double> own_;
  Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>> lu_;
};

/// Random states, right angles, and rest at home.
std::vector<State> test_states(const Model& model, int random, int right_angled) {
  std::mt19937 rng(3);
  std::vector<State> states, special = special_states(model, rng, right_angled);
  for (int k = 0; k < random; ++k) states.push_back(random_state(model, rng));
  states.insert(states.end(), special.begin(), special.end());
  State rest = special.front();
  neutral(model, rest.q.data());
  std::fill(rest.v.begin(), rest.v.end(), 0.0);
  states.push_back(rest);
  return states;
}

struct Comparison {
  long states = 0, left_out = 0, deviations = 0;
  double worst = 0;
  std::string worst_of;
};

/// At states where the code's estimate has eight digits, as the estimator tells: elsewhere a pivot of its order is lost.
void compare(const Model& model, const SensorSet& set, const std::vector<State>& states, Comparison& all) {
  const auto system = std::make_shared<const System>(model, set);
  OptimiseOptions quick;
  quick.health_states = 20, quick.umfpack_states = 1;
  const auto plan = plan_estimator(*system, {}, quick);
  EstimatorProgramOptions options;
  options.deviations = true;
  const ReadInputs read(system->inputs().size(), true);
  const Program program = estimator_program(*system, *plan, system->unknown_names(), read, options);
  const std::size_t n = system->unknown_names().size();
  Estimator estimator(system, plan, {});
  LongInverse inverse(*plan);
  const std::vector<double> y(system->inputs().size(), 0.3);
  std::map<std::string, std::size_t> place;  // the code's estimates are ordered by kind
  for (std::size_t u = 0; u < n; ++u) place[system->unknown_names()[u]] = u;
  std::vector<double> estimate(n), own(n), workspace(program.nodes().size());
  std::vector<std::vector<double>> out;
  std::vector<double*> res;
  for (const Port& port : program.outputs()) out.emplace_back(port.elements.size());
  for (auto& x : out) res.push_back(x.data());
  for (const State& s : states) {
    const double* arg[] = {s.q.data(), s.v.data(), y.data()};
    ++all.states;
    const bool evaluated = program.evaluate(arg, res.data(), workspace.data());
    const bool known = estimator.estimate(s.q.data(), s.v.data(), y.data(), estimate.data()).ok();
    for (std::size_t k = 0; k + 1 < out.size(); ++k)
      for (std::size_t e = 0; e < out[k].size(); ++e) own[place.at(program.outputs()[k].elements[e])] = out[k][e];
    if (!evaluated || !known || norm_error(own, estimate) > 1e-8) {
      ++all.left_out;
      continue;
    }
    inverse.factor(estimator, s, y);
    const double largest = *std::max_element(out.back().begin(), out.back().end());
    for (std::size_t u = 0; u < n; ++u) {
      const double found = out.back()[u], expected = inverse.deviation(static_cast<int>(u));
      if (expected == 0) continue;
      ++all.deviations;
      // sines of right angles, of 1e-16, leave a deviation to outputs that have none
      const double error = std::abs(found - expected) / (expected + 1e-6 * largest);
      if (error <= all.worst) continue;
      all.worst = error, all.worst_of = system->unknown_names()[u];
    }
  }
}

}  // namespace

TEST_CASE("deviations of programs have eight digits at random states and right angles") {
  struct Tried {
    const EquippedRobot& robot;
    int random, right_angled;
    std::vector<std::string> sets;  // by their titles' beginnings
  };
  const Tried tried[] = {{equipped_shipped[0], 16, 24, {""}},
                         {equipped_shipped[1], 10, 12, {"the centre of mass", "priors", "everything"}},
                         {equipped_shipped[2], 2, 1, {"priors"}}};
  for (const Tried& each : tried) {
    if (&each.robot == &equipped_shipped[2] && !whole_robots) continue;
    LoadOptions load;
    load.floating = each.robot.floating;
    const Model model = load_urdf(source_folder() + "/robots/" + each.robot.file + ".urdf", load);
    const std::vector<State> states = test_states(model, each.random, each.right_angled);
    for (const MixedSet& mixed : mixed_sets) {
      const std::string title = mixed.title;
      const auto begins = [&](const std::string& with) { return title.compare(0, with.size(), with) == 0; };
      if (std::none_of(each.sets.begin(), each.sets.end(), begins)) continue;
      Comparison found;
      compare(model, parse_sensor_set(set_text(mixed, each.robot), "mixed"), states, found);
      CAPTURE(each.robot.file, title, found.states, found.left_out, found.worst_of);
      CHECK(found.worst <= 1e-8);
      CHECK(found.deviations > 100);
      CHECK(found.left_out < 2 * found.states / 3);
    }
  }
}
