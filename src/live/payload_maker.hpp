// Payloads of a running loop: what answers once a link carries something else is made in a thread of its own, at low priority,
// and handed to the loop, which exchanges it between two samples.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sparsedyn/live/live_change.hpp"

namespace sparsedyn {

class PayloadMaker {
 public:
  /// What was asked for and is ready.
  struct Made {
    LiveChange change;
    std::unique_ptr<LivePrepared> prepared;  // null: it could not be made
  };

  /// The estimate must outlive it. wake: an eventfd that is signalled when one is ready.
  PayloadMaker(const LiveEstimate& estimate, int wake) : estimate_(estimate), payloads_(estimate), wake_(wake) {}
  ~PayloadMaker();
  PayloadMaker(const PayloadMaker&) = delete;
  PayloadMaker& operator=(const PayloadMaker&) = delete;

  /// Who hands in. The first one starts the thread. False: too many wait.
  bool ask(const LiveChange& payload) noexcept;
  /// The loop's, without heap and lock: the next one, or null; after its use give_back(), and the thread frees what it holds.
  /// @{
  Made* ready() noexcept { return ready_.load(std::memory_order_acquire); }
  void give_back() noexcept {
    used_.store(true, std::memory_order_relaxed);
    ready_.store(nullptr, std::memory_order_release);
  }
  /// @}
  /// Why payloads could not be made, since the last call. ended: the loop, so that those that it has not used are named, too,
  /// each once.
  std::vector<std::string> take_notes(bool ended);

 private:
  void run();
  bool take_next(LiveChange& next);
  void note_failure(const std::string& why);
  void hand_over();
  std::string too_late(const LiveChange& change) const;

  static constexpr std::size_t most_waiting = 64;
  const LiveEstimate& estimate_;
  PayloadChanges payloads_;
  int wake_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<LiveChange> asked_;
  std::vector<std::string> notes_;
  bool untold_ = false;  // one is in work, and no note names it
  bool stop_ = false;
  Made made_;  // the thread's, and the loop's while ready_ says so
  std::atomic<Made*> ready_{nullptr};
  std::atomic<bool> used_{false};  // the one in work, by the loop
  std::thread thread_;
};

}  // namespace sparsedyn
