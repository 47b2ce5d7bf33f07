#include "sparsedyn/verification/verify.hpp"

#include <algorithm>
#include <stdexcept>

#include "checks.hpp"

namespace sparsedyn {
namespace {

/// The rows of a quantity one after the other, in the order in which quantities first come.
void group(std::vector<Agreement>& rows) {
  std::vector<std::string> order;
  for (const Agreement& row : rows)
    if (std::find(order.begin(), order.end(), row.quantity) == order.end()) order.push_back(row.quantity);
  const auto place = [&](const Agreement& row) { return std::find(order.begin(), order.end(), row.quantity); };
  std::stable_sort(rows.begin(), rows.end(), [&](const Agreement& a, const Agreement& b) { return place(a) < place(b); });
}

}  // namespace

bool Verification::passed() const {
  return std::all_of(agreements.begin(), agreements.end(), [](const Agreement& a) { return a.agrees(); });
}

Verification verify(const Model& model, const VerifyOptions& options) {
  if (options.samples < 1) throw std::invalid_argument("samples: fewer than one; expected at least 1");
  if (model.nv == 0) throw std::invalid_argument("the robot has no freedoms; expected a joint that moves");
  using namespace verification;
  std::vector<std::unique_ptr<Check>> checks;
  checks.push_back(inverse_dynamics_check(model));
  checks.push_back(forward_dynamics_check(model));
  checks.push_back(derivatives_check(model));
  checks.push_back(second_derivatives_check(model));
  checks.push_back(motion_check(model));
  for (std::unique_ptr<Check>& check : system_checks(model)) checks.push_back(std::move(check));
  if (options.programs) checks.push_back(program_check(model));
  Verification all;
  std::vector<State> at = states(model, options.samples, options.seed);
  for (State& state : at) {
    state.conditioning = conditioning(model, state);
    all.conditioning = std::max(all.conditioning, state.conditioning);
    for (const std::unique_ptr<Check>& check : checks)
      if (check) check->at(state);
  }
  for (const std::unique_ptr<Check>& check : checks)
    if (check) check->report(all);
  group(all.agreements);
  return all;
}

}  // namespace sparsedyn
