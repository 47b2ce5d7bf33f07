// Batches: samples shared out to threads.
#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <system_error>
#include <thread>

#include "row_answers.hpp"

namespace sparsedyn {
namespace {

/// q, v and y of samples, one after the other in each, as expect() and learn() take them.
class Gathered {
 public:
  Gathered(const System& system, const SampleRows& samples, std::size_t at_once)
      : samples_(samples),
        nq_(static_cast<std::size_t>(system.model().nq)),
        nv_(static_cast<std::size_t>(system.model().nv)),
        inputs_(system.inputs().size()),
        numbers_(at_once * (nq_ + nv_ + inputs_)) {
    rows_.reserve(at_once);
  }
  /// Samples first … first + count − 1.
  const std::vector<const double*>& gather(long first, long count) {
    rows_.clear();
    double* next = numbers_.data();
    for (long s = first; s < first + count; ++s) {
      rows_.push_back(next);
      next = std::copy_n(samples_.q + s * static_cast<long>(nq_), nq_, next);
      next = std::copy_n(samples_.v + s * static_cast<long>(nv_), nv_, next);
      next = std::copy_n(samples_.y + s * static_cast<long>(inputs_), inputs_, next);
    }
    return rows_;
  }
  const double* v_of(const double* row) const { return row + nq_; }
  const double* y_of(const double* row) const { return row + nq_ + nv_; }

 private:
  SampleRows samples_;
  std::size_t nq_, nv_, inputs_;
  std::vector<double> numbers_;
  std::vector<const double*> rows_;
};

}  // namespace

std::vector<FailedSample> SensorSolver::solve_in_order(const SampleRows& samples, long first, long count, double* out) {
  std::vector<FailedSample> failed;
  const long at_once = static_cast<long>(batch()), columns_each = static_cast<long>(columns().size());
  Gathered gathered(system(), samples, static_cast<std::size_t>(at_once));
  for (long at = first; at < first + count; at += at_once) {
    const std::vector<const double*>& rows = gathered.gather(at, std::min(at_once, first + count - at));
    if (at_once > 1) expect(rows);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const long sample = at + static_cast<long>(k);
      double* results = out + sample * columns_each;
      at_line(sample);
      const Answer answer = solve(rows[k], gathered.v_of(rows[k]), gathered.y_of(rows[k]), results);
      if (!answer.ok) std::fill_n(results, columns_each, std::numeric_limits<double>::quiet_NaN());
      if (answer.failed) failed.push_back({sample, describe()});
    }
  }
  return failed;
}

void SensorSolver::learn_from(const SampleRows& samples) {
  const long at_once = static_cast<long>(batch());
  Gathered gathered(system(), samples, static_cast<std::size_t>(at_once));
  while (learning()) {
    begin_pass();
    for (long at = 0; at < samples.count; at += at_once)
      if (!learn(gathered.gather(at, std::min(at_once, samples.count - at)))) break;
    end_pass();
  }
}

std::vector<FailedSample> SensorSolver::solve_batch(const SampleRows& samples, double* out, int threads) {
  constexpr long least_each = 64;  // samples, below which a thread is not worth its start
  learn_from(samples);
  long parts = threads > 0 ? threads : static_cast<long>(std::max(1u, std::thread::hardware_concurrency()));
  parts = rows_->in_order() ? 1 : std::max(1L, std::min(parts, samples.count / least_each));
  while (static_cast<long>(others_.size()) + 1 < parts) others_.push_back(for_another_thread());
  // in whole groups of batch(), which are computed together
  const long group = static_cast<long>(batch()), groups = (samples.count + group - 1) / group;
  const auto begin = [&](long part) { return std::min(samples.count, groups * part / parts * group); };
  std::vector<std::vector<FailedSample>> failed(static_cast<std::size_t>(parts));
  std::vector<std::exception_ptr> thrown(failed.size());
  const auto run = [&](long part, SensorSolver& solver) {
    const auto k = static_cast<std::size_t>(part);
    try {
      failed[k] = solver.solve_in_order(samples, begin(part), begin(part + 1) - begin(part), out);
    } catch (...) {
      thrown[k] = std::current_exception();
    }
  };
  std::vector<std::thread> running;
  running.reserve(failed.size());
  for (long part = 1; part < parts; ++part) {
    SensorSolver& other = others_[static_cast<std::size_t>(part - 1)];
    try {
      running.emplace_back(run, part, std::ref(other));
    } catch (const std::system_error&) {  // no more threads
      run(part, other);
    }
  }
  run(0, *this);
  for (std::thread& thread : running) thread.join();
  std::vector<FailedSample> all;
  for (std::size_t k = 0; k < failed.size(); ++k) {
    if (thrown[k]) std::rethrow_exception(thrown[k]);
    all.insert(all.end(), failed[k].begin(), failed[k].end());
  }
  return all;
}

}  // namespace sparsedyn
