// From the hard constraints of a set to rows and unknown forces.
#include <algorithm>
#include <stdexcept>

#include "constraints/blocks.hpp"
#include "rounding.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {
void System::add_closures() {
  const ConstraintSet hard = hard_part(sensors_.constraints);
  if (hard.constraints.empty()) return;
  if (formulation_.joint_space || formulation_.canonical)
    throw FormulationMisfit(formulation_name(formulation_) + ": hard constraints act on links, which it does not have");
  const std::vector<std::string> redundant = hard_rows(model_, hard).redundant;
  for (const RowBlock& block : resolved(model_, hard, inverse_weights(model_), Freedoms::tree)) {
    Closure c;
    c.type = block.type, c.name = block.name, c.omega = block.omega, c.polynomial = block.polynomial;
    c.rows = block.rows;
    c.first_row = static_cast<int>(equations_.size()), c.lambda = static_cast<int>(unknowns_.size());
    for (const std::string& row : equality_rows(c.name, c.rows))
      c.redundant.push_back(std::count(redundant.begin(), redundant.end(), row) > 0);
    if (c.type == ConstraintType::joint)
      couple(block.freedom, block.coordinate, c);
    else
      anchor(block.link, block.frames, c);
    const int body = c.sides[0].body >= 0 ? c.sides[0].body : c.sides[1].body;
    for (int k = 0; k < c.rows; ++k) {
      unknowns_.push_back({VariableKind::lambda, static_cast<int>(closures_.size()), body, k});
      equations_.push_back({EquationKind::constraint, body, k, -1});
    }
    closures_.push_back(std::move(c));
  }
}

void System::anchor(const int* link, const Pose<double>* frames, Closure& c) {
  for (int k = 0; k < 2; ++k) {
    c.sides[k].body = link[k] < 0 ? -1 : model_.links[link[k]].body;
    c.sides[k].anchor =
        without_rounding(link[k] < 0 ? frames[k] : link_in_leading_[link[k]] * frames[k], largest_length(model_));
  }
  if (c.sides[0].body == c.sides[1].body) {
    const auto name = [&](int k) { return link[k] < 0 ? std::string("world") : model_.links[link[k]].name; };
    throw std::invalid_argument("constraint " + c.name + ": links " + name(0) + " and " + name(1) + " move as one");
  }
  needs_world_ = true;
}

void System::couple(const int* freedom, const int* coordinate, Closure& c) {
  for (int k = 0; k < 2; ++k) {
    if (freedom[k] < 0) continue;
    const auto moves = [&](const BodyTerms& t) { return t.joint.v == freedom[k] && freedoms(t.joint.joint) == 1; };
    const auto t = std::find_if(terms_.begin(), terms_.end(), moves);
    c.v[k] = freedom[k], c.q[k] = coordinate[k];
    c.ddq[k] = t->ddq, c.ratio[k] = t->multiplier, c.torque[k] = t->torque;
    if (k == 0) c.sides[0].body = static_cast<int>(t - terms_.begin());
  }
  if (c.ddq[0] == c.ddq[1]) throw std::invalid_argument("constraint " + c.name + ": one joint moves both of its joints");
}

}  // namespace sparsedyn
