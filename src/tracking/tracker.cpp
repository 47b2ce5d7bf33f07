#include "sparsedyn/tracking/tracker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/suggestions.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "tracking/backward.hpp"
#include "tracking/late_flags.hpp"
#include "tracking/track_outputs.hpp"

namespace sparsedyn {

using namespace tracking;

UnknownTrackOutput::UnknownTrackOutput(const std::string& asked, std::vector<std::string> all)
    : std::runtime_error("no output " + asked + suggestions_text(asked, all) +
                         "; kinematic rows have q, dq, bias, foot, contact, nis"),
      name(asked),
      columns(std::move(all)) {}

struct Tracker::Parts {
  Parts(std::shared_ptr<const System> system, TrackerOptions chosen)
      : options(std::move(chosen)),
        layout(std::move(system)),
        forward(layout, options.slip),
        outputs(layout, options),
        late(layout, options),
        backward(layout, options.deviations),
        late_flags(layout, options.slip),
        flags_are_late(LateFlags::needed(layout)) {
    // rows that are gone through again are written again
    if (options.lag > 0) ring.assign(static_cast<std::size_t>(options.lag + 1 + late_flags.most_rows()), Sample(layout));
    for (const TrackInput& input : layout.inputs) inputs.push_back({input.columns, input.required});
    if (!layout.floating) return;
    const bool placed = !layout.poses.empty();
    if (!placed) unobservable = {"base.x", "base.y", "base.z"};
    if (std::none_of(layout.poses.begin(), layout.poses.end(), [](const TrackedPose& p) { return p.turns; }))
      unobservable.push_back("base.yaw");
  }

  TrackerStep step(const double* y, double dt) noexcept {
    TrackerStep result;
    if (flags_are_late) {
      result = late_flags.step(y, dt, forward, ring.empty() ? nullptr : &ring);
      samples = late_flags.count();
      return result;
    }
    Sample* record = ring.empty() ? nullptr : &ring[static_cast<std::size_t>(samples) % ring.size()];
    result = forward.step(y, dt, nullptr, record);
    if (result.ok) ++samples;
    return result;
  }

  Snapshot newest() const {
    return {forward.base().knot(),   forward.base().covariance(),
            forward.joints().data(), forward.stands().data(),
            forward.rate(),          forward.nis()};
  }

