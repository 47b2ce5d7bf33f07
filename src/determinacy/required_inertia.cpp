#include "required_inertia.hpp"

#include <algorithm>

#include "held_exactly.hpp"
#include "io/suggestions.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/sparse/plan.hpp"

namespace sparsedyn {
namespace {

/// Every torque and wrench is given exactly, and nothing else is: forward dynamics.
bool is_forward_dynamics(const System& system) {
  const std::vector<bool> held = held_exactly(system);
  for (std::size_t x = 0; x < held.size(); ++x) {
    const VariableKind kind = system.unknowns()[x].kind;
    if ((kind == VariableKind::tau || kind == VariableKind::fx) && !held[x]) return false;
  }
  return true;
}

/// Where every body has mass, M is positive definite.
bool has_massless_body(const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.inertia.m == 0; });
}

}  // namespace

void require_inertia(const System& system) {
  if (!has_massless_body(system.model()) || !is_forward_dynamics(system)) return;
  const Determinacy found = determinacy(system);
  if (found.verdict() != Verdict::insufficient) return;
  std::vector<std::string> open;
  for (int x : found.undetermined)
    if (system.unknowns()[x].kind == VariableKind::ddq) open.push_back(system.unknown_names()[x]);
  throw SingularSystem("the system is singular at every state: nothing determines " + listing(open),
                       found.undetermined.front());
}

}  // namespace sparsedyn
