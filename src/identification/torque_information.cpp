#include <cmath>
#include <numeric>

#include "sparsedyn/dynamics/detail/wrench_pass.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

TorqueInformation::TorqueInformation(const Model& model)
    : RowInformation(model),
      work_(model),
      Y_(static_cast<std::size_t>(model.nv) * static_cast<std::size_t>(work_.index.count)),
      tree_wrenches_(static_cast<std::size_t>(model.tree().nv), 0.0),
      from_wrenches_(static_cast<std::size_t>(model.nv), 0.0) {
  std::vector<int> all(static_cast<std::size_t>(work_.index.count));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<std::string> names = force_names(model);
  for (int i = 0; i < model.nv; ++i) declare(names[static_cast<std::size_t>(i)], base_parameters(model, all, i), i, 0);
}

/// Σ Jᵀ fx, with the poses that the regressor has left.
void TorqueInformation::add_wrenches(const Force<double>* fx) noexcept {
  Workspace<double>& ws = work_.dynamics;
  for (std::size_t b = 0; b < ws.force.size(); ++b) ws.force[b] = fx[b];
  wrench_pass(model_->tree(), ws, tree_wrenches_.data());
  if (model_->coordinate_map)
    gather_rows(*model_->coordinate_map, 1, tree_wrenches_.data(), from_wrenches_.data());
  else
    from_wrenches_ = tree_wrenches_;
}

template <class Visit>
void TorqueInformation::make_rows(const double* q, const double* v, const double* a, const double* tau, const Force<double>* fx,
                                  Visit&& visit) {
  regressor(*model_, work_, q, v, a, Y_.data());
  if (fx) add_wrenches(fx);
  for (std::size_t i = 0; i < from_wrenches_.size(); ++i)
    visit(i, Y_.data() + i * static_cast<std::size_t>(work_.index.count), tau[i] + (fx ? from_wrenches_[i] : 0.0));
}

void TorqueInformation::add(const double* q, const double* v, const double* a, const double* tau,
                            const Force<double>* fx) noexcept {
  make_rows(q, v, a, tau, fx, [&](std::size_t i, double* row, double measured) { put(i, row, v, measured); });
}

void TorqueInformation::visit(const double* q, const double* v, const double* a, const double* tau, const Force<double>* fx,
                              const RowVisitor& visitor) {
  make_rows(q, v, a, tau, fx, [&](std::size_t i, double* row, double measured) {
    put_friction(i, row, v);
    visitor(static_cast<int>(i), row, measured);
  });
}

}  // namespace sparsedyn
