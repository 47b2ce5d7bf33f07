// Second derivatives of an arm as loops. A quantity of eight bodies, or of eight pairs of freedoms, is one vector, called a
// row, and in one frame (one_frame_columns.hpp) each body, pair and triple is done alike. So the code is short and stays in the
// processor's caches, where that of straight-line programs does not.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "model/minimal_tree.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Entry [a,b,c] of an output; a, b, c: 0, 1, 2 for the freedoms i, j, k of a triple.
struct RowEntry {
  int tensor, a, b, c;
};

/// What is done to each lane: a program of numbers. Its output "entry" has these.
struct RowKernel {
  Program program;
  std::vector<RowEntry> entries;
};

/// A freedom i, by its lane, above neighbouring lanes of eight.
struct RowStep {
  int i, first, lanes;
};

/// A lane's sum gets that of lane step[l] added, or nothing (-1).
using LaneStep = std::array<int, 8>;

/// Lane l is the body that comes l-th from the last; the first body, whose axes the frame has, is in none.
struct RowProgram {
  static constexpr int lanes = 8;
  int bodies;                      // in lanes
  Program places;                  // of all bodies, on numbers: rows "place", and "first" of the first body
  std::vector<double> body;        // constant rows
  std::vector<LaneStep> down, up;  // steps of the sum over all that a body is below, and over all below it; itself too
  Program screws, rates, moments, force_column;
  RowKernel first, self, first_self, above_self, pair, first_pair, above_pair;
  std::vector<int> j, k;  // pairs, by the lanes of their freedoms, the last repeated up to eight
  int pairs;
  std::vector<RowStep> self_steps;                 // freedoms above lanes
  std::vector<std::vector<RowStep>> pair_steps;    // above pairs, for each eight
  std::vector<std::vector<std::string>> elements;  // of the outputs, in the order in which they are written
};

/// nullptr but for arms of up to nine bodies on revolute and prismatic joints, one of them alone at the world, whose first axis
/// is along gravity, so that nothing has a second derivative by the first freedom alone. `program` has the inputs, outputs and
/// angles.
std::shared_ptr<const RowProgram> row_program(const Model& model, const Program& program);

/// Instructions, roughly: of straight-line code, where a product in a sum is none, and each value is loaded or stored; of rows.
double straight_cost(const Program& program);
double row_cost(const RowProgram& rows);

}  // namespace sparsedyn
