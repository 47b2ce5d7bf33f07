// Rows of the whole body.
#include <algorithm>
#include <limits>

#include "constraints/closed_states.hpp"
#include "constraints/hard_row_ranks.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/step_plan.hpp"
#include "tracking/engines/filter_engine.hpp"
#include "tracking/engines/reading_sigma.hpp"
#include "tracking/visibility/arbitrary_postures.hpp"
#include "tracking/visibility/loop_forces.hpp"
#include "tracking/visibility/placed_by_loops.hpp"
#include "tracking/whole/smooth_motion.hpp"
#include "tracking/whole/whole_backward.hpp"
#include "tracking/whole/whole_outputs.hpp"
#include "tracking/whole/whole_visibility.hpp"

namespace sparsedyn::tracking {
namespace {

/// Throws PlanMismatch where it is no order of these rows with gyroscopes last.
std::vector<int> planned_order(const StepPlan& plan, const IntervalRows& rows) {
  std::vector<char> taken(static_cast<std::size_t>(rows.rows()), 0);
  bool fits = plan.order.size() == taken.size();
  for (std::size_t k = 0; k < plan.order.size() && fits; ++k) {
    const int row = plan.order[k];
    fits = row >= 0 && row < rows.rows() && !taken[static_cast<std::size_t>(row)] &&
           (row < rows.first_turn() || row == static_cast<int>(k));
    if (fits) taken[static_cast<std::size_t>(row)] = 1;
  }
  if (!fits) throw PlanMismatch("the plan orders the rows of another step");
  return plan.order;
}

/// The same with loops whose accelerations are those of closed ones. What else a law of motion adds to pull an open loop closed
/// is no law of the robot's: here rows at the samples say that it is closed.
std::shared_ptr<const System> without_stabilisation(std::shared_ptr<const System> system) {
  SensorSet set = system->sensors();
  bool pulls = false;
  for (Constraint& c : set.constraints.constraints)
    if (c.hard && c.omega != 0) c.omega = 0, pulls = true;
  if (!pulls) return system;
  const RobotNumbersOf numbers = system->stands_for_inputs() ? RobotNumbersOf::examples : RobotNumbersOf::robot;
  return std::make_shared<const System>(system->model(), set, system->formulation(), numbers);
}

/// "", or that no posture closes the loops: then each sample's rows contradict the robot.
std::string open_loops(const System& system) {
  const ClosedStates found = closed_states(system.model(), system.sensors().constraints, arbitrary_postures(system.model()), 0);
  const bool closed = found.closed || rank_postures(system.model(), system.sensors().constraints).closed;
  return closed ? "" : "no posture closes the loops, so estimates contradict them: " + found.why;
}

struct WholeRows {
  using Forward = WholeForward;
  using Start = WholeStart;
  using Sample = WholeSample;
  using Knot = WholeKnot;
  using Snapshot = WholeSnapshot;

  WholeRows(const TrackerOptions& options, std::shared_ptr<const System> shared)
      : system(without_stabilisation(std::move(shared))),
        interval(*system, WholeLayout::freed_link(*system)),
        layout(system, interval),
        forward(layout, interval, options.slip),
        outputs(layout, options),
        backward(layout, options.deviations),
        slip_(options.slip) {
    if (options.plan) layout.row_order = planned_order(*options.plan, interval);
    if (const std::string open = open_loops(*system); !open.empty()) layout.notes.push_back(open);
  }

  WholeOutputs& late_outputs() noexcept { return outputs; }
  Sample empty_sample() const { return WholeSample(layout, forward.most_rows()); }
  static void clear(Sample&) noexcept {}
  void begin_pass(bool first) noexcept { forward.judge_throws(first); }
  Forward another_forward() { return WholeForward(layout, interval, slip_); }
  Snapshot newest() const noexcept {
    return {
        forward.knot(), forward.gaussian().P.data(), forward.system_readings().data(), forward.stands().data(), forward.dt(),
        forward.nis()};
  }
  void begin_back(const Sample&) noexcept { backward.begin(); }
  void step_back(const Sample& after, const Sample&) noexcept { backward.step(after); }
  Snapshot looking_back(const Sample& sample, const Sample*) noexcept { return backward.snapshot(sample); }
  static void copy_knot(const Snapshot& sample, Knot& to) noexcept { copy(sample.x, to); }

