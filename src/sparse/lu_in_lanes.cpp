#include "sparsedyn/sparse/detail/lu_in_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "batch_vectors.hpp"
#include "lu_health.hpp"
#include "scalar/processor.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"

namespace sparsedyn {

/// The routines of one vector set.
struct LaneKernels {
  interpreter::Kernels<std::uint16_t, Batch> short_steps;  // of short operands
  interpreter::Kernels<std::uint32_t, Batch> steps;
  void (*find_trouble)(const LUProgram&, const Batch* cell, const Batch* x, Batch& trouble);
  void (*judge)(const Plan&, const Batch* cell, const Batch* x, LaneHealth& health);
  void (*subtract)(const Pattern&, const Batch* entry, const Batch* x, Batch* right_side);
  void (*smallest_pivot)(const Plan&, const Batch* cell, Batch& smallest);
};

namespace {

/// A sum that is 0 where every 1/pivot is finite and not zero and every unknown is finite: 0 · x is 0 for finite x, else NaN.
template <int width>
[[gnu::always_inline]] inline void find_trouble(const LUProgram& program, const Batch* cells, const Batch* x, Batch& trouble) {
  using Lanes = BatchVectors<width>;
  const Lanes *cell = as_vectors<width>(cells), *solution = as_vectors<width>(x);
  const Lanes zero(0);
  Lanes sum(0), smallest_inverse(1);
  for (const LUProgram::Pivot& pivot : program.pivots) {
    const Lanes& inverse = cell[pivot.reciprocal];
    sum = sum + inverse * zero;
    smallest_inverse = smaller(smallest_inverse, magnitude(inverse));
  }
  for (std::size_t j = 0; j < program.solution.size(); ++j) sum = sum + solution[j] * zero;
  *as_vectors<width>(&trouble) = sum + zero / smallest_inverse;
}

template <int width>
[[gnu::always_inline]] inline void judge(const Plan& plan, const Batch* cells, const Batch* x, LaneHealth& health) {
  using Lanes = BatchVectors<width>;
  const Lanes* cell = as_vectors<width>(cells);
  const auto errors =
      lu_health::solution_errors<Lanes>(plan.pattern, cell, cell + plan.program.right_side, as_vectors<width>(x));
  *as_vectors<width>(&health.backward_error) = errors.backward;
  *as_vectors<width>(&health.componentwise_error) = errors.componentwise;
  *as_vectors<width>(&health.least_pivot) = lu_health::least_pivot<Lanes>(plan.program, cell) / errors.norm;
  *as_vectors<width>(&health.growth) = lu_health::growth<Lanes>(plan, cell);
}

/// b − A x in place of b.
template <int width>
[[gnu::always_inline]] inline void subtract(const Pattern& pattern, const Batch* entry, const Batch* x, Batch* right_side) {
  const BatchVectors<width>*a = as_vectors<width>(entry), *solution = as_vectors<width>(x);
  BatchVectors<width>* b = as_vectors<width>(right_side);
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) b[r] = b[r] - a[e] * solution[pattern.column[e]];
}

template <int width>
[[gnu::always_inline]] inline void smallest_pivot(const Plan& plan, const Batch* cells, Batch& smallest) {
  using Lanes = BatchVectors<width>;
  *as_vectors<width>(&smallest) = lu_health::smallest_pivot<Lanes>(plan, as_vectors<width>(cells));
}

template <std::uint32_t kernel, class Operand>
const Operand* portable_steps(const Operand* o, const Schedule::Run& run, Batch* cell) {
  return interpreter::execute<kernel>(o, run, as_vectors<2>(cell));
}
void find_trouble_portably(const LUProgram& program, const Batch* cell, const Batch* x, Batch& trouble) {
  find_trouble<2>(program, cell, x, trouble);
}
void judge_portably(const Plan& plan, const Batch* cell, const Batch* x, LaneHealth& health) {
  judge<2>(plan, cell, x, health);
}
void subtract_portably(const Pattern& pattern, const Batch* entry, const Batch* x, Batch* right_side) {
  subtract<2>(pattern, entry, x, right_side);
}
void smallest_pivot_portably(const Plan& plan, const Batch* cell, Batch& smallest) { smallest_pivot<2>(plan, cell, smallest); }

template <std::uint32_t... kernel>
constexpr LaneKernels portable_kernels(std::integer_sequence<std::uint32_t, kernel...>) {
  return {{portable_steps<kernel, std::uint16_t>...},
          {portable_steps<kernel, std::uint32_t>...},
          find_trouble_portably,
          judge_portably,
          subtract_portably,
          smallest_pivot_portably};
}

#ifdef __x86_64__
template <std::uint32_t kernel, class Operand>
[[gnu::target("avx2")]] const Operand* avx2_steps(const Operand* o, const Schedule::Run& run, Batch* cell) {
  return interpreter::execute<kernel>(o, run, as_vectors<4>(cell));
}
[[gnu::target("avx2")]] void find_trouble_avx2(const LUProgram& program, const Batch* cell, const Batch* x, Batch& trouble) {
  find_trouble<4>(program, cell, x, trouble);
}
[[gnu::target("avx2")]] void judge_avx2(const Plan& plan, const Batch* cell, const Batch* x, LaneHealth& health) {
  judge<4>(plan, cell, x, health);
}
[[gnu::target("avx2")]] void subtract_avx2(const Pattern& pattern, const Batch* entry, const Batch* x, Batch* right_side) {
  subtract<4>(pattern, entry, x, right_side);
}
[[gnu::target("avx2")]] void smallest_pivot_avx2(const Plan& plan, const Batch* cell, Batch& smallest) {
  smallest_pivot<4>(plan, cell, smallest);
}

template <std::uint32_t... kernel>
constexpr LaneKernels avx2_kernels(std::integer_sequence<std::uint32_t, kernel...>) {
  return {{avx2_steps<kernel, std::uint16_t>...},
          {avx2_steps<kernel, std::uint32_t>...},
          find_trouble_avx2,
          judge_avx2,
          subtract_avx2,
          smallest_pivot_avx2};
}

template <std::uint32_t kernel, class Operand>
[[gnu::target("avx512f")]] const Operand* avx512_steps(const Operand* o, const Schedule::Run& run, Batch* cell) {
  return interpreter::execute<kernel>(o, run, as_vectors<8>(cell));
}
[[gnu::target("avx512f")]] void find_trouble_avx512(const LUProgram& program, const Batch* cell, const Batch* x,
                                                    Batch& trouble) {
  find_trouble<8>(program, cell, x, trouble);
}
[[gnu::target("avx512f")]] void judge_avx512(const Plan& plan, const Batch* cell, const Batch* x, LaneHealth& health) {
  judge<8>(plan, cell, x, health);
}
[[gnu::target("avx512f")]] void subtract_avx512(const Pattern& pattern, const Batch* entry, const Batch* x, Batch* right_side) {
  subtract<8>(pattern, entry, x, right_side);
}
[[gnu::target("avx512f")]] void smallest_pivot_avx512(const Plan& plan, const Batch* cell, Batch& smallest) {
  smallest_pivot<8>(plan, cell, smallest);
}

template <std::uint32_t... kernel>
constexpr LaneKernels avx512_kernels(std::integer_sequence<std::uint32_t, kernel...>) {
  return {{avx512_steps<kernel, std::uint16_t>...},
          {avx512_steps<kernel, std::uint32_t>...},
          find_trouble_avx512,
          judge_avx512,
          subtract_avx512,
          smallest_pivot_avx512};
}
#endif

using AllKernels = std::make_integer_sequence<std::uint32_t, interpreter::number_of_kernels>;

const LaneKernels& kernels_for(VectorSet vectors) {
  if (vectors > widest_vectors()) throw std::invalid_argument("this processor does not have these vectors");
#ifdef __x86_64__
  static constexpr LaneKernels avx2 = avx2_kernels(AllKernels()), avx512 = avx512_kernels(AllKernels());
  if (vectors == VectorSet::avx512) return avx512;
  if (vectors == VectorSet::avx2) return avx2;
#endif
  static constexpr LaneKernels portable = portable_kernels(AllKernels());
  return portable;
}

template <class Operand>
void run(const std::vector<Schedule::Run>& runs, const interpreter::Kernels<Operand, Batch>& kernels, const Operand* o,
         Batch* cell) {
  for (const Schedule::Run& run : runs) o = kernels[run.kernel](o, run, cell);
}
void run(const Schedule& program, const LaneKernels& kernels, Batch* cell) {
  if (program.operands.empty()) return run(program.runs, kernels.short_steps, program.short_operands.data(), cell);
  run(program.runs, kernels.steps, program.operands.data(), cell);
}

}  // namespace

