// The recursive algorithms on several samples at a time, side by side in one vector register. Each sample's numbers are, to
// the last bit, those that it has alone: the same operations in the same order.
#pragma once

#include <memory>

namespace sparsedyn {
struct Model;
}

namespace sparsedyn::python {

/// Which algorithm.
enum class PackedAlgorithm : char { none, rnea, aba, bias, gravity, crba, poses };

/// What it keeps for one robot and thread.
class PackedWorks {
 public:
  virtual ~PackedWorks() = default;
  /// Samples at a time.
  virtual int width() const = 0;
  /// in[k], out: entry e of sample s at e · width() + s; quaternions of unit length. False where a sample may have no answer:
  /// each is then to be computed alone.
  virtual bool evaluate(PackedAlgorithm algorithm, const double* const* in, double* out) noexcept = 0;
  /// Of one sample, several links at a time. world: of each body in the world R row by row, d; out: of each link x y z,
  /// quaternion.
  virtual void link_poses(const double* world, double* out) noexcept = 0;
};

/// For the widest registers of this machine; null where it has none that pay, or where joints follow others.
std::unique_ptr<PackedWorks> packed_works(const Model& model);

}  // namespace sparsedyn::python