  std::shared_ptr<const System> system;
  IntervalRows interval;
  WholeLayout layout;
  WholeForward forward;
  WholeOutputs outputs;
  WholeBackward backward;

 private:
  bool slip_;
};

class WholeBodyEngine : public FilterEngine<WholeRows> {
 public:
  WholeBodyEngine(std::shared_ptr<const System> system, TrackerOptions options)
      : FilterEngine(std::move(options), std::move(system)), scratch_(nees_scratch(rows_.layout)) {
    inputs_ = rows_.layout.inputs;
    std::string why;
    if (!rows_.layout.floating)
      unobservable_ = unseen(rows_.layout, rows_.interval, why);
    else
      unobservable_ = unplaced(*rows_.system, rows_.layout.poses);
    if (!why.empty()) rows_.layout.notes.push_back("what no sensor sees is not known: " + why);
    for (const std::string& name : unseen_loop_forces(rows_.layout, rows_.interval)) unobservable_.push_back(name);
    start_from(WholeStart{});
  }

  TrackRows rows() const override { return TrackRows::whole_body; }
  int states() const override { return rows_.layout.size; }

  void start(const double* q, const double* v) noexcept override {
    WholeStart state;
    if (rows_.layout.floating && q) {
      std::copy_n(q, 7, state.base.begin());
      state.given = normalise_quaternion(state.base.data() + 3);
    }
    if (rows_.layout.floating && v) state.moving = true, std::copy_n(v, 6, state.twist.begin());
    start_from(state);
  }

  bool set_sigma(std::size_t input, double sigma) noexcept override { return tracking::set_sigma(rows_.layout, input, sigma); }

  double nees(const double* q, const double* v) const noexcept override {
    if (!v) return std::numeric_limits<double>::quiet_NaN();
    return nees_of(rows_.layout, rows_.newest(), q, v, scratch_);
  }

  std::vector<std::pair<std::string, double>> biases() const override {
    std::vector<std::pair<std::string, double>> found;
    for (std::size_t k = 0; k < rows_.layout.offsets.size(); ++k)
      found.emplace_back(rows_.layout.offsets[k].column, rows_.forward.knot().offsets[k]);
    return found;
  }

  std::vector<TrackerStep> smooth(const std::vector<double>& y, const std::vector<double>& dt, int iterations, double* out,
                                  std::vector<std::string>* at_prior) const override {
    TrackerOptions options = options_;
    options.lag = 0;
    WholeBodyEngine engine(rows_.system, options);
    WholeRows& rows = engine.rows_;
    take_sigmas(rows_.layout, rows.layout);
    const SensorSet& set = rows.system->sensors();
    if (!rows.layout.floating && set.prior.count("ddq") == 0 && !(set.acceleration_walk > 0))
      rows.layout.let_accelerations_walk(likeliest_walk(rows.layout, rows.interval, started_from(), y, dt));
    std::vector<TrackerStep> steps = engine.smooth_from(started_from(), y, dt, iterations, out);
    if (at_prior) *at_prior = engine.at_prior();
    return steps;
  }

 private:
  static std::size_t nees_scratch(const WholeLayout& layout) {
    const auto n = static_cast<std::size_t>(std::max(9, 2 * layout.nv));
    return n * (n + 1);
  }

  mutable std::vector<double> scratch_;
};

}  // namespace

std::unique_ptr<Engine> whole_body_engine(std::shared_ptr<const System> system, TrackerOptions options) {
  return std::make_unique<WholeBodyEngine>(std::move(system), std::move(options));
}

}  // namespace sparsedyn::tracking