  TrackerOptions options;
  Layout layout;
  Forward forward;
  TrackOutputs outputs, late;
  Backward backward;
  LateFlags late_flags;
  bool flags_are_late;
  StartState start;
  std::vector<Sample> ring;
  long samples = 0;  // in the ring, since it was emptied
  std::vector<TrackerInput> inputs;
  std::vector<std::string> unobservable;
};

Tracker::Tracker(std::shared_ptr<const System> system, TrackerOptions options)
    : parts_(std::make_unique<Parts>(std::move(system), std::move(options))) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

const std::vector<TrackerInput>& Tracker::inputs() const { return parts_->inputs; }
const std::vector<std::string>& Tracker::columns() const { return parts_->outputs.columns(); }
const std::vector<std::string>& Tracker::notes() const { return parts_->layout.notes; }
const std::vector<std::string>& Tracker::unobservable() const { return parts_->unobservable; }
int Tracker::states() const { return parts_->layout.size + 2 * static_cast<int>(parts_->layout.joints.size()); }

void Tracker::start(const double* q, const double* v) noexcept {
  StartState state;
  double u[4];
  if (parts_->layout.floating && q) {
    std::copy(q + 3, q + 7, u);
    state.given = normalise_quaternion(u);
    state.base = {rotation_from_quaternion(u), {{q[0], q[1], q[2]}}};
    if (!state.given) state.base = identity_pose<double>();
  }
  if (parts_->layout.floating && v) {
    state.moving = true;
    state.velocity = {{{v[0], v[1], v[2]}}, {{v[3], v[4], v[5]}}};
  }
  parts_->start = state;
  parts_->forward.start(state);
  parts_->late_flags.start(state);
  parts_->samples = 0;
}

TrackerStep Tracker::step(const double* y, double dt, double* out) noexcept {
  Parts& p = *parts_;
  const TrackerStep result = p.step(y, dt);
  if (!result.ok) return result;
  p.outputs.write(p.newest(), out);
  return result;
}

bool Tracker::delayed(int back, double* out) const noexcept {
  Parts& p = *parts_;
  const int size = static_cast<int>(p.ring.size());
  if (back < 0 || back > p.options.lag || back >= p.samples) return false;
  if (size == 0) {
    p.late.write(p.newest(), out);
    return true;
  }
  const auto at = [&](int k) -> const Sample& {
    return p.ring[static_cast<std::size_t>(p.samples - 1 - k) % static_cast<std::size_t>(size)];
  };
  p.backward.begin(at(0));
  for (int k = 1; k <= back; ++k) p.backward.step(at(k - 1), at(k), p.forward.acceleration_sigma());
  p.late.write(p.backward.snapshot(at(back), back > 0 ? &at(back - 1) : nullptr), out);
  return true;
}

/// Errors against a truth; place and velocity by their parts that turn with the base.
double Tracker::nees(const double* q, const double* v) const noexcept {
  const Parts& p = *parts_;
  if (!p.layout.floating) return std::numeric_limits<double>::quiet_NaN();
  const bool on_base = p.layout.model.links[static_cast<std::size_t>(p.layout.link)].body == 0;
  return nees_of(p.newest(), p.outputs.base(), q, on_base ? v : nullptr);
}

std::vector<std::pair<std::string, double>> Tracker::biases() const {
  std::vector<std::pair<std::string, double>> found;
  const Knot& x = parts_->forward.base().knot();
  for (const Triad* t : {&parts_->layout.gyroscope, &parts_->layout.accelerometer})
    for (int k = 0; k < 3 && t->bias >= 0; ++k)
      found.emplace_back(t->bias_columns[static_cast<std::size_t>(k)],
                         t == &parts_->layout.gyroscope ? x.gyroscope_bias[k] : x.accelerometer_bias[k]);
  return found;
}

namespace {

/// Forward over all rows; records of those that could be used, in `used` their rows.
void run_forward(Forward& forward, const StartState& start, const std::vector<double>& y, const std::vector<double>& dt,
                 std::size_t width, std::vector<Sample>& records, const std::vector<Knot>* about,
                 std::vector<TrackerStep>& steps, std::vector<std::size_t>& used) {
  forward.start(start);
  used.clear();
  for (std::size_t k = 0; k < dt.size(); ++k) {
    const Knot* knot = about && used.size() < about->size() ? &(*about)[used.size()] : nullptr;
    Sample& record = records[used.size()];
    record.base.taken = 0;
    const TrackerStep step = forward.step(y.data() + k * width, dt[k], knot, &record);
    if (!about) steps[k] = step;
    if (step.ok) used.push_back(k);
  }
}

}  // namespace

std::vector<TrackerStep> smooth(const Tracker& tracker, const std::vector<double>& y, const std::vector<double>& dt,
                                int iterations, double* out) {
  const Tracker::Parts& like = *tracker.parts_;
  Tracker::Parts p(like.layout.system, like.options);
  const std::size_t width = p.inputs.size(), columns = p.outputs.columns().size();
  std::vector<double> settled = y;
  settle_flags(p.layout, dt, settled);
  std::fill_n(out, dt.size() * columns, std::numeric_limits<double>::quiet_NaN());
  std::vector<Sample> records(dt.size(), Sample(p.layout));
  std::vector<TrackerStep> steps(dt.size());
  std::vector<std::size_t> used;
  std::vector<Knot> about;
  for (int iteration = 0; iteration < std::max(iterations, 1); ++iteration) {
    run_forward(p.forward, like.start, settled, dt, width, records, iteration > 0 ? &about : nullptr, steps, used);
    if (used.empty()) return steps;
    about.assign(used.size(), Knot(p.layout));
    const bool last = iteration + 1 >= iterations;
    p.backward.find_deviations(last && p.options.deviations);
    p.backward.begin(records[used.size() - 1]);
    for (std::size_t k = used.size(); k-- > 0;) {
      const Sample* after = k + 1 < used.size() ? &records[k + 1] : nullptr;
      if (after) p.backward.step(*after, records[k], p.forward.acceleration_sigma());
      const Snapshot sample = p.backward.snapshot(records[k], after);
      about[k] = sample.x;
      if (last) p.late.write(sample, out + used[k] * columns);
    }
  }
  return steps;
}

}  // namespace sparsedyn
