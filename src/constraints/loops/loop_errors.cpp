#include "loop_errors.hpp"

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
    errors.resize(static_cast<std::size_t>(rows.rows()));
  }
  Workspace<double> work;
  ConstraintRows rows;
  std::vector<double> rest, errors;  // v = 0; by row
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

double LoopErrors::error(int row) const noexcept { return state_->errors[static_cast<std::size_t>(row)]; }
const double* LoopErrors::jacobian(int row) const noexcept { return state_->rows.row(row); }

}  // namespace sparsedyn
