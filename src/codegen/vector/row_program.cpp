#include "row_program.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "codegen/ir/evaluation_order.hpp"
#include "codegen/passes/row_order.hpp"
#include "lane_sums.hpp"
#include "row_kernels.hpp"

namespace sparsedyn {
namespace {

constexpr int kLanes = RowProgram::lanes;

/// Every body with axes of its own: in one frame those of a leader would have to be turned back.
MinimalTree tree_of_own_axes(const Model& model) {
  MinimalOptions options;
  options.balanced = false;
  options.apart.resize(model.bodies.size());
  std::iota(options.apart.begin(), options.apart.end(), 0);
  return minimal_tree(model, options);
}

bool is_arm(const Model& model) {
  const auto n = static_cast<int>(model.bodies.size());
  if (n > kLanes + 1 || n == 0 || !has_minimal_tree(model) || model.bodies.front().joint == BodyJoint::floating) return false;
  return std::count_if(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.parent < 0; }) == 1;
}

/// a above b or b itself.
bool above(const MinimalTree& tree, int a, int b) {
  while (b > a) b = tree.bodies[static_cast<std::size_t>(b)].parent;
  return a == b;
}

void set_constants(const MinimalTree& tree, RowProgram& rows) {
  const int n = rows.bodies;
  LaneSets up, down;
  for (std::size_t l = 0; l < kLanes; ++l) up[l] = down[l] = 1u << l;
  rows.body.assign(body_rows * kLanes, 0.0);
  for (int l = 0; l < n; ++l) {
    const MinimalBody& b = tree.bodies[static_cast<std::size_t>(n - l)];
    const Inertia<double>& I = b.inertia;
    const double turns = b.joint == BodyJoint::prismatic ? 0.0 : 1.0;
    const std::vector<double> column{I.m,          I.h[0],       I.h[1],       I.h[2],       I.moments.xx, I.moments.xy,
                                     I.moments.xz, I.moments.yy, I.moments.yz, I.moments.zz, turns,        1.0 - turns};
    for (std::size_t r = 0; r < column.size(); ++r) rows.body[r * kLanes + static_cast<std::size_t>(l)] = column[r];
    for (int k = 0; k < n; ++k) {
      if (!above(tree, n - k, n - l)) continue;
      down[static_cast<std::size_t>(l)] |= 1u << k, up[static_cast<std::size_t>(k)] |= 1u << l;
      rows.body[static_cast<std::size_t>(12 * kLanes + k)] += I.m;
    }
  }
  rows.down = lane_sums(down), rows.up = lane_sums(up);
}

/// Freedoms above the lanes that `upper` names; these are neighbours, or the robot is not done in rows.
bool steps_above(const MinimalTree& tree, int n, const std::vector<int>& upper, std::vector<RowStep>& steps) {
  for (int i = 0; i < n; ++i) {
    std::vector<int> lanes;
    for (std::size_t l = 0; l < upper.size(); ++l)
      if (upper[l] != i && above(tree, n - i, n - upper[l])) lanes.push_back(static_cast<int>(l));
    if (lanes.empty()) continue;
    steps.push_back({i, lanes.front(), static_cast<int>(lanes.size())});
    if (lanes.back() - lanes.front() + 1 != steps.back().lanes) return false;
  }
  return true;
}

bool set_pairs(const MinimalTree& tree, RowProgram& rows) {
  const int n = rows.bodies;
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  if (!steps_above(tree, n, all, rows.self_steps)) return false;
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < j; ++k)
      if (above(tree, n - j, n - k)) rows.j.push_back(j), rows.k.push_back(k);
  rows.pairs = static_cast<int>(rows.j.size());
  for (std::size_t p = 0; p < rows.j.size(); p += kLanes) {
    rows.pair_steps.emplace_back();
    const std::size_t end = std::min(p + kLanes, rows.j.size());
    const auto begin = rows.j.begin() + static_cast<std::ptrdiff_t>(p);
    if (!steps_above(tree, n, {begin, begin + static_cast<std::ptrdiff_t>(end - p)}, rows.pair_steps.back())) return false;
  }
  while (rows.j.size() % kLanes != 0) rows.j.push_back(rows.j.back()), rows.k.push_back(rows.k.back());
  return true;
}

