// From the hard constraints of a set to rows and unknown forces.
#include <algorithm>
#include <stdexcept>

#include "constraints/blocks.hpp"
#include "constraints/hard_row_ranks.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "system/build/stages.hpp"
#include "system/rounding.hpp"

namespace sparsedyn {
namespace {

void anchor(SystemTables& tables, const int* link, const Pose<double>* frames, Closure& c) {
  for (int k = 0; k < 2; ++k) {
    c.sides[k].body = link[k] < 0 ? -1 : tables.model.links[link[k]].body;
    c.sides[k].anchor =
        without_rounding(link[k] < 0 ? frames[k] : tables.link_in_leading[link[k]] * frames[k], largest_length(tables.model));
  }
  if (c.sides[0].body == c.sides[1].body) {
    const auto name = [&](int k) { return link[k] < 0 ? std::string("world") : tables.model.links[link[k]].name; };
    throw std::invalid_argument("constraint " + c.name + ": links " + name(0) + " and " + name(1) + " move as one");
  }
  tables.needs_world = true;
}

/// The body that a freedom moves, in the tables' order.
std::size_t moved_by(const SystemTables& tables, int freedom) {
  const auto moves = [&](const BodyTerms& t) { return t.joint.v == freedom && freedoms(t.joint.joint) == 1; };
  return static_cast<std::size_t>(std::find_if(tables.terms.begin(), tables.terms.end(), moves) - tables.terms.begin());
}

void couple(SystemTables& tables, const RowBlock& block, Closure& c) {
  std::vector<int> columns;
  for (int k = 0; k < 2; ++k) {
    if (block.freedom[k] < 0) continue;
    const std::size_t body = moved_by(tables, block.freedom[k]);
    const BodyTerms& t = tables.terms[body];
    c.v[k] = block.freedom[k], c.q[k] = block.coordinate[k];
    c.ddq[k] = t.ddq, c.ratio[k] = t.multiplier, c.torque[k] = t.torque;
    if (k == 0) c.sides[0].body = static_cast<int>(body);
    columns.push_back(t.ddq);
  }
  for (const LinearTerm& term : block.linear) {
    const BodyTerms& t = tables.terms[moved_by(tables, term.freedom)];
    c.linear.push_back({term.freedom, term.coordinate, t.ddq, t.torque, t.multiplier, term.factor});
    columns.push_back(t.ddq);
  }
  std::sort(columns.begin(), columns.end());
  if (std::adjacent_find(columns.begin(), columns.end()) != columns.end())
    throw std::invalid_argument("constraint " + c.name + ": one joint moves " + (columns.size() == 2 ? "both" : "two") +
                                " of its joints");
}

/// Where a row is redundant: the axes in which it always is, and its share of the force.
void choose_force(const SystemTables& tables, const LoopAxes& axes, Closure& c) {
  if (std::count(c.redundant.begin(), c.redundant.end(), 1) == 0) return;
  c.axes = axes.body;
  c.shares = {axes.points.shares, axes.turns.shares};
  if (c.axes < 0 || !tables.formulation.axis_frames()) return;
  const Link& link = tables.model.links[static_cast<std::size_t>(tables.model.leading_link(c.axes))];
  if (link.body == c.axes) c.axes_R = without_rounding(link.pose, largest_length(tables.model)).R;
}

}  // namespace

void add_closures(SystemTables& tables) {
  const ConstraintSet hard = hard_part(tables.sensors.constraints);
  if (hard.constraints.empty()) return;
  if (tables.formulation.joint_space || tables.formulation.canonical)
    throw FormulationMisfit(formulation_name(tables.formulation) + ": hard constraints act on links, which it does not have");
  HardRowRanks ranks(tables.model, hard);
  const std::vector<std::string> redundant = hard_rows(tables.model, ranks).redundant;
  const std::vector<RowBlock> blocks = resolved(tables.model, hard, inverse_weights(tables.model), Freedoms::tree);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const RowBlock& block = blocks[k];
    Closure c;
    c.type = block.type, c.name = block.name, c.omega = block.omega, c.polynomial = block.polynomial;
    c.rows = block.rows;
    c.first_row = static_cast<int>(tables.equations.size()), c.lambda = static_cast<int>(tables.unknowns.size());
    for (const std::string& row : equality_rows(c.name, c.rows))
      c.redundant.push_back(std::count(redundant.begin(), redundant.end(), row) > 0);
    if (c.type == ConstraintType::joint)
      couple(tables, block, c);
    else
      anchor(tables, block.link, block.frames, c), choose_force(tables, ranks.axes()[k], c);
    const int body = c.sides[0].body >= 0 ? c.sides[0].body : c.sides[1].body;
    for (int r = 0; r < c.rows; ++r) {
      tables.unknowns.push_back({VariableKind::lambda, static_cast<int>(tables.closures.size()), body, r});
      tables.equations.push_back({EquationKind::constraint, body, r, -1});
    }
    for (int r = 0; r < c.rows && c.axes >= 0; ++r) {
      tables.unknowns.push_back({VariableKind::lambda, static_cast<int>(tables.closures.size()), body, c.rows + r});
      tables.equations.push_back({EquationKind::world_force, body, r, -1});
    }
    tables.closures.push_back(std::move(c));
  }
}

}  // namespace sparsedyn
