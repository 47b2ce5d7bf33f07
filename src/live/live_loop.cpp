#include "sparsedyn/live/live_loop.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "payload_maker.hpp"
#include "real_time.hpp"

namespace sparsedyn {
namespace {

constexpr double longest_wait = 1e6;                // s
constexpr std::int64_t longest_sleep = 50'000'000;  // ns

std::int64_t time_by(clockid_t clock) noexcept {
  timespec t{};
  ::clock_gettime(clock, &t);
  return std::int64_t{1'000'000'000} * t.tv_sec + t.tv_nsec;
}

int new_event() {
  const int file = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return file;
}

void signal_event(int file) noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(file, &one, sizeof one);  // full: it is signalled already
}

/// Until it is signalled, or so many ns have passed.
void wait_for_event(int file, std::int64_t ns) noexcept {
  pollfd wanted{file, POLLIN, 0};
  const timespec longest{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  if (::ppoll(&wanted, 1, &longest, nullptr) <= 0) return;
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t taken = ::read(file, &count, sizeof count);
}

void add_one(std::atomic<long>& count) noexcept {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

/// What the core finds, on its way to the reader.
class LiveLoop::Queues : public LiveSink {
 public:
  explicit Queues(LiveLoop& loop) : loop_(loop) {}

  void sample(double time, std::int64_t ready, const LiveAnswer& answer, const double* out) noexcept override {
    const std::int64_t done = loop_.now();
    note_delay(ready, done, time);
    if (loop_.count_ && loop_.delays_.count() == 1) began_ = loop_.count_();
    if (loop_.count_) loop_.allocations_ = loop_.count_() - began_;
    const auto row = loop_.samples_.room();
    if (!row) return add_one(loop_.lost_samples_);
    *row.head = {time, ready, done, answer};
    std::copy_n(out, loop_.samples_.width(), row.values);
    loop_.samples_.push();
    signal_event(loop_.wake_reader_);
  }
  void finding(const LiveFinding& found) noexcept override {
    const auto row = loop_.findings_.room();
    if (!row) return add_one(loop_.lost_findings_);
    *row.head = found;
    loop_.findings_.push();
    signal_event(loop_.wake_reader_);
  }

 private:
  void note_delay(std::int64_t ready, std::int64_t done, double time) noexcept {
    const double interval = loop_.interval_ > 0 ? loop_.interval_ : time - last_;
    last_ = time;
    if (ready <= 0) return;  // after the end
    loop_.delays_.add(done - ready);
    if (interval > 0 && 1e-9 * static_cast<double>(done - ready) > interval) ++loop_.misses_;
  }
  LiveLoop& loop_;
  double last_ = 0;
  long began_ = 0;
};

LiveLoop::LiveLoop(std::unique_ptr<LiveEstimate> estimate, const LiveOptions& options, const LiveLoopOptions& how)
    : core_(std::move(estimate), options),
      how_(how),
      interval_(options.clock.rate > 0 ? 1 / options.clock.rate : 0),
      incoming_(core_.estimate().readings().size(), how.queue),
      inputs_(core_.estimate().readings().size(), how.record ? 4 * how.queue : 1),
      samples_(core_.estimate().columns().size(), how.queue),
      findings_(0, how.queue),
      sink_(new Queues(*this)),
      base_(time_by(CLOCK_REALTIME) - time_by(CLOCK_MONOTONIC)),
      wake_loop_(new_event()),
      wake_reader_(new_event()),
      payloads_(std::make_unique<PayloadMaker>(core_.estimate(), wake_loop_)) {}

LiveLoop::~LiveLoop() {
  stop();
  if (thread_.joinable()) thread_.join();
  payloads_.reset();
  ::close(wake_loop_), ::close(wake_reader_);
}

std::int64_t LiveLoop::now() const noexcept { return base_ + time_by(CLOCK_MONOTONIC); }

std::vector<std::string> LiveLoop::start() {
  std::vector<std::string> lacking;
  if (how_.lock_memory) lock_memory(lacking);
  thread_ = std::thread([this] { run(); });
  if (how_.priority > 0) take_priority(thread_.native_handle(), how_.priority, lacking);
  return lacking;
}

bool LiveLoop::readings(int source, double stamp, const double* values) noexcept {
  const auto row = incoming_.room();
  if (!row) {
    add_one(lost_readings_);
    return false;
  }
  row.head->kind = LiveInput::Kind::readings, row.head->source = source, row.head->stamp = stamp, row.head->arrival = now();
  std::copy_n(values, incoming_.width(), row.values);
  incoming_.push();
  signal_event(wake_loop_);
  return true;
}

bool LiveLoop::change(const LiveChange& change) noexcept {
  if (change.kind == LiveChange::Kind::payload) return payloads_->ask(change);
  const auto row = incoming_.room();
  if (!row) {
    add_one(lost_readings_);
    return false;
  }
  row.head->kind = LiveInput::Kind::change, row.head->arrival = now(), row.head->change = change;
  incoming_.push();
  signal_event(wake_loop_);
  return true;
}

void LiveLoop::end() noexcept {
  no_more_.store(true, std::memory_order_release);
  signal_event(wake_loop_);
}

void LiveLoop::stop() noexcept {
  stop_.store(true, std::memory_order_release);
  signal_event(wake_loop_);
}

bool LiveLoop::wait(double seconds) noexcept {
  if (samples_.front()) return true;
  if (ended_.load(std::memory_order_acquire)) return static_cast<bool>(samples_.front());
  const double bounded = seconds > 0 ? std::min(seconds, longest_wait) : 0;  // no number: 0
  wait_for_event(wake_reader_, static_cast<std::int64_t>(1e9 * bounded));
  return true;
}

LiveLosses LiveLoop::losses() const noexcept {
  return {lost_readings_.load(std::memory_order_relaxed), lost_samples_.load(std::memory_order_relaxed),
          lost_findings_.load(std::memory_order_relaxed), lost_inputs_.load(std::memory_order_relaxed)};
}

std::vector<std::string> LiveLoop::take_notes() { return payloads_->take_notes(ended_.load(std::memory_order_acquire)); }

void LiveLoop::record(const LiveInput& input, const double* values) noexcept {
  if (!how_.record) return;
  const auto copy = inputs_.room();
  if (!copy) return add_one(lost_inputs_);
  *copy.head = input;
  if (input.kind == LiveInput::Kind::readings) std::copy_n(values, incoming_.width(), copy.values);
  inputs_.push();
}

/// One that is ready arrives now.
void LiveLoop::take_payload() noexcept {
  PayloadMaker::Made* const made = payloads_->ready();
  if (!made) return;
  horizon_ = std::max(horizon_, now());
  LiveInput input;
  input.kind = LiveInput::Kind::change, input.arrival = horizon_, input.change = made->change;
  record(input, nullptr);
  core_.change(made->change, made->prepared.get(), horizon_, *sink_);
  payloads_->give_back();
}

/// What has arrived, each at its time; but never before what was due then had been given: the order of all that is done is
/// that of these times, and a record of them repeats it.
void LiveLoop::take_all() noexcept {
  while (const auto row = incoming_.front()) {
    LiveInput& input = *row.head;
    horizon_ = input.arrival = std::max(input.arrival, horizon_);
    record(input, row.values);
    if (input.kind == LiveInput::Kind::readings)
      core_.readings(input.source, input.stamp, input.arrival, row.values, *sink_);
    else
      core_.change(input.change, input.arrival, *sink_);
    incoming_.pop();
  }
}

void LiveLoop::sleep_until_due() noexcept {
  const std::int64_t due = core_.next_due(), at = now();
  const std::int64_t sleep = due == Synchroniser::never ? longest_sleep : std::min(due - at, longest_sleep);
  if (sleep > 0) wait_for_event(wake_loop_, sleep);
}

void LiveLoop::run() noexcept {
  while (!stop_.load(std::memory_order_acquire)) {
    const bool last = no_more_.load(std::memory_order_acquire);
    take_all();
    take_payload();
    if (last) break;
    horizon_ = std::max(horizon_, now());
    core_.until(horizon_, *sink_);
    sleep_until_due();
  }
  take_all();
  core_.finish(*sink_);
  ended_.store(true, std::memory_order_release);
  signal_event(wake_reader_);
}

}  // namespace sparsedyn
