#include "sparsedyn/sparse/detail/health.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "bounded_health.hpp"
#include "sparsedyn/sparse/detail/lu_in_lanes.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {
namespace states_in_turn {

constexpr double never = std::numeric_limits<double>::infinity();  // solved
constexpr double tolerance = 1e-12;                                // beyond which solvers refine

/// How a plan's order fares at one state.
struct StateHealth {
  double backward = never, growth = never;
  SolutionErrors left{never, never};  // after the refinement that solvers do
  bool refined = false;               // there was one
};

/// States in any sequence, one after the other. The first four alone: an order that is bad is bad there already. Then eight at
/// a time in lanes, whose numbers are those of one alone to the last bit. A lane that fails, or whose solution one step of
/// refinement does not make accurate, is done again alone.
class StatesInTurn {
 public:
  /// Both must outlive it. Of the k-th one, state(k) says which it is.
  StatesInTurn(const Plan& plan, const Samples& samples, std::function<int(int)> state)
      : plan_(plan),
        samples_(samples),
        state_(std::move(state)),
        lu_(plan),
        x_(static_cast<std::size_t>(plan.pattern.columns)) {}

  /// k: 0, 1, 2 and so on.
  StateHealth next(int k) {
    if (k < alone || !plan_.program.complete.runs.empty()) return one(state_(k), true);
    const int lane = (k - alone) % Batch::lanes;
    if (lane == 0) solve_lanes(k);
    if (!lanes_->ok(lane)) return one(state_(k), true);
    if (doubtful_[lane] && vanishing_[lane]) return {};  // solvers refuse it
    if (!within(left_[lane])) return one(state_(k), false);
    return {health_.backward_error.lane[lane], health_.growth.lane[lane], left_[lane], refined_[lane]};
  }
  static constexpr int alone = 4;

 private:
  using Flags = std::array<bool, Batch::lanes>;

  /// looks: whether a pivot vanishes is not known.
  StateHealth one(int s, bool looks) {
    samples_.fill(s, lu_.values(), lu_.right_side());
    if (!lu_.factor().ok() || !lu_.solve(x_.data()).ok() || !lu_.complete(x_.data()).ok()) return {};
    const SolutionErrors errors = lu_.errors(x_.data());
    const double growth = lu_.growth();
    if (looks && lu_.doubtful(errors.norm) && lu_.vanishing_pivot(lu_.values()) >= 0) return {};  // solvers refuse it
    long refined = 0;
    const SolutionErrors left = lu_.improve(x_.data(), errors, tolerance, refined);
    return {errors.backward, growth, left, refined > 0};
  }

  /// The states from the k-th on, lanes beyond the last repeat what they had.
  void solve_lanes(int k) {
    const std::size_t entries = static_cast<std::size_t>(plan_.pattern.entries()),
                      rows = static_cast<std::size_t>(plan_.pattern.rows), each = entries + rows;
    if (!lanes_) lanes_ = std::make_unique<LUInLanes>(plan_), numbers_.resize(Batch::lanes * each);
    for (int lane = 0; lane < Batch::lanes && k + lane < samples_.count; ++lane) {
      double* const own = numbers_.data() + static_cast<std::size_t>(lane) * each;
      samples_.fill(state_(k + lane), own, own + entries);
    }
    side_by_side(0, entries, each, lanes_->values());
    side_by_side(entries, rows, each, lanes_->right_side());
    lanes_->factor(), lanes_->solve();
    health_ = lanes_->health();
    left_ = errors_of(health_);
    const int count = std::min(int{Batch::lanes}, samples_.count - k);
    refine_lanes(count);
    doubtful_ = {};
    for (int lane = 0; lane < count; ++lane)
      doubtful_[lane] = lanes_->ok(lane) && !(health_.least_pivot.lane[lane] >= ZeroFillLU<double>::doubtful_pivot);
    if (any(doubtful_)) vanishing_ = lanes_->vanishing_pivots();
  }

  /// The first step of ZeroFillLU::improve, which needs no others where both errors are within the tolerance then.
  void refine_lanes(int count) {
    Flags again{};
    for (int lane = 0; lane < count; ++lane) again[lane] = lanes_->ok(lane) && !within(left_[lane]);
    refined_ = again;
    if (!any(again)) return;
    lanes_->refine(again);
    const std::array<SolutionErrors, Batch::lanes> refined = errors_of(lanes_->health());
    for (int lane = 0; lane < Batch::lanes; ++lane)
      if (again[lane]) left_[lane] = refined[lane];
  }

