// A robot's constraints, sorted for generated code, and which freedoms they move.
#pragma once

#include <vector>

#include "constraints/blocks.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// In doubles: motions and wrenches that generated code hands from part to part take rows of this length.
constexpr int row_room = 8;

/// A constraint on one joint: a stop or dry friction.
struct JointRow {
  const RowBlock* block;
  int freedom;    // of v
  double sign;    // of the joint's acceleration in the row
  double slope;   // of that freedom's: a joint that follows another has its multiplier
  double offset;  // distance to a stop: slope q + offset, q the coordinate of that freedom
  int coordinate;
};

/// Refers to the blocks. Freedoms are the robot's; where joints follow others, columns are those of its tree.
struct ContactLayout {
  std::vector<const RowBlock*> contacts;
  std::vector<JointRow> joint_rows;
  std::vector<const RowBlock*> loops;  // connect, weld, joint
  std::vector<int> bodies;             // that carry contacts
  std::vector<int> contact_body;       // of each contact: its place in `bodies`
  std::vector<Mat3<double>> planes;    // axes, by rows: normal, t1, t2
  std::vector<int> contact_plane;      // of each contact
  std::vector<int> moved;              // freedoms that constraints move, ascending
  std::vector<int> others;             // all other freedoms
  std::vector<int> place;              // of each freedom in `moved`, or -1
  std::vector<int> columns;            // of S: the tree's freedoms that these move, ascending
  std::vector<int> joint_freedoms;     // freedoms with joint rows, ascending
  int directions = 1;                  // most of a contact
  double damping = 0;                  // B of the contacts, 1/s
  bool one_damping = true;             // whether all of them have it
  /// Of each freedom those that it meets in the factors of M and that are eliminated after it, the nearest first: in a tree
  /// those on its way to the base.
  std::vector<std::vector<int>> before;
};

ContactLayout contact_layout(const Model& model, const std::vector<RowBlock>& blocks);

}  // namespace sparsedyn
