#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "constraints/blocks.hpp"
#include "sparse/singletons.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

/// Columns and rows of one body that substitution has left over, each in the order of its components.
struct BodyRest {
  std::vector<int> f, acc, ddq, net_force, tau;  // tau: of a joint that follows another
  std::vector<int> wrench, kinematics, torque, net;
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
      const auto follows = [&] { return system.closures()[variable.owner].follows(variable.component); };
      natural.push_back(is_added(equation.kind) || (equation.kind == EquationKind::world_force && follows()) ||
                        (own && ((equation.kind == EquationKind::kinematics && kind == VariableKind::acc) ||
                                 (equation.kind == EquationKind::wrench && kind == VariableKind::f) ||
                                 (equation.kind == EquationKind::net && kind == VariableKind::net) ||
                                 (equation.kind == EquationKind::torque && kind == VariableKind::tau))));
    }
  return natural;
}

/// False where a variable or equation is left that has no place in the articulated-body algorithm. Loops and their forces are
/// passed over.
bool sort_by_body(const System& system, const Peeled& peeled, std::vector<BodyRest>& bodies) {
  for (int c : peeled.columns) {
    const Variable& variable = system.unknowns()[c];
    BodyRest& body = bodies[variable.body];
    switch (variable.kind) {
      case VariableKind::f: body.f.push_back(c); break;
      case VariableKind::acc: body.acc.push_back(c); break;
      case VariableKind::ddq: body.ddq.push_back(c); break;
      case VariableKind::net: body.net_force.push_back(c); break;
      case VariableKind::tau:
        if (system.terms()[variable.body].leader < 0) return false;
        body.tau.push_back(c);
        break;
      case VariableKind::lambda: break;
      case VariableKind::fx: return false;
    }
  }
  for (int r : peeled.rows) {
    const Equation& equation = system.equations()[r];
    if (equation.kind == EquationKind::sensor) return false;
    if (equation.kind == EquationKind::constraint || equation.kind == EquationKind::world_force) continue;
    BodyRest& body = bodies[equation.body];
    (equation.kind == EquationKind::wrench   ? body.wrench
     : equation.kind == EquationKind::torque ? body.torque
     : equation.kind == EquationKind::net    ? body.net
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

/// What a freedom is found from, or as: its torque row and q̈, or what stands in for them. Sorted by freedom.
class Freedoms {
 public:
  void add(int freedom, int index) { list_.push_back({freedom, index}); }
  /// `index` is taken from where it stands now.
  void take(int freedom, std::vector<int>& from, int index) {
    const auto own = std::find(from.begin(), from.end(), index);
    if (own == from.end()) return;
    from.erase(own);
    add(freedom, index);
  }
  std::vector<int> sorted() {
    std::sort(list_.begin(), list_.end());
    std::vector<int> indices;
    for (const auto& [freedom, index] : list_) indices.push_back(index);
    return indices;
  }

 private:
  std::vector<std::pair<int, int>> list_;
};

/// Where substitution found a component of f_i from torque row k, that component's wrench row is left to stand in for the
/// torque row; where it found q̈_k from a component's kinematics row, that component of a_i is left to stand in for q̈_k.
void pair_what_stands_in(const System& system, const Order& peeled, std::vector<BodyRest>& bodies) {
  std::vector<Freedoms> rows(bodies.size()), columns(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    for (int r : bodies[b].torque) rows[b].add(system.equations()[r].component, r);
    for (int c : bodies[b].ddq) columns[b].add(system.unknowns()[c].component, c);
  }
  for (std::size_t k = 0; k < peeled.rows.size(); ++k) {
    const Equation& equation = system.equations()[peeled.rows[k]];
    const Variable& variable = system.unknowns()[peeled.columns[k]];
    const int b = variable.body;
    if (equation.kind == EquationKind::torque && variable.kind == VariableKind::f)
      rows[b].take(equation.component, bodies[b].wrench, system.terms()[b].wrench + variable.component);
    if (equation.kind == EquationKind::kinematics && variable.kind == VariableKind::ddq)
      columns[b].take(variable.component, bodies[b].acc, system.terms()[b].acc + equation.component);
  }
  for (std::size_t b = 0; b < bodies.size(); ++b) bodies[b].torque = rows[b].sorted(), bodies[b].ddq = columns[b].sorted();
}

/// Whether each of the body's freedoms is left as a component of a_i and that component's wrench row: these meet in I^A itself,
/// before f_i is eliminated.
bool stands_in(const System& system, const BodyRest& body) {
  return std::all_of(body.torque.begin(), body.torque.end(),
                     [&](int r) { return system.equations()[r].kind == EquationKind::wrench; }) &&
         std::all_of(body.ddq.begin(), body.ddq.end(), [&](int c) { return system.unknowns()[c].kind == VariableKind::acc; });
}

std::vector<int> tip_to_base(const Model& model) {
  std::vector<int> bodies(model.bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i] = static_cast<int>(bodies.size() - 1 - i);
  return bodies;
}

/// What is left connected of these bodies (ascending) when one is removed, each part by its first body.
std::map<int, std::vector<int>> parts_without(int removed, const Model& model, const std::vector<int>& bodies) {
  std::map<int, std::vector<int>> parts;
  std::vector<int> part(model.bodies.size(), -1);
  for (int b : bodies) {
    if (b == removed) continue;
    const int parent = model.bodies[b].parent;
    part[b] = parent >= 0 && part[parent] >= 0 ? part[parent] : b;
    parts[part[b]].push_back(b);
  }
  return parts;
}

/// Appends to `order` connected bodies (ascending) such that each comes after the parts that its removal leaves, none of which
/// has more than half of them.
void dissect(const Model& model, const std::vector<int>& bodies, std::vector<int>& order) {
  std::vector<int> size(model.bodies.size(), 0);
  for (int b : bodies) size[b] = 1;
  int middle = bodies.front();
  for (std::size_t k = bodies.size(); k-- > 1;) {
    const int b = bodies[k];
    if (2 * size[b] >= static_cast<int>(bodies.size())) {
      middle = b;
      break;
    }
    size[model.bodies[b].parent] += size[b];
  }
  for (const auto& [first, part] : parts_without(middle, model, bodies)) dissect(model, part, order);
  order.push_back(middle);
}

/// By body, those whose q̈ may follow it: a q̈ that several joints read comes after all their bodies.
std::vector<std::vector<int>> shared_last(const System& system, const std::vector<int>& bodies) {
  std::vector<int> place(bodies.size()), last(bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) place[bodies[k]] = static_cast<int>(k);
  for (int b : bodies) {
    const int leader = system.terms()[b].leader;
    int& own = last[leader < 0 ? b : leader];
    own = std::max(own, place[b]);
  }
  std::vector<std::vector<int>> ready(bodies.size());
  for (int b : bodies)
    if (system.terms()[b].leader < 0) ready[bodies[last[b]]].push_back(b);
  return ready;
}

/// The body that both ways of a loop to the world have in common first, or -1.
int root_of(const System& system, const Closure& c) {
  if (c.type == ConstraintType::joint) return -1;
  return common_body(system.model(), c.sides[0].body, c.sides[1].body);
}

/// Loops' rows with the forces along them, which is where J M⁻¹ Jᵀ stands when the bodies are eliminated: of each body those
/// whose root it is, or all of them last.
class LoopRest {
 public:
  LoopRest(const System& system, const Peeled& peeled, bool at_roots) : pairs_(system.model().bodies.size() + 1) {
    for (const Closure& c : system.closures())
      for (int r = 0; r < c.rows; ++r)
        for (const bool of_world : {false, true}) {
          const int row = c.first_row + r + (of_world ? c.rows : 0), column = of_world ? c.world_force(r) : c.force(r);
          if ((of_world && c.axes < 0) || !std::binary_search(peeled.rows.begin(), peeled.rows.end(), row)) continue;
          pairs_[static_cast<std::size_t>(at_roots ? root_of(system, c) + 1 : 0)].emplace_back(row, column);
        }
  }
  /// body: -1 for the world.
  void append_to(Order& order, int body) const {
    for (const auto& [row, column] : pairs_[static_cast<std::size_t>(body + 1)])
      order.rows.push_back(row), order.columns.push_back(column);
  }

 private:
  std::vector<std::vector<std::pair<int, int>>> pairs_;
};

/// How the recursions go.
struct Recursion {
  bool ddq_last = false;        // when all bodies are done
  bool substituted = false;     // see substituted_order
  bool loops_at_roots = false;  // before the body that closes them; bodies go from tip to base
};

/// A body's unknowns, f and a first; its q̈ with them, or when all bodies are done. Forces of loops last, or where they close.
std::optional<Order> by_bodies(const System& system, Peeled peeled, const std::vector<int>& bodies, const Recursion& how) {
  const LoopRest loops(system, peeled, how.loops_at_roots);
  std::vector<BodyRest> rest(system.model().bodies.size());
  if (!sort_by_body(system, peeled, rest)) return {};
  if (how.substituted) pair_what_stands_in(system, peeled.order, rest);
  Order order = std::move(peeled.order);
  const std::vector<std::vector<int>> ready = shared_last(system, bodies);
  for (int b : bodies) {
    const BodyRest& body = rest[b];
    loops.append_to(order, b);
    const bool first = how.substituted && stands_in(system, body);
    if (first && !append(order, body.torque, body.ddq)) return {};
    if (!append(order, body.wrench, body.f) || !append(order, body.net, body.net_force) ||
        !append(order, body.kinematics, body.acc))
      return {};
    if (system.terms()[b].leader >= 0 && !append(order, body.torque, body.tau)) return {};
    for (int done : ready[b])
      if (!how.ddq_last && !(first && done == b) && !append(order, rest[done].torque, rest[done].ddq)) return {};
  }
  for (int b : bodies)
    if (how.ddq_last && system.terms()[b].leader < 0 && !append(order, rest[b].torque, rest[b].ddq)) return {};
  loops.append_to(order, -1);
  if (static_cast<int>(order.rows.size()) != system.pattern().rows || order.columns.size() != order.rows.size()) return {};
  return order;
}

std::optional<Order> by_bodies(const System& system, const std::vector<int>& bodies, const Recursion& how) {
  if (system.pattern().rows != system.pattern().columns) return {};
  return by_bodies(system, peel_singletons(system.pattern(), natural_pivots(system)), bodies, how);
}

std::optional<Order> substituted(const System& system, Recursion how) {
  if (system.pattern().rows != system.pattern().columns || system.formulation().net_forces) return {};
  if (system.model().coordinate_map) return {};  // a torque row that others' torques stand in is found from no one wrench
  const UnitEntries unit = unit_entries(system);
  how.substituted = true;
  return by_bodies(system, peel_singletons(system.pattern(), std::vector<char>(unit.begin(), unit.end())),
                   tip_to_base(system.model()), how);
}

/// Accelerations by Newton's laws, constraint forces by what constrains.
std::optional<Order> by_multipliers(const System& system, bool accelerations_first) {
  const auto is_massless = [](const BodyTerms& t) { return t.massless; };
  if (!system.closures().empty()) return {};
  const auto gives_ddq = [](const Measurement& m) { return m.kind == SensorKind::joint_acceleration; };
  if (std::any_of(system.measurements().begin(), system.measurements().end(), gives_ddq)) return {};
  if (system.pattern().rows != system.pattern().columns || system.formulation().net_forces ||
      std::any_of(system.terms().begin(), system.terms().end(), is_massless))
    return {};
  const UnitEntries unit = unit_entries(system);
  Peeled peeled = peel_singletons(system.pattern(), std::vector<char>(unit.begin(), unit.end()));
  std::vector<BodyRest> rest(system.model().bodies.size());
  if (!sort_by_body(system, peeled, rest)) return {};
  Order order = std::move(peeled.order);
  const std::vector<int> bodies = tip_to_base(system.model());
  for (int b : bodies)
    if (accelerations_first && !append(order, rest[b].wrench, rest[b].acc)) return {};
  for (int b : bodies) {
    if (!accelerations_first && !append(order, rest[b].wrench, rest[b].acc)) return {};
    if (!append(order, rest[b].kinematics, rest[b].f) || !rest[b].tau.empty()) return {};
  }
  for (int b : bodies)
    if (!append(order, rest[b].torque, rest[b].ddq)) return {};
  return order;
}

}  // namespace

std::optional<Order> multiplier_order(const System& system) { return by_multipliers(system, false); }

std::optional<Order> range_space_order(const System& system) { return by_multipliers(system, true); }

std::optional<Order> recursive_order(const System& system) { return by_bodies(system, tip_to_base(system.model()), {}); }

std::optional<Order> substituted_order(const System& system) { return substituted(system, {}); }

std::optional<Order> rooted_order(const System& system, bool substitute) {
  if (system.closures().empty()) return {};
  Recursion how;
  how.loops_at_roots = true;
  return substitute ? substituted(system, how) : by_bodies(system, tip_to_base(system.model()), how);
}

std::optional<Order> composite_order(const System& system) {
  Recursion how;
  how.ddq_last = true;
  return by_bodies(system, tip_to_base(system.model()), how);
}

std::optional<Order> nested_order(const System& system) {
  std::vector<int> bodies = tip_to_base(system.model()), order;
  std::reverse(bodies.begin(), bodies.end());
  for (const auto& [root, tree] : parts_without(-1, system.model(), bodies)) dissect(system.model(), tree, order);
  return by_bodies(system, order, {});
}

}  // namespace sparsedyn