  static bool any(const Flags& flags) { return std::find(flags.begin(), flags.end(), true) != flags.end(); }
  static bool within(const SolutionErrors& e) { return e.backward <= tolerance && e.componentwise <= tolerance; }
  static std::array<SolutionErrors, Batch::lanes> errors_of(const LaneHealth& health) {
    std::array<SolutionErrors, Batch::lanes> errors;
    for (int lane = 0; lane < Batch::lanes; ++lane)
      errors[lane] = {health.backward_error.lane[lane], health.componentwise_error.lane[lane]};
    return errors;
  }

  /// The numbers from `first` on of all lanes.
  void side_by_side(std::size_t first, std::size_t count, std::size_t each, Batch* target) const {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t lane = 0; lane < std::size_t{Batch::lanes}; ++lane)
        target[i].lane[lane] = numbers_[lane * each + first + i];
  }

  const Plan& plan_;
  const Samples& samples_;
  std::function<int(int)> state_;
  ZeroFillLU<double> lu_;
  std::vector<double> x_, numbers_;   // a solution; values and right-hand side of a state in each lane
  std::unique_ptr<LUInLanes> lanes_;  // made where there are so many states
  LaneHealth health_;                 // before refinement
  std::array<SolutionErrors, Batch::lanes> left_;
  Flags doubtful_{}, vanishing_{}, refined_{};
};

/// The worst of some states.
struct WorstStates {
  double backward = 0, growth = 0, componentwise = 0;
  int worst = -1, refined = 0;

  void add(int s, const StateHealth& found) {
    add(s, found.backward, found.growth, found.left.componentwise);
    refined += found.refined;
  }
  void add(const WorstStates& other) {
    if (other.worst >= 0) add(other.worst, other.backward, other.growth, other.componentwise);
    refined += other.refined;
  }
  JudgedHealth of(const Samples& samples) const {
    JudgedHealth judged;
    Health& health = judged.health;
    health.states = samples.count, health.worst_backward_error = backward, health.worst_growth = growth;
    health.worst_componentwise_error = componentwise;
    if (worst >= 0 && samples.state) health.worst_state = samples.state(worst);
    judged.refined = refined;
    return judged;
  }

 private:
  void add(int s, double error, double growth_there, double components) {
    if (worst < 0 || error > backward || (error == backward && s < worst)) worst = s, backward = error;
    growth = std::max(growth, growth_there);
    componentwise = std::max(componentwise, components);
  }
};

/// Random and special states in turn: what fails, fails soon.
int mixed(int k, int count) { return k % 2 ? count - 1 - k / 2 : k / 2; }

}  // namespace states_in_turn

using namespace states_in_turn;  // no anonymous one: an object of PartOfHealth has members of these types

Health measure_health(const Plan& plan, const Samples& samples) { return bounded_health(plan, samples, never).health; }

JudgedHealth bounded_health(const Plan& plan, const Samples& samples, double hopeless) {
  StatesInTurn states(plan, samples, [&](int k) { return mixed(k, samples.count); });
  WorstStates worst;
  for (int k = 0; k < samples.count && (worst.backward <= tolerance || worst.backward < hopeless); ++k)
    worst.add(mixed(k, samples.count), states.next(k));
  return worst.of(samples);
}

struct PartOfHealth::Data {
  Data(const Plan& plan, const Samples& s)
      : samples(s), states(plan, s, [count = s.count](int k) { return mixed(k, count); }) {}
  const Samples& samples;
  StatesInTurn states;
  WorstStates worst;
};

PartOfHealth::PartOfHealth(const Plan& plan, const Samples& samples) : data_(std::make_unique<Data>(plan, samples)) {}
PartOfHealth::~PartOfHealth() = default;

int PartOfHealth::blocks(const Samples& samples) {
  const int in_lanes = std::max(0, samples.count - StatesInTurn::alone);
  return 1 + (in_lanes + Batch::lanes - 1) / Batch::lanes;
}

void PartOfHealth::judge(int block) {
  const int first = block == 0 ? 0 : StatesInTurn::alone + (block - 1) * Batch::lanes,
            end = StatesInTurn::alone + block * Batch::lanes, count = data_->samples.count;
  for (int k = first; k < std::min(end, count); ++k) data_->worst.add(mixed(k, count), data_->states.next(k));
}

void PartOfHealth::add(const PartOfHealth& other) { data_->worst.add(other.data_->worst); }

JudgedHealth PartOfHealth::found() const { return data_->worst.of(data_->samples); }

std::vector<char> states_in_need(const Plan& plan, const Samples& samples) {
  StatesInTurn states(plan, samples, [](int k) { return k; });
  std::vector<char> need(static_cast<std::size_t>(samples.count), 1);
  for (int s = 0; s < samples.count; ++s) {
    const SolutionErrors left = states.next(s).left;
    need[static_cast<std::size_t>(s)] = !(left.backward <= tolerance && left.componentwise <= tolerance);
  }
  return need;
}

}  // namespace sparsedyn
