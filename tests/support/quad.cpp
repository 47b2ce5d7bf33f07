#include "support/quad.hpp"

// of libquadmath, whose header only one of the compilers finds
extern "C" {
sparsedyn::test::Float128 sinq(sparsedyn::test::Float128) noexcept;
sparsedyn::test::Float128 cosq(sparsedyn::test::Float128) noexcept;
sparsedyn::test::Float128 tanhq(sparsedyn::test::Float128) noexcept;
sparsedyn::test::Float128 sqrtq(sparsedyn::test::Float128) noexcept;
sparsedyn::test::Float128 atan2q(sparsedyn::test::Float128, sparsedyn::test::Float128) noexcept;
}

namespace sparsedyn::test {

Quad sin(const Quad& a) { return {Quad::Exactly{}, sinq(a.x)}; }
Quad cos(const Quad& a) { return {Quad::Exactly{}, cosq(a.x)}; }
Quad tanh(const Quad& a) { return {Quad::Exactly{}, tanhq(a.x)}; }
Quad sqrt(const Quad& a) { return {Quad::Exactly{}, sqrtq(a.x)}; }
Quad atan2(const Quad& y, const Quad& x) { return {Quad::Exactly{}, atan2q(y.x, x.x)}; }

}  // namespace sparsedyn::test
