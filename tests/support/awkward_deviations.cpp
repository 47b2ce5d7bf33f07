#include "support/awkward_deviations.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <random>
#include <utility>

#include "determinacy/held_exactly.hpp"
#include "runtime/estimation/deviations.hpp"
#include "runtime/estimation/sample_solver.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "support/awkward_robots.hpp"
#include "support/quad.hpp"

namespace sparsedyn::test {
namespace {

/// A number a statement, so that a seed means one set whatever the compiler.
class SetDraw {
 public:
  SetDraw(unsigned seed, double decades) : rng_(seed + 77), decades_(decades) {}
  bool once_in(unsigned n) { return rng_() % n == 0; }
  double sigma() { return std::pow(10.0, decades_ * (static_cast<double>(rng_()) / 4294967296.0 - 0.5)); }
  std::vector<double> sigmas(std::size_t n) {
    std::vector<double> all(n);
    for (double& s : all) s = sigma();
    return all;
  }

 private:
  std::mt19937 rng_;
  double decades_;
};

void add_sensor(SensorSet& set, const char* type, const std::string& target, std::vector<double> sigma) {
  Sensor s;
  s.name = "s" + std::to_string(set.sensors.size()), s.type = type, s.targets = {{target, 0}}, s.sigma = std::move(sigma);
  set.sensors.push_back(std::move(s));
}

SensorSet drawn_set(const AwkwardRobot& robot, SetDraw draw) {
  SensorSet set;
  set.name = "awkward";
  for (const auto& joint : robot.model.joints) {
    if (joint.bodies == 0) continue;
    add_sensor(set, "joint_torque", joint.name, {draw.sigma()});
    add_sensor(set, "joint_acceleration", joint.name, {draw.sigma()});
    if (draw.once_in(3)) add_sensor(set, "joint_torque", joint.name, {draw.sigma()});
  }
  Sensor air;
  air.name = "air", air.type = "external_wrench", air.all = true;
  if (draw.once_in(4))
    air.value = {0.0};
  else
    air.sigma = draw.sigmas(6);
  set.sensors.push_back(air);
  return set;
}

/// What a sample's sweep finds in 34 digits, and whether solves in as many agree with it.
class Truth {
 public:
  explicit Truth(const PlannedOrder& order)
      : plan_(order.lu.plan()), sweep_(*order.spread.plan), cells_(static_cast<std::size_t>(order.cells())) {}

  /// Of the numbers that the order's LU holds.
  void sweep(const double* values) {
    for (int e = 0; e < plan_.pattern.entries(); ++e) cells_[static_cast<std::size_t>(e)] = values[e];
    run(plan_.program.factor, cells_.data());
    run(plan_.program.complete, cells_.data());
    run(sweep_.inverse().sweep, cells_.data());
  }
  Quad swept_output(int u) const {
    const std::vector<Quad> gradient(static_cast<std::size_t>(u + 1), Quad(1.0));
    return sweep_.variance_of_output<Quad>(u, gradient.data(), [&](int i) { return cells_[static_cast<std::size_t>(i)]; });
  }
  Quad swept_row(int r) const {
    return sweep_.variance_of_row<Quad>(r, [&](int i) { return cells_[static_cast<std::size_t>(i)]; });
  }
  /// What the system answers to a one in that row.
  Quad solved(int row, int column) {
    Quad* const right = cells_.data() + plan_.program.right_side;
    std::fill_n(right, plan_.pattern.rows, Quad(0.0));
    right[row] = 1.0;
    run(plan_.program.solve, cells_.data());
    run(plan_.program.complete, cells_.data());
    return cells_[static_cast<std::size_t>(plan_.program.solution[static_cast<std::size_t>(column)])];
  }

 private:
  const Plan& plan_;
  const SpreadPlan& sweep_;
  std::vector<Quad> cells_;
};

/// One set: its Estimator, the same factors in 34 digits, and solves in double.
class SetUnderTest {
 public:
  SetUnderTest(const std::shared_ptr<const System>& system, const std::shared_ptr<const EstimatorPlan>& plan)
      : system_(*system),
        outputs_(system_, {}),
        weights_(system_),
        n_(system_.pattern().columns),
        m_(system_.pattern().rows),
        swept_(system_, plan, tolerance, {}, weights_, refined_, {false, &outputs_, held_exactly(system_), {true, true}}),
        plain_(system_, plan, tolerance, {}, weights_, refined_, {false, &outputs_, held_exactly(system_), {}}),
        sample_(system_, plan->augmented, static_cast<std::size_t>(n_)),
        deviations_(outputs_, n_, m_),
        truth_(swept_.own_order()),
        estimator_(system, plan, options()) {}

