#include <random>

#include "sparsedyn/flops/counts.hpp"

namespace sparsedyn {

/// Every placement, axis and inertia is random, so no constant folds. Numbers are drawn in statements of their own: the order
/// in which arguments are evaluated is the compiler's, and the chain must not be.
Model general_chain(int n) {
  std::mt19937 rng(1);
  const auto uniform = [&rng](double low, double high) {
    return low + (high - low) * static_cast<double>(rng()) / 4294967296.0;
  };
  const auto vector = [&](double size) {
    return Vec3<double>{{uniform(-size, size), uniform(-size, size), uniform(-size, size)}};
  };
  const auto inertia = [&] {
    Inertia<double> sum = zero_inertia<double>();
    for (int k = 0; k < 6; ++k) {
      const Vec3<double> place = vector(0.3);
      sum = sum + shifted(Inertia<double>{uniform(0.2, 1.0), zero3<double>(), {0, 0, 0, 0, 0, 0}}, place);
    }
    return sum;
  };
  ModelBuilder builder("chain" + std::to_string(n), {{0.3, 0.4, -9.7}});
  builder.root("link0", inertia(), false);
  for (int i = 1; i <= n; ++i) {
    JointSpec revolute;
    revolute.kind = JointKind::revolute;
    revolute.axis = vector(1.0);
    const Pose<double> placement{rotation_from_rpy(vector(1.4)), vector(0.5)};
    builder.link("link" + std::to_string(i), inertia(), "link" + std::to_string(i - 1), "joint" + std::to_string(i), revolute,
                 placement);
  }
  return builder.build();
}

}  // namespace sparsedyn
