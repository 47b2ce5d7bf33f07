#include "payload_maker.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <utility>

namespace sparsedyn {
namespace {

constexpr int less_urgent = 10;                     // nice
constexpr std::chrono::milliseconds look_again{2};  // for the loop's answer

}  // namespace

PayloadMaker::~PayloadMaker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool PayloadMaker::ask(const LiveChange& payload) noexcept {
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (asked_.size() >= most_waiting) return false;
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    asked_.push_back(payload);
  } catch (const std::exception&) {  // no memory, no thread
    return false;
  }
  changed_.notify_all();
  return true;
}

bool PayloadMaker::take_next(LiveChange& next) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return stop_ || !asked_.empty(); });
  if (stop_) return false;
  next = asked_.front();
  asked_.pop_front();
  untold_ = true;
  used_.store(false, std::memory_order_relaxed);
  return true;
}

/// Unless a note has said already that the run ended before.
void PayloadMaker::note_failure(const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (untold_) notes_.push_back("change: " + live_change_text(made_.change, estimate_) + ": " + why);
  untold_ = false;
}

/// To the loop; back when the loop has used it, or will not.
void PayloadMaker::hand_over() {
  ready_.store(&made_, std::memory_order_release);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);  // full: it is signalled already
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_ && ready()) changed_.wait_for(lock, look_again);
  if (!ready()) untold_ = false;
}

void PayloadMaker::run() {
  ::setpriority(PRIO_PROCESS, 0, less_urgent);  // on Linux of this thread alone; without the right it runs as any other
  while (take_next(made_.change)) {
    std::string why;
    made_.prepared = payloads_.prepare(made_.change.payload, why);
    if (!made_.prepared) note_failure(why);
    hand_over();
    made_.prepared.reset();
  }
}

std::string PayloadMaker::too_late(const LiveChange& change) const {
  return "change: " + live_change_text(change, estimate_) + ": the run ended before it could hold";
}

std::vector<std::string> PayloadMaker::take_notes(bool ended) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> notes = std::exchange(notes_, {});
  if (!ended) return notes;
  if (untold_ && !used_.load(std::memory_order_acquire)) notes.push_back(too_late(made_.change));
  untold_ = false;
  for (const LiveChange& each : asked_) notes.push_back(too_late(each));
  asked_.clear();
  return notes;
}

}  // namespace sparsedyn
