// Steps as the operands that the interpreter reads: of 16 bits where all fit, since a multiplication reads two operands and two
// cells, and of large programs the operands leave the cache before they are read again.
#include <algorithm>
#include <limits>

#include "sparse/steps/steps.hpp"

namespace sparsedyn {
namespace {

/// Writes steps as operands of 32 bits.
class Encoder {
 public:
  Encoder(const Steps& steps, Schedule& into) : steps_(steps), into_(into) {}

  void add(const Step& step) {
    const StepShape shape = step.shape();
    if (into_.runs.empty() || !(into_.runs.back().shape == shape)) {
      into_.runs.push_back({shape, 0, interpreter::kernel_of(shape)});
      length_ = 0;
    }
    ++into_.runs.back().repeat;
    if (shape.terms == several_terms) count(step.terms());
    operand(step.target);
    if (step.source != no_cell) operand(step.source);
    if (step.scale >= 0) operand(step.scale);
    for (int t = step.first_term; t < step.end_term; ++t) operand(steps_.terms[t].p), operand(steps_.terms[t].q);
    into_.flops = into_.flops + flops(step);
  }

 private:
  void operand(int number) { into_.operands.push_back(static_cast<std::uint32_t>(number)); }
  /// The number of terms stands before steps that have as many.
  void count(int terms) {
    if (terms != length_) {
      operand(terms), operand(0);
      length_ = terms, repeat_ = into_.operands.size() - 1;
    }
    ++into_.operands[repeat_];
  }

  const Steps& steps_;
  Schedule& into_;
  int length_ = 0;          // terms of the last step, where they are several
  std::size_t repeat_ = 0;  // the operand that counts such steps
};

/// Takes half the memory where all operands fit.
void shorten(Schedule& schedule) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
  const auto fits = [](std::uint32_t x) { return x <= most; };
  std::vector<std::uint32_t>& wide = schedule.operands;
  if (!std::all_of(wide.begin(), wide.end(), fits)) return;
  schedule.short_operands.resize(wide.size());
  std::transform(wide.begin(), wide.end(), schedule.short_operands.begin(),
                 [](std::uint32_t x) { return static_cast<std::uint16_t>(x); });
  std::vector<std::uint32_t>().swap(wide);
}

}  // namespace

Schedule encoded(const Steps& steps, const std::vector<int>& order) {
  Schedule result;
  Encoder encoder(steps, result);
  for (int s : order) encoder.add(steps.list[s]);
  shorten(result);
  return result;
}

}  // namespace sparsedyn
