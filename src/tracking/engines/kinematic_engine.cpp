// Kinematic rows, of robots with a floating or a fixed base.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/backward.hpp"
#include "tracking/engines/engine.hpp"
#include "tracking/late_flags.hpp"
#include "tracking/track_outputs.hpp"

namespace sparsedyn::tracking {
namespace {

class KinematicEngine : public Engine {
 public:
  KinematicEngine(std::shared_ptr<const System> system, TrackerOptions chosen)
      : options_(std::move(chosen)),
        layout_(std::move(system)),
        forward_(layout_, options_.slip),
        outputs_(layout_, options_),
        late_(layout_, options_),
        backward_(layout_, options_.deviations),
        late_flags_(layout_, options_.slip),
        flags_are_late_(LateFlags::needed(layout_)) {
    // rows that are gone through again are written again
    if (options_.lag > 0) ring_.assign(static_cast<std::size_t>(options_.lag + 1 + late_flags_.most_rows()), Sample(layout_));
    for (const TrackInput& input : layout_.inputs) inputs_.push_back({input.columns, input.required, 0, !input.required});
    if (!layout_.floating) return;
    const bool placed = !layout_.poses.empty();
    if (!placed) unobservable_ = {"base.x", "base.y", "base.z"};
    if (std::none_of(layout_.poses.begin(), layout_.poses.end(), [](const TrackedPose& p) { return p.turns; }))
      unobservable_.push_back("base.yaw");
  }

  TrackRows rows() const override { return TrackRows::kinematic; }
  const std::vector<std::string>& columns() const override { return outputs_.columns(); }
  const std::vector<std::string>& notes() const override { return layout_.notes; }
  int states() const override { return layout_.size + 2 * static_cast<int>(layout_.joints.size()); }

  void start(const double* q, const double* v) noexcept override {
    StartState state;
    double u[4];
    if (layout_.floating && q) {
      std::copy(q + 3, q + 7, u);
      state.given = normalise_quaternion(u);
      state.base = {rotation_from_quaternion(u), {{q[0], q[1], q[2]}}};
      if (!state.given) state.base = identity_pose<double>();
    }
    if (layout_.floating && v) {
      state.moving = true;
      state.velocity = {{{v[0], v[1], v[2]}}, {{v[3], v[4], v[5]}}};
    }
    start_ = state;
    forward_.start(state);
    late_flags_.start(state);
    samples_ = 0;
  }

  TrackerStep step(const double* y, double dt, double* out) noexcept override {
    const TrackerStep result = move(y, dt);
    if (!result.ok) return result;
    outputs_.write(newest(), out);
    return result;
  }

  bool delayed(int back, double* out) noexcept override {
    const int size = static_cast<int>(ring_.size());
    if (back < 0 || back > options_.lag || back >= samples_) return false;
    if (size == 0) {
      late_.write(newest(), out);
      return true;
    }
    const auto at = [&](int k) -> const Sample& {
      return ring_[static_cast<std::size_t>(samples_ - 1 - k) % static_cast<std::size_t>(size)];
    };
    backward_.begin(at(0));
    for (int k = 1; k <= back; ++k) backward_.step(at(k - 1), at(k), forward_.acceleration_sigma());
    late_.write(backward_.snapshot(at(back), back > 0 ? &at(back - 1) : nullptr), out);
    return true;
  }

  /// Errors against a truth; place and velocity by their parts that turn with the base.
  double nees(const double* q, const double* v) const noexcept override {
    if (!layout_.floating) return std::numeric_limits<double>::quiet_NaN();
    const bool on_base = layout_.model.links[static_cast<std::size_t>(layout_.link)].body == 0;
    return nees_of(newest(), outputs_.base(), q, on_base ? v : nullptr);
  }

  std::vector<std::pair<std::string, double>> biases() const override {
    std::vector<std::pair<std::string, double>> found;
    const Knot& x = forward_.base().knot();
    for (const Triad* t : {&layout_.gyroscope, &layout_.accelerometer})
      for (int k = 0; k < 3 && t->bias >= 0; ++k)
        found.emplace_back(t->bias_columns[static_cast<std::size_t>(k)],
                           t == &layout_.gyroscope ? x.gyroscope_bias[k] : x.accelerometer_bias[k]);
    return found;
  }

