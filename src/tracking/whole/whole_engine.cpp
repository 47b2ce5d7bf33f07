// Rows of the whole body, on a fixed base: forward sample by sample, back over kept samples.
#include <algorithm>
#include <limits>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/engines/engine.hpp"
#include "tracking/whole/whole_backward.hpp"
#include "tracking/whole/whole_outputs.hpp"
#include "tracking/whole/whole_visibility.hpp"

namespace sparsedyn::tracking {
namespace {

class WholeBodyEngine : public Engine {
 public:
  WholeBodyEngine(std::shared_ptr<const System> system, TrackerOptions chosen)
      : options_(std::move(chosen)),
        system_(std::move(system)),
        rows_(*system_, WholeLayout::freed_link(*system_)),
        layout_(system_, rows_),
        forward_(layout_, rows_, options_.slip),
        outputs_(layout_, options_),
        backward_(layout_, options_.deviations),
        scratch_(std::max<std::size_t>(
            90, static_cast<std::size_t>(2 * layout_.nv) * static_cast<std::size_t>(2 * layout_.nv + 1))) {
    if (options_.lag > 0) ring_.assign(static_cast<std::size_t>(options_.lag) + 1, WholeSample(layout_, forward_.most_rows()));
    inputs_ = layout_.inputs;
    unobservable_ =
        layout_.floating ? std::vector<std::string>{"base.x", "base.y", "base.z", "base.yaw"} : unseen(layout_, rows_);
    forward_.start();
  }

  TrackRows rows() const override { return TrackRows::whole_body; }
  const std::vector<std::string>& columns() const override { return outputs_.columns(); }
  const std::vector<std::string>& notes() const override { return layout_.notes; }
  int states() const override { return layout_.size; }

  void start(const double* q, const double* v) noexcept override {
    start_ = WholeStart{};
    if (layout_.floating && q) {
      std::copy_n(q, 7, start_.base.begin());
      start_.given = normalise_quaternion(start_.base.data() + 3);
    }
    if (layout_.floating && v) start_.moving = true, std::copy_n(v, 6, start_.twist.begin());
    forward_.start(start_);
    samples_ = 0;
  }

  TrackerStep step(const double* y, double dt, double* out) noexcept override {
    WholeSample* record = ring_.empty() ? nullptr : &ring_[static_cast<std::size_t>(samples_) % ring_.size()];
    const TrackerStep result = forward_.step(y, dt, nullptr, record);
    if (!result.ok) return result;
    ++samples_;
    outputs_.write(newest(), out);
    return result;
  }

  bool delayed(int back, double* out) noexcept override {
    if (back < 0 || back > options_.lag || back >= samples_) return false;
    if (ring_.empty()) {
      outputs_.write(newest(), out);
      return true;
    }
    const auto at = [&](int k) -> const WholeSample& {
      return ring_[static_cast<std::size_t>(samples_ - 1 - k) % ring_.size()];
    };
    backward_.begin();
    for (int k = 1; k <= back; ++k) backward_.step(at(k - 1));
    outputs_.write(backward_.snapshot(at(back)), out);
    return true;
  }

  double nees(const double* q, const double* v) const noexcept override {
    if (!v) return std::numeric_limits<double>::quiet_NaN();
    return nees_of(layout_, newest(), q, v, scratch_);
  }

  std::vector<std::pair<std::string, double>> biases() const override {
    std::vector<std::pair<std::string, double>> found;
    for (std::size_t k = 0; k < layout_.offsets.size(); ++k)
      found.emplace_back(layout_.offsets[k].column, forward_.knot().offsets[k]);
    return found;
  }

  std::vector<TrackerStep> smooth(const std::vector<double>& y, const std::vector<double>& dt, int iterations,
                                  double* out) const override {
    TrackerOptions options = options_;
    options.lag = 0;
    return WholeBodyEngine(system_, options).smooth_all(start_, y, dt, iterations, out);
  }

 private:
  WholeSnapshot newest() const noexcept {
    return {forward_.knot(),
            forward_.gaussian().P.data(),
            forward_.system_readings().data(),
            forward_.stands().data(),
            forward_.dt(),
            forward_.nis()};
  }

  std::vector<TrackerStep> smooth_all(const WholeStart& start, const std::vector<double>& y, const std::vector<double>& dt,
                                      int iterations, double* out) {
    start_ = start;
    const std::size_t width = outputs_.columns().size();
    std::fill_n(out, dt.size() * width, std::numeric_limits<double>::quiet_NaN());
    std::vector<WholeSample> records(dt.size(), WholeSample(layout_, forward_.most_rows()));
    std::vector<TrackerStep> steps(dt.size());
    std::vector<std::size_t> used;
    std::vector<WholeKnot> about;
    for (int iteration = 0; iteration < std::max(iterations, 1); ++iteration) {
      run_forward(y, dt, records, iteration > 0 ? &about : nullptr, steps, used);
      if (used.empty()) return steps;
      about.assign(used.size(), WholeKnot(layout_));
      const bool last = iteration + 1 >= iterations;
      backward_.find_deviations(last && options_.deviations);
      backward_.begin();
      for (std::size_t k = used.size(); k-- > 0;) {
        if (k + 1 < used.size()) backward_.step(records[k + 1]);
        const WholeSnapshot sample = backward_.snapshot(records[k]);
        copy(sample.x, about[k]);
        if (last) outputs_.write(sample, out + used[k] * width);
      }
    }
    return steps;
  }

  void run_forward(const std::vector<double>& y, const std::vector<double>& dt, std::vector<WholeSample>& records,
                   const std::vector<WholeKnot>* about, std::vector<TrackerStep>& steps, std::vector<std::size_t>& used) {
    forward_.start(start_);
    used.clear();
    for (std::size_t k = 0; k < dt.size(); ++k) {
      const WholeKnot* knot = about && used.size() < about->size() ? &(*about)[used.size()] : nullptr;
      const TrackerStep step = forward_.step(y.data() + k * inputs_.size(), dt[k], knot, &records[used.size()]);
      if (!about) steps[k] = step;
      if (step.ok) used.push_back(k);
    }
  }

  TrackerOptions options_;
  std::shared_ptr<const System> system_;
  IntervalRows rows_;
  WholeLayout layout_;
  WholeForward forward_;
  WholeOutputs outputs_;
  WholeBackward backward_;
  WholeStart start_;
  std::vector<WholeSample> ring_;
  long samples_ = 0;  // in the ring, since it was emptied
  mutable std::vector<double> scratch_;
};

}  // namespace

std::unique_ptr<Engine> whole_body_engine(std::shared_ptr<const System> system, TrackerOptions options) {
  return std::make_unique<WholeBodyEngine>(std::move(system), std::move(options));
}

}  // namespace sparsedyn::tracking
