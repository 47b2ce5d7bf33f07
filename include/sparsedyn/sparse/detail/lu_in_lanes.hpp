// ZeroFillLU for a batch of samples. One walk over the plan serves all of them: the interpreter decides once for each step, and
// vectors do the arithmetic.
#pragma once

#include <array>
#include <vector>

#include "sparsedyn/sparse/batch.hpp"
#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn {

struct LaneKernels;

/// What the replay's vectors are made of.
enum class VectorSet { portable, avx2, avx512 };
/// The widest that this processor has.
VectorSet widest_vectors() noexcept;

/// Of each lane, as ZeroFillLU says it; NaN where that is not finite.
struct LaneHealth {
  Batch backward_error, componentwise_error, growth;
  Batch least_pivot;  // beside ‖A‖∞: of those that are divided by
};

/// Each lane's numbers are those of a ZeroFillLU<double> of the same plan, bit for bit: the same operations in the same order.
/// A lane in trouble does not disturb the others. One object a thread. All memory, `Batch::lanes` times ZeroFillLU's, is taken
/// by the constructor; the plan must outlive it. Not for complex numbers; lanes that need more care than a step of refinement
/// are for a ZeroFillLU.
class LUInLanes {
 public:
  /// cells: as of ZeroFillLU. Throws std::invalid_argument for vectors that this processor does not have.
  explicit LUInLanes(const Plan& plan, VectorSet vectors = widest_vectors(), int cells = 0);

  /// Where the matrices (entries of the plan's pattern, in its order) and right-hand sides go, as in ZeroFillLU.
  Batch* values() noexcept { return cell_.data(); }
  Batch* right_side() noexcept { return cell_.data() + plan_->program.right_side; }

  /// A = L U for values(), then A x = b for right_side(). Cost: plan.factor_flops() and plan.solve_flops() in each lane.
  void factor() noexcept;
  void solve() noexcept;
  /// A program on the cells, of which values() is the first.
  void replay(const Schedule& program) noexcept;

  /// The unknowns of the last solve; those that the plan's outputs leave out are without meaning.
  const Batch* solution() const noexcept { return x_.data(); }
  /// Whether ZeroFillLU::factor and solve would have returned ok.
  bool ok(int lane) const noexcept { return trouble_.lane[lane] == 0; }
  /// Of the last solve. All of x must be known.
  LaneHealth health() const noexcept;
  /// ZeroFillLU::refine in the lanes that are flagged; a lane whose step is not finite is no longer ok.
  void refine(const std::array<bool, Batch::lanes>& lanes) noexcept;
  /// Whether the lane is doubtful() and has a vanishing_pivot(values()), as ZeroFillLU says it. After factor(); the values are
  /// moved afterwards, and the factors are theirs. Cost: one factorisation.
  std::array<bool, Batch::lanes> vanishing_pivots() noexcept;

  const Plan& plan() const { return *plan_; }

 private:
  const Plan* plan_;
  const LaneKernels* kernels_;
  std::vector<Batch> cell_, x_;                         // plan.program.cells, unknowns
  std::vector<Batch> saved_right_side_, pivot_, step_;  // for refine and vanishing_pivots
  Batch trouble_;                                       // 0, or something else
};

}  // namespace sparsedyn