VectorSet widest_vectors() noexcept {
#ifdef __x86_64__
  if (processor_vectors().avx512f) return VectorSet::avx512;
  if (processor_vectors().avx2) return VectorSet::avx2;
#endif
  return VectorSet::portable;
}

LUInLanes::LUInLanes(const Plan& plan, VectorSet vectors, int cells)
    : plan_(&plan),
      kernels_(&kernels_for(vectors)),
      cell_(std::max(plan.program.cells, cells), Batch(0.0)),
      x_(plan.program.solution.size(), Batch(0.0)),
      saved_right_side_(plan.pattern.rows, Batch(0.0)),
      pivot_(plan.program.pivots.size(), Batch(0.0)),
      step_(plan.program.solution.size(), Batch(0.0)),
      trouble_(0.0) {}

void LUInLanes::factor() noexcept { run(plan_->program.factor, *kernels_, cell_.data()); }

void LUInLanes::replay(const Schedule& program) noexcept { run(program, *kernels_, cell_.data()); }

void LUInLanes::solve() noexcept {
  run(plan_->program.solve, *kernels_, cell_.data());
  for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = cell_[plan_->program.solution[j]];
  kernels_->find_trouble(plan_->program, cell_.data(), x_.data(), trouble_);
}

void LUInLanes::refine(const std::array<bool, Batch::lanes>& lanes) noexcept {
  std::copy_n(right_side(), saved_right_side_.size(), saved_right_side_.data());
  kernels_->subtract(plan_->pattern, cell_.data(), x_.data(), right_side());
  run(plan_->program.solve, *kernels_, cell_.data());
  run(plan_->program.complete, *kernels_, cell_.data());
  for (std::size_t j = 0; j < step_.size(); ++j) step_[j] = cell_[plan_->program.solution[j]];
  std::copy_n(saved_right_side_.data(), saved_right_side_.size(), right_side());
  Batch trouble;
  kernels_->find_trouble(plan_->program, cell_.data(), step_.data(), trouble);
  for (int k = 0; k < Batch::lanes; ++k) {
    if (!lanes[k]) continue;
    if (trouble_.lane[k] == 0) trouble_.lane[k] = trouble.lane[k];
    for (std::size_t j = 0; j < x_.size(); ++j) x_[j].lane[k] += step_[j].lane[k];
  }
}

