// Constraint files, and the contact dynamics that they mean.
#include <stdexcept>

#include "robots.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/json/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsedyn;
  return fuzz::attempt("constraints.json", [&] {
    const Model& model = fuzz::small_robot();
    const ConstraintSet set = parse_constraint_set(fuzz::as_text(data, size), "constraints.json", model);
    if (set.constraints.size() > 50) return;
    try {
      ConstrainedDynamics dynamics(model, set);
      const std::vector<double> q(3, 0.3), v(3, 0.1), tau(3, 0.2);
      std::vector<double> a(3), force(dynamics.force_columns().size()), gap(dynamics.gap_columns().size());
      dynamics.forward(q.data(), v.data(), tau.data(), nullptr, a.data(), force.data(), gap.data());
    } catch (const std::invalid_argument&) {  // rows that the robot cannot have, by name
    }
  });
}
