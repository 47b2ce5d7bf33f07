#include "reproducible_samples.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sparsedyn {
namespace {

constexpr std::size_t most_kept = std::size_t{1} << 23;  // numbers: 64 MB

void clear(std::vector<double>& moved, double* x) {
  constexpr double tenth = 0.1;
  for (std::size_t i = 0; i < moved.size(); ++i)
    if (!(std::abs(moved[i] - x[i]) < tenth * std::abs(x[i]))) x[i] = 0;
}

/// x rounded to 24 bits, halves away from zero; x where that is not finite. In operations that loops do on several numbers at
/// once.
inline double rounded_to_single(double x) {
  constexpr int dropped = 53 - 24;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits += std::uint64_t{1} << (dropped - 1);  // a carry into the exponent is the next power of two
  bits &= ~((std::uint64_t{1} << dropped) - 1);
  double rounded = 0;
  std::memcpy(&rounded, &bits, sizeof bits);
  return rounded - rounded == 0 ? rounded : x;
}

/// Whether floats hold n numbers of 24 bits to the last bit: no exponent beyond theirs.
bool fit_floats(const double* x, std::size_t n) {
  constexpr double least = 0x1p-126, most = 0x1p127;
  bool fit = true;
  for (std::size_t i = 0; i < n; ++i) fit = fit && (x[i] == 0 || (std::abs(x[i]) >= least && std::abs(x[i]) <= most));
  return fit;
}

/// Memory without values, in large pages where the system has them: of small ones, asking for tens of megabytes takes as long
/// as filling them.
std::shared_ptr<double[]> many_numbers(std::size_t count) {
#ifdef __linux__
  constexpr std::size_t page = std::size_t{1} << 21;
  const std::size_t bytes = (count * sizeof(double) + page - 1) / page * page;
  void* const memory = bytes > page ? std::aligned_alloc(page, bytes) : nullptr;
  if (memory) {
    ::madvise(memory, bytes, MADV_HUGEPAGE);
    return {static_cast<double*>(memory), [](double* numbers) { std::free(numbers); }};
  }
#endif
  return std::shared_ptr<double[]>(new double[count]);
}

/// Samples of 24 bits.
class RoundedSamples {
 public:
  RoundedSamples(Samples samples, int entries, int rows)
      : samples_(std::move(samples)),
        entries_(static_cast<std::size_t>(entries)),
        rows_(static_cast<std::size_t>(rows)),
        keeps_((entries_ + rows_) * static_cast<std::size_t>(samples_.count) <= 2 * most_kept) {}

  void fill(int s, double* values, double* right_side) {
    std::call_once(surveyed_, [this] { survey(); });
    State beyond;  // strategies may look at special states beyond those that health is sampled at
    const auto k = static_cast<std::size_t>(s);
    State& state = k < states_.size() ? states_[k] : beyond;
    if (!state.numbers.empty()) return state.copy(entries_, values, right_side);
    samples_.fill(s, values, right_side);
    round(values, right_side);
    if (keeps_ && ++state.asked > kept_from && fit_floats(values, entries_) && fit_floats(right_side, rows_))
      state.keep(values, entries_, right_side, rows_);
  }

 private:
  static constexpr int kept_from = 2;  // what is asked for once or twice takes less time to compute again than memory to keep

  struct State {
    int asked = 0;
    std::vector<float> numbers;  // values, then right-hand side; empty: not kept

    void keep(const double* values, std::size_t entries, const double* right_side, std::size_t rows) {
      numbers.assign(values, values + entries);
      numbers.insert(numbers.end(), right_side, right_side + rows);
    }
    void copy(std::size_t entries, double* values, double* right_side) const {
      const auto end_of_values = numbers.begin() + static_cast<std::ptrdiff_t>(entries);
      std::copy(numbers.begin(), end_of_values, values);
      std::copy(end_of_values, numbers.end(), right_side);
    }
  };