std::array<bool, Batch::lanes> LUInLanes::vanishing_pivots() noexcept {
  const std::vector<LUProgram::Pivot>& pivots = plan_->program.pivots;
  Batch smallest;
  kernels_->smallest_pivot(*plan_, cell_.data(), smallest);
  for (std::size_t k = 0; k < pivots.size(); ++k) pivot_[k] = cell_[pivots[k].cell];
  lu_health::move_by_rounding<Batch, double, Batch>(plan_->unit, values(), values(), plan_->pattern.entries());
  factor();
  std::array<bool, Batch::lanes> vanishing{};
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    const Batch &now = cell_[pivots[k].cell], &before = pivot_[k];
    for (int lane = 0; lane < Batch::lanes; ++lane)
      if (lu_health::vanished(now.lane[lane], before.lane[lane])) vanishing[lane] = true;
  }
  for (int lane = 0; lane < Batch::lanes; ++lane)
    vanishing[lane] = vanishing[lane] && !(smallest.lane[lane] >= ZeroFillLU<double>::doubtful_pivot);
  return vanishing;
}

LaneHealth LUInLanes::health() const noexcept {
  LaneHealth health;
  kernels_->judge(*plan_, cell_.data(), x_.data(), health);
  return health;
}

}  // namespace sparsedyn
