// Kinematic rows, of robots with a floating or a fixed base.
#include <array>
#include <cmath>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/backward.hpp"
#include "tracking/engines/filter_engine.hpp"
#include "tracking/engines/reading_sigma.hpp"

namespace sparsedyn::tracking {
namespace {

struct KinematicRows {
  using Forward = tracking::Forward;
  using Start = StartState;
  using Sample = tracking::Sample;
  using Knot = tracking::Knot;
  using Snapshot = tracking::Snapshot;

  KinematicRows(const TrackerOptions& options, std::shared_ptr<const System> system)
      : layout(std::move(system)),
        forward(layout, options.slip),
        outputs(layout, options),
        backward(layout, options.deviations),
        late_(layout, options),
        slip_(options.slip) {}

  TrackOutputs& late_outputs() noexcept { return late_; }
  Sample empty_sample() const { return Sample(layout); }
  static void clear(Sample& record) noexcept { record.base.taken = 0; }
  static void begin_pass(bool) noexcept {}
  Forward another_forward() const { return Forward(layout, slip_); }
  Snapshot newest() const noexcept {
    return {forward.base().knot(),   forward.base().covariance(),
            forward.joints().data(), forward.stands().data(),
            forward.rate(),          forward.nis()};
  }
  void begin_back(const Sample& sample) noexcept { backward.begin(sample); }
  void step_back(const Sample& after, const Sample& sample) noexcept {
    backward.step(after, sample, forward.acceleration_sigma());
  }
  Snapshot looking_back(const Sample& sample, const Sample* after) noexcept { return backward.snapshot(sample, after); }
  static void copy_knot(const Snapshot& sample, Knot& to) noexcept { to = sample.x; }

  Layout layout;
  Forward forward;
  TrackOutputs outputs;
  Backward backward;

 private:
  TrackOutputs late_;
  bool slip_;
};

class KinematicEngine : public FilterEngine<KinematicRows> {
 public:
  KinematicEngine(std::shared_ptr<const System> system, TrackerOptions options)
      : FilterEngine(std::move(options), std::move(system)) {
    const Layout& layout = rows_.layout;
    for (const TrackInput& input : layout.inputs) inputs_.push_back({input.columns, input.required, 0, !input.required});
    if (layout.floating) unobservable_ = unplaced(layout.poses);
  }

  TrackRows rows() const override { return TrackRows::kinematic; }
  int states() const override { return rows_.layout.size + 2 * static_cast<int>(rows_.layout.joints.size()); }

  void start(const double* q, const double* v) noexcept override {
    StartState state;
    double u[4];
    if (rows_.layout.floating && q) {
      std::copy(q + 3, q + 7, u);
      state.given = normalise_quaternion(u);
      state.base = {rotation_from_quaternion(u), {{q[0], q[1], q[2]}}};
      if (!state.given) state.base = identity_pose<double>();
    }
    if (rows_.layout.floating && v) {
      state.moving = true;
      state.velocity = {{{v[0], v[1], v[2]}}, {{v[3], v[4], v[5]}}};
    }
    start_from(state);
  }

  bool set_sigma(std::size_t input, double sigma) noexcept override { return tracking::set_sigma(rows_.layout, input, sigma); }

  /// Errors against a truth; place and velocity by their parts that turn with the base.
  double nees(const double* q, const double* v) const noexcept override {
    if (!rows_.layout.floating) return std::numeric_limits<double>::quiet_NaN();
    const bool on_base = rows_.layout.model.links[static_cast<std::size_t>(rows_.layout.link)].body == 0;
    return nees_of(rows_.newest(), rows_.outputs.base(), q, on_base ? v : nullptr);
  }

  std::vector<std::pair<std::string, double>> biases() const override {
    std::vector<std::pair<std::string, double>> found;
    const Knot& x = rows_.forward.base().knot();
    for (const Triad* t : {&rows_.layout.gyroscope, &rows_.layout.accelerometer})
      for (int k = 0; k < 3 && t->bias >= 0; ++k)
        found.emplace_back(t->bias_columns[static_cast<std::size_t>(k)],
                           t == &rows_.layout.gyroscope ? x.gyroscope_bias[k] : x.accelerometer_bias[k]);
    return found;
  }

  std::vector<TrackerStep> smooth(const std::vector<double>& y, const std::vector<double>& dt, int iterations, double* out,
                                  std::vector<std::string>* at_prior) const override {
    KinematicEngine engine(rows_.layout.system, options_);
    take_sigmas(rows_.layout, engine.rows_.layout);
    std::vector<TrackerStep> steps = engine.smooth_from(started_from(), y, dt, iterations, out);
    if (at_prior) *at_prior = engine.at_prior();
    return steps;
  }
};

}  // namespace

std::unique_ptr<Engine> kinematic_engine(std::shared_ptr<const System> system, TrackerOptions options) {
  return std::make_unique<KinematicEngine>(std::move(system), std::move(options));
}

}  // namespace sparsedyn::tracking
