#include "sparsedyn/spatial/detail/velocity_wrench.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/quad.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("v ×* I v of a small body whose origin is fast") {
  std::mt19937 rng(1);
  double worst = 0;
  for (int k = 0; k <= 12; ++k) {
    const double size = std::pow(10.0, -k);  // of the body
    Inertia<double> I = random_inertia(rng);
    I.h = size * I.h;
    for (double* s : {&I.moments.xx, &I.moments.xy, &I.moments.xz, &I.moments.yy, &I.moments.yz, &I.moments.zz})
      *s *= size * size;
    const Motion<double> v{random_vector(rng), random_vector(rng)};
    const Force<double> x = velocity_wrench(I, v);
    const Motion<Quad> w = cast<Quad>(v);
    const Force<Quad> exact = cross(w, cast<Quad>(I) * w);
    const auto compare = [&](const Vec3<double>& a, const Vec3<Quad>& r) {
      const Vec3<Quad> off = cast<Quad>(a) - r;
      worst = std::max(worst, static_cast<double>(sqrt(dot(off, off)) / sqrt(dot(r, r))));
    };
    compare(x.n, exact.n);
    compare(x.f, exact.f);
  }
  CHECK(worst < 1e-14);
}