  /// What is nothing of each number: a thousand roundings of what it is elsewhere.
  void survey() {
    constexpr double nothing = 0x1p-42;
    states_.resize(static_cast<std::size_t>(std::max(1, samples_.count)));
    nothing_.assign(entries_ + rows_, 0.0);
    std::vector<double> fresh(entries_ + rows_);
    for (int s = 0; s < samples_.count; ++s) {
      samples_.fill(s, fresh.data(), fresh.data() + entries_);
      for (std::size_t i = 0; i < fresh.size(); ++i) nothing_[i] = std::max(nothing_[i], std::abs(fresh[i]));
    }
    for (double& largest : nothing_) largest *= nothing;
  }

  void round(double* values, double* right_side) const {
    constexpr double nothing_beside = 0x1p-46;  // of a sum whose terms may be as large as the largest right-hand side
    double size = 0;
    for (std::size_t i = 0; i < rows_; ++i) size = std::max(size, std::abs(right_side[i]));
    round(values, nothing_.data(), entries_, 0);
    round(right_side, nothing_.data() + entries_, rows_, nothing_beside * size);
  }

  static void round(double* x, const double* nothing, std::size_t n, double least) {
    for (std::size_t i = 0; i < n; ++i) {
      const double rounded = rounded_to_single(x[i]), size = std::abs(x[i]);
      x[i] = size < nothing[i] || size < least ? 0.0 : rounded;
    }
  }

  Samples samples_;
  std::size_t entries_, rows_;
  bool keeps_;
  std::once_flag surveyed_;
  std::vector<double> nothing_;  // of values, then of the right-hand side
  std::vector<State> states_;
};

}  // namespace

Samples kept(std::vector<Samples> alike, int entries, int rows) {
  Samples samples = alike.front();
  const std::size_t each = static_cast<std::size_t>(entries) + static_cast<std::size_t>(rows),
                    count = static_cast<std::size_t>(samples.count);
  const auto turn = std::make_shared<std::mutex>();
  const auto compute = [fill = samples.fill, turn](int s, double* values, double* right_side) {
    const std::lock_guard<std::mutex> mine(*turn);
    fill(s, values, right_side);
  };
  samples.fill = compute;
  if (each * count > most_kept) return samples;
  const std::shared_ptr<double[]> computed = many_numbers(each * count);  // values and right-hand side of each state
  const auto compute_every = [&](std::size_t thread) {
    for (std::size_t k = thread; k < count; k += alike.size()) {
      double* const own = computed.get() + k * each;
      alike[thread].fill(static_cast<int>(k), own, own + entries);
    }
  };
  std::vector<std::future<void>> others;
  for (std::size_t thread = 1; thread < alike.size(); ++thread)
    others.push_back(std::async(std::launch::async, compute_every, thread));
  compute_every(0);
  for (std::future<void>& other : others) other.get();
  samples.fill = [=](int s, double* values, double* right_side) {
    const auto k = static_cast<std::size_t>(s);
    if (k >= count) return compute(s, values, right_side);  // strategies may look beyond
    const double* const own = computed.get() + k * each;
    std::copy_n(own, entries, values);
    std::copy_n(own + entries, rows, right_side);
  };
  return samples;
}

double in_single_precision(double x) { return rounded_to_single(x); }

Samples cleared(Samples samples, int entries, int rows) {
  if (!samples.moved) return samples;
  const auto values = std::make_shared<std::vector<double>>(entries), right_side = std::make_shared<std::vector<double>>(rows);
  samples.fill = [fill = samples.fill, moved = samples.moved, values, right_side](int s, double* a, double* b) {
    fill(s, a, b);
    moved(s, values->data(), right_side->data());
    clear(*values, a), clear(*right_side, b);
  };
  samples.moved = nullptr;
  return samples;
}

Samples reproducible(Samples samples, int entries, int rows) {
  if (samples.moved) samples = kept({cleared(std::move(samples), entries, rows)}, entries, rows);
  const auto rounded = std::make_shared<RoundedSamples>(samples, entries, rows);
  samples.fill = [rounded](int s, double* values, double* right_side) { rounded->fill(s, values, right_side); };
  return samples;
}

}  // namespace sparsedyn
