// What was fitted to a body, shared out among the links of which it consists.
#pragma once

#include <array>
#include <vector>

namespace sparsedyn {

struct SharedOut {
  std::array<double, 10> leading;             // of the link that leads the body
  std::vector<std::array<double, 10>> parts;  // of the others, in their order
};

/// New inertias of a body's links, whose sum is `whole`, as ten numbers each in one frame. before: the body's ten numbers so
/// far; parts: those of its links but the leading one, which has the rest.
///
/// Every point of mass moves by one affine map and all masses change by one ratio: those that make the body so far into the
/// whole and move its points the least. With masses m, centres c and central second moments Σ per kg, before (0) and after (1),
///   x → c₁ + A (x − c₀),  A = Σ₁^½ (Σ₁^½ Σ₀ Σ₁^½)^-½ Σ₁^½  (Olkin & Pukelsheim 1982),  masses times m₁/m₀.
/// So a link that could exist still can, each keeps its share of the mass, and a body that is right stays as it is. What a flat
/// or thin body lacks in extent the leading link takes. Where the body so far could not exist, the others keep their shape and
/// the largest ratio 2^-k of their numbers that leaves the leading link possible.
SharedOut shared_out(const double* before, const std::vector<std::array<double, 10>>& parts, const double* whole);

}  // namespace sparsedyn
