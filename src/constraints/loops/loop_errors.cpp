#include "loop_errors.hpp"

#include <algorithm>
#include <vector>

#include "constraints/rows.hpp"

namespace sparsedyn {
namespace {

std::vector<RowBlock> hard_blocks(const Model& model, const ConstraintSet& set) {
  const ConstraintSet hard = hard_part(set);
  return hard.constraints.empty() ? std::vector<RowBlock>{} : resolved(model, hard, inverse_weights(model));
}

}  // namespace

struct LoopErrors::State {
  State(const Model& model, const ConstraintSet& set)
      : work(model), rows(model, hard_blocks(model, set)), rest(static_cast<std::size_t>(model.nv), 0.0) {
    errors.resize(static_cast<std::size_t>(rows.rows())), block_of.resize(errors.size());
    for (std::size_t b = 0; b < rows.blocks().size(); ++b)
      std::fill_n(block_of.begin() + rows.blocks()[b].first_row, rows.blocks()[b].rows, b);
  }
  Workspace<double> work;
  ConstraintRows rows;
  std::vector<double> rest, errors;   // v = 0; by row
  std::vector<std::size_t> block_of;  // by row
};

LoopErrors::LoopErrors(const Model& model, const ConstraintSet& set) : state_(std::make_unique<State>(model, set)) {}
LoopErrors::~LoopErrors() = default;
LoopErrors::LoopErrors(LoopErrors&&) noexcept = default;

int LoopErrors::rows() const noexcept { return state_->rows.rows(); }

void LoopErrors::at(const double* q) noexcept {
  state_->rows.at(state_->work, q, state_->rest.data());
  for (std::size_t b = 0; b < state_->rows.blocks().size(); ++b) {
    const RowBlock& block = state_->rows.blocks()[b];
    for (int r = 0; r < block.rows; ++r)
      state_->errors[static_cast<std::size_t>(block.first_row + r)] =
          state_->rows.states()[b].error[static_cast<std::size_t>(r)];
  }
}

bool LoopErrors::within_robot(int row) const noexcept {
  const RowBlock& block = state_->rows.blocks()[state_->block_of[static_cast<std::size_t>(row)]];
  return block.type == ConstraintType::joint || (block.link[0] >= 0 && block.link[1] >= 0);
}

Vec3<double> LoopErrors::turned_error(int row) const noexcept {
  const RowBlock& block = state_->rows.blocks()[state_->block_of[static_cast<std::size_t>(row)]];
  if (block.type != ConstraintType::connect || within_robot(row)) return zero3<double>();
  const auto first = static_cast<std::size_t>(block.first_row);
  Vec3<double> axis = zero3<double>();
  axis[row - block.first_row] = 1;
  return cross(Vec3<double>{{state_->errors[first], state_->errors[first + 1], state_->errors[first + 2]}}, axis);
}

double LoopErrors::error(int row) const noexcept { return state_->errors[static_cast<std::size_t>(row)]; }
const double* LoopErrors::jacobian(int row) const noexcept { return state_->rows.row(row); }

}  // namespace sparsedyn
