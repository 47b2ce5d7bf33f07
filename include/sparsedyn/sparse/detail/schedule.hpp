// A straight-line calculation as data: the only thing the runtime executes. Every step works on cells of one array:
//   target = source − Σ p q          (an entry of L or U, or of the solution)
//   target = −Σ p q                  (an entry that the matrix does not have)
//   … times the cell `scale`         (where its pivot is divided out)
//   … with its sign changed          (where its pivot is known to be −1)
//   target = 1 / source              (a pivot)
// A step of several lanes does the same for neighbouring targets, sources and q at once, with the same p and scale.
// Steps of one shape that follow each other form a run, and the interpreter decides once for a run. A decision costs mostly a
// branch that the processor did not foresee, so there are few shapes: long sums of any length share one and state their length.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
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
    std::uint32_t kernel;  // the interpreter's routine for this shape
  };
  std::vector<Run> runs;
  std::vector<std::uint32_t> operands;  // a step: [number of several terms], target, [source], [scale], p, q, p, q, …
  Flops flops;
};

/// All of it is inlined into the routine for a shape, so that S may be a vector of the instructions that this routine is
/// compiled for.
namespace interpreter {
inline namespace SPARSEDYN_CODE {

/// The product of the cells that two operands name. They are read at once: loads are what the interpreter spends its time on.
template <class S>
[[gnu::always_inline]] inline S product(const std::uint32_t* o, const S* cell) {
  std::uint64_t both;
  std::memcpy(&both, o, sizeof both);
  return cell[static_cast<std::uint32_t>(both)] * cell[both >> 32];
}

/// Σ p q over `terms` pairs of cells, in two interleaved sums: half the latency, the same number of operations.
template <class S>
[[gnu::always_inline]] inline S sum_of_products(const std::uint32_t* o, std::uint32_t terms, const S* cell) {
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

template <std::uint32_t terms_of_shape, bool source, Scaling scaling, class S>
[[gnu::always_inline]] inline const std::uint32_t* steps(const std::uint32_t* o, const Schedule::Run& run, S* cell) {
  constexpr int fixed = 1 + source + (scaling == Scaling::by_cell);
  std::uint32_t terms = terms_of_shape;
  for (std::uint32_t r = 0; r < run.repeat; ++r, o += fixed + 2 * terms) {
    if constexpr (terms_of_shape == several_terms) terms = *o++;
    const S sum = sum_of_products(o + fixed, terms, cell);
    cell[o[0]] = finished<source, scaling>(sum, source ? cell + o[1] : nullptr, cell + o[1 + source]);
  }
  return o;
}

/// Steps of several lanes: rows of U times numbers.
template <int lanes, bool source, Scaling scaling, class S>
[[gnu::always_inline]] inline const std::uint32_t* steps_of_lanes(const std::uint32_t* o, const Schedule::Run& run, S* cell) {
  constexpr int fixed = 1 + source + (scaling == Scaling::by_cell);
  for (std::uint32_t r = 0, terms = 0; r < run.repeat; ++r, o += fixed + 2 * terms) {
    terms = *o++;
    const std::uint32_t* term = o + fixed;
    simd<S, lanes> sum = cell[term[0]] * load<lanes>(cell + term[1]);
    for (std::uint32_t t = 1; t < terms; ++t) sum = sum + cell[term[2 * t]] * load<lanes>(cell + term[2 * t + 1]);
    S* target = cell + o[0];
    for (int k = 0; k < lanes; ++k)
      target[k] = finished<source, scaling>(S(sum[k]), source ? cell + o[1] + k : nullptr, cell + o[1 + source]);
  }
  return o;
}

template <class S>
[[gnu::always_inline]] inline const std::uint32_t* reciprocals(const std::uint32_t* o, const Schedule::Run& run, S* cell) {
  for (std::uint32_t r = 0; r < run.repeat; ++r, o += 2) cell[o[0]] = S(1) / cell[o[1]];
  return o;
}

template <class S>
[[gnu::always_inline]] inline const std::uint32_t* scalings(const std::uint32_t* o, const Schedule::Run& run, S* cell) {
  for (std::uint32_t r = 0; r < run.repeat; ++r, o += 3) {
    const S scale = cell[o[2]];
    for (std::uint32_t k = 0; k < run.shape.lanes; ++k) cell[o[0] + k] = cell[o[1] + k] * scale;
  }
  return o;
}

template <class S>
[[gnu::always_inline]] inline const std::uint32_t* negations(const std::uint32_t* o, const Schedule::Run& run, S* cell) {
  for (std::uint32_t r = 0; r < run.repeat; ++r, o += 2)
    for (std::uint32_t k = 0; k < run.shape.lanes; ++k) cell[o[0] + k] = -cell[o[1] + k];
  return o;
}

template <class S>
using Kernel = const std::uint32_t* (*)(const std::uint32_t*, const Schedule::Run&, S*);

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
template <std::uint32_t kernel, class S>
[[gnu::always_inline]] inline const std::uint32_t* execute(const std::uint32_t* o, const Schedule::Run& run, S* cell) {
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

template <std::uint32_t kernel, class S>
const std::uint32_t* routine(const std::uint32_t* o, const Schedule::Run& run, S* cell) {
  return execute<kernel>(o, run, cell);
}

template <class S, std::uint32_t... kernel>
constexpr std::array<Kernel<S>, number_of_kernels> routines(std::integer_sequence<std::uint32_t, kernel...>) {
  return {routine<kernel, S>...};
}

}  // namespace SPARSEDYN_CODE
}  // namespace interpreter

inline namespace SPARSEDYN_CODE {

/// Executes every step in order. `cell` is as long as the program says; no branch depends on a value, nothing allocates.
template <class S>
void run(const Schedule& program, S* cell) noexcept {
  using namespace interpreter;
  static constexpr auto all = routines<S>(std::make_integer_sequence<std::uint32_t, number_of_kernels>());
  const std::uint32_t* o = program.operands.data();
  for (const Schedule::Run& run : program.runs) o = all[run.kernel](o, run, cell);
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
