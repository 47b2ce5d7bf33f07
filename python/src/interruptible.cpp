#include "interruptible.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace sparsedyn::python {
namespace {

struct Stopped {};

/// What the two threads share.
struct Exchange {
  std::mutex lock;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr error;
  std::atomic<bool> stop{false};
  double fraction = 0;
  std::string what;
};

void tell(nb::handle report, Exchange& exchange, std::pair<double, std::string>& told) {
  std::pair<double, std::string> now;
  {
    const std::lock_guard<std::mutex> guard(exchange.lock);
    now = {exchange.fraction, exchange.what};
  }
  if (report.is_none() || now.second.empty() || now == told) return;
  report(now.first, now.second);
  told = now;
}

}  // namespace

void run_interruptibly(std::function<void(const Progress&)> work, nb::handle report) {
  using namespace std::chrono_literals;
  const auto exchange = std::make_shared<Exchange>();
  std::thread worker([exchange, work = std::move(work)] {
    std::exception_ptr error;
    try {
      work([&](double fraction, const std::string& what) {
        if (exchange->stop) throw Stopped{};
        const std::lock_guard<std::mutex> guard(exchange->lock);
        exchange->fraction = fraction, exchange->what = what;
      });
    } catch (const Stopped&) {
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard<std::mutex> guard(exchange->lock);
    exchange->error = error, exchange->done = true;
    exchange->ended.notify_all();
  });
  const auto wait = [&](std::chrono::milliseconds most) {
    nb::gil_scoped_release unlocked;
    std::unique_lock<std::mutex> guard(exchange->lock);
    return exchange->ended.wait_for(guard, most, [&] { return exchange->done; });
  };
  const auto join = [&] {
    nb::gil_scoped_release unlocked;  // what the work owns may be of Python, and is dropped in its thread
    worker.join();
  };
  std::pair<double, std::string> told{-1, ""};
  try {
    while (!wait(50ms)) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      tell(report, *exchange, told);
    }
    tell(report, *exchange, told);
  } catch (...) {
    exchange->stop = true;
    wait(50ms) ? join() : worker.detach();
    throw;
  }
  join();
  if (exchange->error) std::rethrow_exception(exchange->error);
}

}  // namespace sparsedyn::python
