#include "sparsedyn/solve/recursive_order.hpp"

#include <vector>

#include "sparsedyn/solve/singletons.hpp"

namespace sparsedyn {
namespace {

/// Columns and rows of one body that substitution has left over, each in the order of its components.
struct BodyRest {
  std::vector<int> f, acc, ddq;
  std::vector<int> wrench, kinematics, torque;
};

/// Entries at which an unknown meets the equation that the recursions find it from: a_i its kinematics, f_i its wrench
/// balance, τ_i its torque row, whatever is measured its sensor.
std::vector<char> natural_pivots(const System& system) {
  std::vector<char> natural;
  const Pattern& pattern = system.pattern();
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      const Equation& equation = system.equations()[r];
      const Variable& variable = system.unknowns()[pattern.column[e]];
      const bool own = equation.body == variable.body && equation.component == variable.component;
      const VariableKind kind = variable.kind;
      natural.push_back(equation.kind == EquationKind::sensor ||
                        (own && ((equation.kind == EquationKind::kinematics && kind == VariableKind::acc) ||
                                 (equation.kind == EquationKind::wrench && kind == VariableKind::f) ||
                                 (equation.kind == EquationKind::torque && kind == VariableKind::tau))));
    }
  return natural;
}

/// False where a variable or equation is left that has no place in the articulated-body algorithm.
bool sort_by_body(const System& system, const Peeled& peeled, std::vector<BodyRest>& bodies) {
  for (int c : peeled.columns) {
    const Variable& variable = system.unknowns()[c];
    BodyRest& body = bodies[variable.body];
    switch (variable.kind) {
      case VariableKind::f: body.f.push_back(c); break;
      case VariableKind::acc: body.acc.push_back(c); break;
      case VariableKind::ddq: body.ddq.push_back(c); break;
      case VariableKind::tau:
      case VariableKind::fx: return false;
    }
  }
  for (int r : peeled.rows) {
    const Equation& equation = system.equations()[r];
    if (equation.kind == EquationKind::sensor) return false;
    BodyRest& body = bodies[equation.body];
    (equation.kind == EquationKind::wrench   ? body.wrench
     : equation.kind == EquationKind::torque ? body.torque
                                             : body.kinematics)
        .push_back(r);
  }
  return true;
}

bool append(Order& order, const std::vector<int>& rows, const std::vector<int>& columns) {
  order.rows.insert(order.rows.end(), rows.begin(), rows.end());
  order.columns.insert(order.columns.end(), columns.begin(), columns.end());
  return rows.size() == columns.size();
}

}  // namespace

std::optional<Order> recursive_order(const System& system) {
  if (system.pattern().rows != system.pattern().columns) return {};
  Peeled peeled = peel_singletons(system.pattern(), natural_pivots(system));
  std::vector<BodyRest> bodies(system.model().bodies.size());
  if (!sort_by_body(system, peeled, bodies)) return {};
  Order order = std::move(peeled.order);
  for (std::size_t i = bodies.size(); i-- > 0;) {
    const BodyRest& body = bodies[i];
    if (!append(order, body.wrench, body.f) || !append(order, body.kinematics, body.acc) ||
        !append(order, body.torque, body.ddq))
      return {};
  }
  return order;
}

}  // namespace sparsedyn
