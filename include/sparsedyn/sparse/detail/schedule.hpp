// A straight-line calculation as data: the only thing the runtime executes. Every step works on cells of one array:
//   target = source − Σ p q          (an entry of L or U, or of the solution)
//   target = −Σ p q                  (an entry that the matrix does not have)
//   … times the cell `scale`         (where its pivot is divided out)
//   … with its sign changed          (where its pivot is known to be −1)
//   target = 1 / source              (a pivot)
// A step of several lanes does the same for neighbouring targets, sources and q at once, with the same p and scale.
// Steps of one shape that follow each other form a run, and the interpreter decides once for a run. A decision costs mostly a
// branch that the processor did not foresee, so there are few shapes: long sums of any length share one, and those of one
// length stand together behind that length.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/scalar/detail/simd.hpp"
#include "sparsedyn/sparse/flops.hpp"

namespace sparsedyn {

/// What happens to a step's sum before it is stored.
enum class Scaling : std::uint32_t { none, by_cell, negation };

/// Sums of more products than two, and all sums of several lanes, have one shape.
constexpr std::uint32_t several_terms = 3;

/// The shape of a step.
struct StepShape {
  std::uint32_t terms;  // products summed: 0, 1, 2 or several_terms
  std::uint16_t lanes;
  bool source;
  Scaling scaling;
  bool reciprocal;
};
inline bool operator==(const StepShape& a, const StepShape& b) {
  return a.terms == b.terms && a.lanes == b.lanes && a.source == b.source && a.scaling == b.scaling &&
         a.reciprocal == b.reciprocal;
}

struct Schedule {
  struct Run {
    StepShape shape;
    std::uint32_t repeat;
    std::uint32_t kernel;  // the interpreter's code for this shape
  };
  std::vector<Run> runs;
  /// A step: target, [source], [scale], p, q, p, q, … Before steps of several terms stand the number of their terms and of
  /// such steps that follow. One of the two is empty: 16 bits are taken where all operands fit.
  /// @{
  std::vector<std::uint16_t> short_operands;
  std::vector<std::uint32_t> operands;
  /// @}
  Flops flops;
};

/// All of it is inlined into the function for a shape or a program, so that S may be a vector of the instructions that this
/// function is compiled for.
namespace interpreter {
inline namespace SPARSEDYN_CODE {

/// Of operands that are read together.
template <class Operand>
using BothOperands = std::conditional_t<sizeof(Operand) == 2, std::uint32_t, std::uint64_t>;

/// The product of the cells that two operands name. They are read at once: loads are what the interpreter spends its time on.
template <class Operand, class S>
[[gnu::always_inline]] inline S product(const Operand* o, const S* cell) {
  BothOperands<Operand> both;
  std::memcpy(&both, o, sizeof both);
  return cell[static_cast<Operand>(both)] * cell[both >> (8 * sizeof(Operand))];
}

/// Σ p q over `terms` pairs of cells, in two interleaved sums: half the latency, the same number of operations.
template <class Operand, class S>
[[gnu::always_inline]] inline S sum_of_products(const Operand* o, std::uint32_t terms, const S* cell) {
  S even = product(o, cell);
  if (terms == 1) return even;
  S odd = product(o + 2, cell);
  std::uint32_t t = 2;
  for (; t + 1 < terms; t += 2) {
    even = even + product(o + 2 * t, cell);
    odd = odd + product(o + 2 * t + 2, cell);
  }
  if (t < terms) even = even + product(o + 2 * t, cell);
  return even + odd;
}

/// From Σ p q to what is stored.
template <bool source, Scaling scaling, class S>
[[gnu::always_inline]] inline S finished(const S& sum, [[maybe_unused]] const S* from, [[maybe_unused]] const S* scale) {
  if constexpr (source && scaling == Scaling::by_cell) return (*from - sum) * *scale;
  if constexpr (source && scaling == Scaling::negation) return sum - *from;
  if constexpr (source && scaling == Scaling::none) return *from - sum;
  if constexpr (!source && scaling == Scaling::by_cell) return -sum * *scale;
  if constexpr (!source && scaling == Scaling::negation) return sum;
  if constexpr (!source && scaling == Scaling::none) return -sum;
}

/// `repeat` steps of `terms` terms each. `terms` is a constant where this is inlined for one.
template <bool source, Scaling scaling, class Operand, class S>
[[gnu::always_inline]] inline const Operand* equal_steps(const Operand* o, std::uint32_t terms, std::uint32_t repeat, S* cell) {
  constexpr int fixed = 1 + source + (scaling == Scaling::by_cell);
  for (std::uint32_t r = 0; r < repeat; ++r, o += fixed + 2 * terms) {
    const S sum = sum_of_products(o + fixed, terms, cell);
    cell[o[0]] = finished<source, scaling>(sum, source ? cell + o[1] : nullptr, cell + o[1 + source]);
  }
  return o;
}

/// Without a loop over the terms of short sums.
template <bool source, Scaling scaling, class Operand, class S>
[[gnu::always_inline]] inline const Operand* unrolled_steps(const Operand* o, std::uint32_t terms, std::uint32_t repeat,
                                                            S* cell) {
  switch (terms) {
    case 3: return equal_steps<source, scaling>(o, 3, repeat, cell);
    case 4: return equal_steps<source, scaling>(o, 4, repeat, cell);
    case 5: return equal_steps<source, scaling>(o, 5, repeat, cell);
    case 6: return equal_steps<source, scaling>(o, 6, repeat, cell);
    case 7: return equal_steps<source, scaling>(o, 7, repeat, cell);
    case 8: return equal_steps<source, scaling>(o, 8, repeat, cell);
    default: return equal_steps<source, scaling>(o, terms, repeat, cell);
  }
}

/// Calls steps(first operand, terms, repeat), which returns the operand after them, for each length of sums in a run.
template <class Operand, class Steps>
[[gnu::always_inline]] inline const Operand* by_length(const Operand* o, const Schedule::Run& run, Steps&& steps) {
  for (std::uint32_t left = run.repeat; left > 0;) {
    const std::uint32_t terms = o[0], repeat = o[1];
    o = steps(o + 2, terms, repeat);
    left -= repeat;
  }
  return o;
}

template <std::uint32_t terms_of_shape, bool source, Scaling scaling, class Operand, class S>
[[gnu::always_inline]] inline const Operand* steps(const Operand* o, const Schedule::Run& run, S* cell) {
  if constexpr (terms_of_shape != several_terms) return equal_steps<source, scaling>(o, terms_of_shape, run.repeat, cell);
  return by_length(
      o, run, [cell](const Operand* first, std::uint32_t terms, std::uint32_t repeat) __attribute__((always_inline)) {
        if constexpr (std::is_same_v<S, double>)
          return unrolled_steps<source, scaling>(first, terms, repeat, cell);
        else
          return equal_steps<source, scaling>(first, terms, repeat, cell);
      });
}

/// Steps of several lanes: rows of U times numbers.
template <int lanes, bool source, Scaling scaling, class Operand, class S>
[[gnu::always_inline]] inline const Operand* steps_of_lanes(const Operand* begin, const Schedule::Run& run, S* cell) {
  constexpr int fixed = 1 + source + (scaling == Scaling::by_cell);
  return by_length(
      begin, run, [cell](const Operand* o, std::uint32_t terms, std::uint32_t repeat) __attribute__((always_inline)) {
        for (std::uint32_t r = 0; r < repeat; ++r, o += fixed + 2 * terms) {
          const Operand* term = o + fixed;
          simd<S, lanes> sum = cell[term[0]] * load<lanes>(cell + term[1]);
          for (std::uint32_t t = 1; t < terms; ++t) sum = sum + cell[term[2 * t]] * load<lanes>(cell + term[2 * t + 1]);
          S* target = cell + o[0];
          for (int k = 0; k < lanes; ++k)
            target[k] = finished<source, scaling>(S(sum[k]), source ? cell + o[1] + k : nullptr, cell + o[1 + source]);
        }
        return o;
      });
}

template <class Operand, class S>
[[gnu::always_inline]] inline const Operand* reciprocals(const Operand* o, const Schedule::Run& run, S* cell) {
  for (std::uint32_t r = 0; r < run.repeat; ++r, o += 2) cell[o[0]] = S(1) / cell[o[1]];
  return o;
}

template <class Operand, class S>
[[gnu::always_inline]] inline const Operand* scalings(const Operand* o, const Schedule::Run& run, S* cell) {
  for (std::uint32_t r = 0; r < run.repeat; ++r, o += 3) {
    const S scale = cell[o[2]];
    for (std::uint32_t k = 0; k < run.shape.lanes; ++k) cell[o[0] + k] = cell[o[1] + k] * scale;
  }
  return o;
}

template <class Operand, class S>
[[gnu::always_inline]] inline const Operand* negations(const Operand* o, const Schedule::Run& run, S* cell) {
  for (std::uint32_t r = 0; r < run.repeat; ++r, o += 2)
    for (std::uint32_t k = 0; k < run.shape.lanes; ++k) cell[o[0] + k] = -cell[o[1] + k];
  return o;
}

constexpr std::uint32_t most_lanes = 8;
constexpr std::uint32_t kernels_without_terms = 3, kinds = 6;  // with or without source, three scalings
constexpr std::uint32_t kernels_a_kind = several_terms + most_lanes - 1;
constexpr std::uint32_t number_of_kernels = kernels_without_terms + kernels_a_kind * kinds;

/// Which of the routines below executes a shape.
inline std::uint32_t kernel_of(const StepShape& shape) {
  if (shape.terms == 0) return shape.reciprocal ? 0 : shape.scaling == Scaling::by_cell ? 1 : 2;
  const std::uint32_t kind = 3 * shape.source + static_cast<std::uint32_t>(shape.scaling);
  return kernels_without_terms + kernels_a_kind * kind + shape.terms - 1 + shape.lanes - 1;
}

/// Executes a run of the shapes with this kernel. Returns what follows their operands.
template <std::uint32_t kernel, class Operand, class S>
[[gnu::always_inline]] inline const Operand* execute(const Operand* o, const Schedule::Run& run, S* cell) {
  if constexpr (kernel == 0) return reciprocals(o, run, cell);
  if constexpr (kernel == 1) return scalings(o, run, cell);
  if constexpr (kernel == 2) return negations(o, run, cell);
  if constexpr (kernel >= kernels_without_terms) {
    constexpr std::uint32_t kind = (kernel - kernels_without_terms) / kernels_a_kind;
    constexpr std::uint32_t place = (kernel - kernels_without_terms) % kernels_a_kind;  // 1, 2, several terms; 2 … 8 lanes
    constexpr bool source = kind / 3;
    constexpr Scaling scaling = static_cast<Scaling>(kind % 3);
    if constexpr (place < several_terms) return steps<place + 1, source, scaling>(o, run, cell);
    if constexpr (place >= several_terms) return steps_of_lanes<place - several_terms + 2, source, scaling>(o, run, cell);
  }
}

template <class Operand, class S>
using Kernel = const Operand* (*)(const Operand*, const Schedule::Run&, S*);
template <class Operand, class S>
using Kernels = std::array<Kernel<Operand, S>, number_of_kernels>;

template <std::uint32_t kernel, class Operand, class S>
const Operand* routine(const Operand* o, const Schedule::Run& run, S* cell) {
  return execute<kernel>(o, run, cell);
}
template <class Operand, class S, std::uint32_t... kernel>
constexpr Kernels<Operand, S> routines(std::integer_sequence<std::uint32_t, kernel...>) {
  return {routine<kernel, Operand, S>...};
}

/// A run of any kernel: compilers make one jump of the comparisons.
template <class Operand, class S, std::uint32_t... kernel>
[[gnu::always_inline]] inline const Operand* execute_any(const Operand* o, const Schedule::Run& run, S* cell,
                                                         std::integer_sequence<std::uint32_t, kernel...>) {
  (void)((run.kernel == kernel && (o = execute<kernel>(o, run, cell), true)) || ...);
  return o;
}

/// Doubles' runs are in one function, which a run neither enters nor leaves; compilers take long for it.
template <class Operand, class S>
[[gnu::always_inline]] inline void execute_all(const std::vector<Schedule::Run>& runs, const Operand* o, S* cell) {
  constexpr auto all = std::make_integer_sequence<std::uint32_t, number_of_kernels>();
  if constexpr (std::is_same_v<S, double>) {
    for (const Schedule::Run& run : runs) o = execute_any(o, run, cell, all);
  } else {
    static constexpr Kernels<Operand, S> kernels = routines<Operand, S>(all);
    for (const Schedule::Run& run : runs) o = kernels[run.kernel](o, run, cell);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace interpreter

inline namespace SPARSEDYN_CODE {

/// Executes every step in order. `cell` is as long as the program says; no branch depends on a value, nothing allocates.
template <class S>
void run(const Schedule& program, S* cell) noexcept {
  if (program.operands.empty()) return interpreter::execute_all(program.runs, program.short_operands.data(), cell);
  interpreter::execute_all(program.runs, program.operands.data(), cell);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