/// An angle as port and element of a coordinate and what is added to it; nothing for other sums.
using Angle = std::tuple<int, int, double>;
std::optional<Angle> angle_of(const Program& program, int node) {
  const auto at = [&](Ref r) -> const Node& { return program.nodes()[static_cast<std::size_t>(r.node)]; };
  const Node& x = at({node, false});
  if (x.op == Op::input) return Angle{x.port, x.element, 0.0};
  if (x.op != Op::add) return std::nullopt;
  for (const auto& [a, b] : {std::pair{x.a, x.b}, std::pair{x.b, x.a}})
    if (at(a).op == Op::input && !a.negative && at(b).op == Op::constant)
      return Angle{at(a).port, at(a).element, b.negative ? -at(b).value : at(b).value};
  return std::nullopt;
}

/// The same angles in the same order: their sines and cosines are there. False where they are not.
bool take_angles(const Program& program, Program& places) {
  std::map<Angle, int> order;
  for (std::size_t k = 0; k < program.angles().size(); ++k)
    if (const auto angle = angle_of(program, program.angles()[k])) order[*angle] = static_cast<int>(k);
  std::vector<int> angles(program.angles().size(), -1);
  for (int node : places.angles()) {
    const auto angle = angle_of(places, node);
    if (!angle || order.count(*angle) == 0) return false;
    angles[static_cast<std::size_t>(order[*angle])] = node;
  }
  places = Program(places.nodes(), places.body(), angles, places.inputs(), places.outputs(), places.results());
  return true;
}

/// Names of the entries in the order of rows_in_order, by the freedoms' numbers in the Model.
void name_elements(const MinimalTree& tree, const Program& program, RowProgram& rows) {
  rows.elements.assign(program.outputs().size(), {});
  const auto number = [&](int lane) { return tree.bodies[static_cast<std::size_t>(rows.bodies - lane)].v; };
  rows_in_order(rows, [&](const std::vector<RowEntry>& entries, const std::vector<RowLane>& lanes) {
    for (const RowEntry& e : entries)
      for (const RowLane& x : lanes) {
        const int freedoms[3] = {number(x.i), number(x.j), number(x.k)};
        const auto t = static_cast<std::size_t>(e.tensor);
        rows.elements[t].push_back(program.outputs()[t].name + "." + std::to_string(freedoms[e.a]) + "." +
                                   std::to_string(freedoms[e.b]) + "." + std::to_string(freedoms[e.c]));
      }
  });
}

/// Whether all of the program's elements are written.
bool writes_all(const Program& program, const RowProgram& rows) {
  for (std::size_t t = 0; t < rows.elements.size(); ++t) {
    std::vector<std::string> asked = program.outputs()[t].elements, written = rows.elements[t];
    std::sort(asked.begin(), asked.end()), std::sort(written.begin(), written.end());
    if (!std::includes(written.begin(), written.end(), asked.begin(), asked.end())) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<const RowProgram> row_program(const Model& model, const Program& program) {
  if (!is_arm(model)) return nullptr;
  const MinimalTree tree = tree_of_own_axes(model);
  auto rows = std::make_shared<RowProgram>();
  rows->bodies = static_cast<int>(tree.bodies.size()) - 1;
  set_constants(tree, *rows);
  if (!set_pairs(tree, *rows) || rows->pairs == 0) return nullptr;
  record_kernels(model, tree, *rows);
  if (!take_angles(program, rows->places)) return nullptr;
  name_elements(tree, program, *rows);
  return writes_all(program, *rows) ? rows : nullptr;
}

double straight_cost(const Program& program) {
  auto n = static_cast<double>(fused_operations(program.nodes(), program.results()));
  for (const Port& port : program.inputs()) n += static_cast<double>(port.elements.size());
  for (const Port& port : program.outputs()) n += static_cast<double>(port.elements.size());
  return n;
}

double row_cost(const RowProgram& rows) {
  double n = straight_cost(rows.places) + 24 * static_cast<double>(rows.down.size()) + 54 * static_cast<double>(rows.up.size());
  for (const Program* p : {&rows.screws, &rows.rates, &rows.moments, &rows.force_column, &rows.first.program,
                           &rows.self.program, &rows.first_self.program})
    n += straight_cost(*p);
  n += static_cast<double>(rows.self_steps.size()) * straight_cost(rows.above_self.program);
  for (const std::vector<RowStep>& steps : rows.pair_steps)
    n += straight_cost(rows.pair.program) + straight_cost(rows.first_pair.program) +
         static_cast<double>(steps.size()) * straight_cost(rows.above_pair.program);
  return n;
}

}  // namespace sparsedyn
