// What the runtime computes for doubles, recorded: its templates instantiated for Expr.
#include "runtime/write_outputs.hpp"
#include "sparse/fill_augmented.hpp"
#include "sparsedyn/codegen/expr.hpp"

namespace sparsedyn {

/// A recording has no missing measurements.
inline Expr weighted(const Expr& w, const Expr& y) { return w * y; }

template void Augmented::fill(const Expr*, const Expr*, const Expr*, const Expr*, Expr*, Expr*) const noexcept;
template void Outputs::write<Expr>(const Expr*, const Expr*, const SystemWorkspace<Expr>&, Expr*) const noexcept;
template void Outputs::gradient<Expr>(int, const Expr*, const SystemWorkspace<Expr>&, Expr*, Expr*) const noexcept;

}  // namespace sparsedyn