  void measure(const std::vector<AwkwardState>& states, std::mt19937& rng, DeviationErrors& into) {
    std::normal_distribution<double> normal;
    std::vector<std::vector<double>> y(states.size(), std::vector<double>(system_.inputs().size()));
    std::vector<Estimator::Inputs> inputs;
    for (std::size_t k = 0; k < states.size(); ++k) {
      for (double& reading : y[k]) reading = normal(rng);
      inputs.push_back({states[k].q.data(), states[k].v.data(), y[k].data()});
    }
    std::vector<double> out(estimator_.output_columns().size());
    estimator_.prepare(inputs.data(), static_cast<int>(inputs.size()));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      ++into.samples;
      if (!estimator_.take(static_cast<int>(k), out.data()).ok() || !solve(inputs[k]))
        ++into.failed;
      else
        compare(into);
    }
    into.swept_twice = estimator_.counts().sweeps_checked, into.solved = estimator_.counts().left_to_solves;
  }

 private:
  static constexpr double tolerance = 1e-12;
  static EstimatorOptions options() {
    EstimatorOptions made;
    made.standard_deviations = made.innovations = made.in_batches = true;
    return made;
  }
  bool solve(const Estimator::Inputs& at) {
    sample_.read(system_, plain_.plan().augmented, {}, at.q, at.v, at.y);
    swept_.begin(sample_);
    if (!swept_.solve().ok()) return false;
    truth_.sweep(swept_.lu().values());
    plain_.begin(sample_);
    if (!plain_.solve().ok()) return false;
    sample_.doubtful = true;  // refined
    ReadingOffsets none;
    deviations_.find(sample_, *plain_.order(), plain_.refinements(), weights_, none, {true, true});
    return true;
  }
  void compare(DeviationErrors& into) {
    const std::size_t before = into.all.size();
    sure_ = true;
    compare_outputs(into), compare_rows(into);
    if (!sure_) into.all.resize(before), ++into.unsure;
  }
  void compare_outputs(DeviationErrors& into) {
    const SpreadPlan& sweep = *swept_.own_order().spread.plan;
    for (int u = 0; u < n_; ++u) {
      const Quad variance = sweep.sweeps_output(u) ? truth_.swept_output(u) : -truth_.solved(m_ + u, u);
      if (sweep.is_held(u) || !(variance > Quad(0.0))) continue;
      if (u % 16 == 0) confirm(variance, -truth_.solved(m_ + u, u));
      const auto at = static_cast<std::size_t>(u);
      into.all.push_back({outputs_.columns()[at], false, static_cast<double>(sqrt(variance)),
                          estimator_.standard_deviations()[at], sample_.deviations[at]});
    }
  }
  void compare_rows(DeviationErrors& into) {
    const SpreadPlan& sweep = *swept_.own_order().spread.plan;
    for (int r = 0; r < m_; ++r) {
      if (weights_[r] == 0) continue;
      const Quad variance = sweep.sweeps_row(r) ? truth_.swept_row(r) : truth_.solved(r, n_ + r);
      if (r % 16 == 0) confirm(variance, truth_.solved(r, n_ + r));
      const double innovation = estimator_.innovations()[static_cast<std::size_t>(r)], residual = estimator_.residual(r);
      const double found = innovation == 0 ? 0 : residual * residual / (innovation * innovation);
      into.all.push_back({system_.equation_names()[static_cast<std::size_t>(r)], true, static_cast<double>(variance), found,
                          sample_.rows[static_cast<std::size_t>(r)].variance});
    }
  }
  void confirm(const Quad& swept, const Quad& solved) {
    sure_ = sure_ && abs(swept - solved) < Quad(1e-12) * (abs(solved) + Quad(1e-12));
  }

  const System& system_;
  Outputs outputs_;
  ReadingWeights weights_;
  int n_, m_;
  long refined_ = 0;
  SampleSolver swept_, plain_;
  EstimatorSample sample_;
  Deviations deviations_;
  Truth truth_;
  Estimator estimator_;
  bool sure_ = true;  // of the truth
};

double off(const DeviationError& of, double x) {
  const double error = std::abs(x - of.truth) / (of.of_row ? 1 : of.truth);
  return error == error ? error : 1e300;
}

}  // namespace

double DeviationError::error() const { return off(*this, found); }
double DeviationError::solves_error() const { return off(*this, solved); }

DeviationErrors deviation_errors(unsigned seed, const AwkwardSetOptions& options, int samples) {
  DeviationErrors errors;
  AwkwardOptions of_robot;
  of_robot.decades = options.robot_decades;
  const AwkwardRobot robot = awkward_robot(seed, of_robot);
  try {
    const auto system = std::make_shared<const System>(robot.model, drawn_set(robot, SetDraw(seed, options.sigma_decades)));
    OptimiseOptions quick;
    quick.health_states = 20, quick.umfpack_states = 1;
    SetUnderTest set(system, plan_estimator(*system, {}, quick));
    std::mt19937 rng(seed);
    while (samples > 0) {
      std::vector<AwkwardState> states;
      for (; samples > 0 && states.size() < static_cast<std::size_t>(Batch::lanes); --samples)
        states.push_back(awkward_state(robot, seed + 1000003u * static_cast<unsigned>(samples)));
      set.measure(states, rng, errors);
    }
  } catch (const std::exception& refused) {
    errors.refused = refused.what();
  }
  return errors;
}

}  // namespace sparsedyn::test