  std::vector<TrackerStep> smooth(const std::vector<double>& y, const std::vector<double>& dt, int iterations,
                                  double* out) const override {
    return KinematicEngine(layout_.system, options_).smooth_from(start_, y, dt, iterations, out);
  }

 private:
  TrackerStep move(const double* y, double dt) noexcept {
    TrackerStep result;
    if (flags_are_late_) {
      result = late_flags_.step(y, dt, forward_, ring_.empty() ? nullptr : &ring_);
      samples_ = late_flags_.count();
      return result;
    }
    Sample* record = ring_.empty() ? nullptr : &ring_[static_cast<std::size_t>(samples_) % ring_.size()];
    result = forward_.step(y, dt, nullptr, record);
    if (result.ok) ++samples_;
    return result;
  }

  Snapshot newest() const {
    return {forward_.base().knot(),   forward_.base().covariance(),
            forward_.joints().data(), forward_.stands().data(),
            forward_.rate(),          forward_.nis()};
  }

  /// Forward over all rows; records of those that could be used, in `used` their rows.
  void run_forward(const StartState& start, const std::vector<double>& y, const std::vector<double>& dt,
                   std::vector<Sample>& records, const std::vector<Knot>* about, std::vector<TrackerStep>& steps,
                   std::vector<std::size_t>& used) {
    forward_.start(start);
    used.clear();
    for (std::size_t k = 0; k < dt.size(); ++k) {
      const Knot* knot = about && used.size() < about->size() ? &(*about)[used.size()] : nullptr;
      Sample& record = records[used.size()];
      record.base.taken = 0;
      const TrackerStep step = forward_.step(y.data() + k * inputs_.size(), dt[k], knot, &record);
      if (!about) steps[k] = step;
      if (step.ok) used.push_back(k);
    }
  }

  std::vector<TrackerStep> smooth_from(const StartState& start, const std::vector<double>& y, const std::vector<double>& dt,
                                       int iterations, double* out) {
    const std::size_t width = outputs_.columns().size();
    std::vector<double> settled = y;
    settle_flags(layout_, dt, settled);
    std::fill_n(out, dt.size() * width, std::numeric_limits<double>::quiet_NaN());
    std::vector<Sample> records(dt.size(), Sample(layout_));
    std::vector<TrackerStep> steps(dt.size());
    std::vector<std::size_t> used;
    std::vector<Knot> about;
    for (int iteration = 0; iteration < std::max(iterations, 1); ++iteration) {
      run_forward(start, settled, dt, records, iteration > 0 ? &about : nullptr, steps, used);
      if (used.empty()) return steps;
      about.assign(used.size(), Knot(layout_));
      const bool last = iteration + 1 >= iterations;
      backward_.find_deviations(last && options_.deviations);
      backward_.begin(records[used.size() - 1]);
      for (std::size_t k = used.size(); k-- > 0;) {
        const Sample* after = k + 1 < used.size() ? &records[k + 1] : nullptr;
        if (after) backward_.step(*after, records[k], forward_.acceleration_sigma());
        const Snapshot sample = backward_.snapshot(records[k], after);
        about[k] = sample.x;
        if (last) late_.write(sample, out + used[k] * width);
      }
    }
    return steps;
  }

  TrackerOptions options_;
  Layout layout_;
  Forward forward_;
  TrackOutputs outputs_, late_;
  Backward backward_;
  LateFlags late_flags_;
  bool flags_are_late_;
  StartState start_;
  std::vector<Sample> ring_;
  long samples_ = 0;  // in the ring, since it was emptied
};

}  // namespace

std::unique_ptr<Engine> kinematic_engine(std::shared_ptr<const System> system, TrackerOptions options) {
  return std::make_unique<KinematicEngine>(std::move(system), std::move(options));
}

}  // namespace sparsedyn::tracking
