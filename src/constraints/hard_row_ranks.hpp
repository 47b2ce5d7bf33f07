// Which hard rows of a set say something of their own, posture by posture.
#pragma once

#include <string>
#include <vector>

#include "constraints/loops/following_rows.hpp"
#include "rows.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"

namespace sparsedyn {

/// Where ranks are told from.
struct RankPostures {
  std::vector<std::vector<double>> q;
  bool closed = false;  // they close the loops
  std::string open;     // of the first that none closes: in words
};

/// The zero posture and 20 random ones (the same in every run), moved onto the loops of the hard constraints: there linkages
/// with more rows than they need, such as three parallel cranks, say less than elsewhere. Those that no step closes are left
/// out. Where none can be closed, or where the loops close at singular postures alone (an arm that just reaches its pin), all
/// stay as they are.
RankPostures rank_postures(const Model& model, const ConstraintSet& set);

/// What HardRowFactor measures the hard rows of a set by: these; none where there are no such rows.
std::vector<std::vector<double>> hard_row_postures(const Model& model, const ConstraintSet& set);

/// Random postures on the loops at which these leave the most freedom: where a robot moves, beside rigid assemblies of the same
/// links, which other random postures close to. hard_row_postures where none closes.
std::vector<std::vector<double>> moving_postures(const Model& model, const ConstraintSet& set);

/// Of q, each moved onto the loops: 2 where they are closed to rounding, 1 where Newton's method ends before, as at a posture
/// where they lose rank, 0 where no step closes them. `open` gets the words of the first of these.
std::vector<int> put_onto_loops(const Model& model, const ConstraintSet& set, std::vector<std::vector<double>>& q,
                                std::string& open);

/// Of a connect or weld: the axes of its points' rows, and which rows follow from the others of the same three. What a plane
/// linkage cannot move along is constant in the axes of the last body that both ways round the loop have in common, or of the
/// world; what a spherical linkage cannot, in the axes of the links that it joins.
struct LoopAxes {
  int body = -1;                // the axes are those of its leading link; -1: the world's
  FollowingRows points, turns;  // turns: of a weld, about the axes of the second frame
};

class HardRowRanks {
 public:
  /// The model must outlive it. Throws as ConstrainedDynamics does.
  HardRowRanks(const Model& model, const ConstraintSet& set);
  /// The same by other postures.
  HardRowRanks(const Model& model, const ConstraintSet& set, std::vector<std::vector<double>> postures);
  const std::vector<RowBlock>& blocks() const { return rows_.blocks(); }
  /// A block each; of couplings the default.
  const std::vector<LoopAxes>& axes() const { return axes_; }
  /// Of each row, whether it is independent of those before it at q; never of one that follows from others of its three. Each
  /// is scaled to one where it is largest of rank_postures, or to less beside larger ones of its three; `zero` counts as none.
  std::vector<char> independent(const double* q, double zero = 1e-9);
  int rank(const double* q, double zero = 1e-9);
  const std::vector<std::vector<double>>& postures() const { return postures_; }
  /// A direction of v that the rows at q do not see, of length one, to `zero`; nv numbers.
  std::vector<double> unseen(const double* q, double zero);

 private:
  /// Of points along the axes of `axes_`, of turns about those of the second frame.
  std::vector<std::vector<double>> rows_at(const double* q);
  std::vector<std::vector<double>> scaled_rows_at(const double* q);
  void choose_axes();
  void measure_rows();
  void order_rows();
  LoopAxes axes_of(std::size_t block);
  /// Of three rows of a block over all postures, if the block's axes were these.
  FollowingRows following(std::size_t block, int first, int body);
  Mat3<double> axes_at_posture(int body) const;

  const Model& model_;
  std::vector<std::vector<double>> postures_;
  ConstraintRows rows_;
  std::vector<LoopAxes> axes_;
  std::vector<char> follows_;       // by row: from others of its three, at every posture
  std::vector<std::size_t> order_;  // in which rows are judged
  Workspace<double> ws_;
  std::vector<double> still_, size_;  // no velocity; by row
};

/// hard_rows() of what is judged by `ranks`.
HardRows hard_rows(const Model& model, HardRowRanks& ranks);

}  // namespace sparsedyn
