// What a filter of the whole body was told nothing of.
#include "tracking/whole/whole_forward.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double loop_force_share = 0.01;  // a loop's force has so wide a prior that a tenth of its deviation is no estimate
const char* const of_wrench[] = {"nx", "ny", "nz", "fx", "fy", "fz"};

bool is_loop_force(const WholeLayout& layout, std::size_t k) {
  return layout.system->unknowns()[static_cast<std::size_t>(layout.unknowns[k].unknown)].kind == VariableKind::lambda;
}

}  // namespace

/// Walks widen a prior by walk² t.
void WholeForward::judge_priors() noexcept {
  const auto variance = [this](int at) { return e_.at(at, at); };
  for (std::size_t k = 0; k < layout_.offsets.size(); ++k) {
    const ReadingOffset& offset = layout_.offsets[k];
    const double prior = prior_variance(offset.sigma, offset.walk, elapsed_);
    if (prior > 0) shares_.judge(k, variance(layout_.first_offset + static_cast<int>(k)), prior);
  }
  for (std::size_t k = 0; k < layout_.unknowns.size(); ++k) {
    const IntervalUnknown& u = layout_.unknowns[k];
    if (u.contact >= 0 && touched_on_link_of(static_cast<std::size_t>(u.contact)) < 1) continue;
    const double prior = prior_variance(unknown_sigma(u), u.walks ? u.walk : 0, elapsed_);
    if (prior > 0) shares_.judge(layout_.offsets.size() + k, variance(layout_.first_unknown + static_cast<int>(k)), prior);
  }
}

std::vector<std::string> WholeForward::at_prior() const {
  std::vector<std::string> names;
  const std::size_t offsets = layout_.offsets.size();
  for (std::size_t k = 0; k < offsets; ++k)
    if (shares_.kept(k)) names.push_back(layout_.offsets[k].column);
  for (std::size_t k = 0; k < layout_.unknowns.size(); ++k) {
    if (!(is_loop_force(layout_, k) ? shares_.kept(offsets + k, loop_force_share) : shares_.kept(offsets + k))) continue;
    const int of_model = layout_.first_unknown + static_cast<int>(k) - layout_.model_wrench;
    const bool model = layout_.model_wrench >= 0 && of_model >= 0 && of_model < 6;
    names.push_back(model ? std::string("model_wrench.") + of_wrench[of_model]
                          : layout_.system->unknown_names()[static_cast<std::size_t>(layout_.unknowns[k].unknown)]);
  }
  return names;
}

}  // namespace sparsedyn::tracking
