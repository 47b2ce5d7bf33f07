#include "runtime/spread/covariances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsedyn {
namespace {

std::vector<std::string> names_of(const OutputPairs& pairs) {
  std::vector<std::string> names;
  add_names(pairs, names);
  return names;
}

std::vector<std::string> checked_names(const System& system, const OutputPairs& pairs) {
  check_output_pairs(system, pairs);
  return names_of(pairs);
}

}  // namespace

void add_names(const OutputPairs& pairs, std::vector<std::string>& names) {
  for (const auto& pair : pairs)
    for (const std::string* name : {&pair.first, &pair.second})
      if (std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(*name);
}

std::vector<std::pair<int, int>> places_of(const OutputPairs& pairs, const Outputs& outputs) {
  const std::vector<std::string>& columns = outputs.columns();
  const auto place = [&](const std::string& name) {
    return static_cast<int>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  std::vector<std::pair<int, int>> places;
  for (const auto& [first, second] : pairs) places.emplace_back(place(first), place(second));
  return places;
}

void check_output_pairs(const System& system, const OutputPairs& pairs) {
  for (const std::string& name : names_of(pairs)) {
    const Outputs found(system, {name});
    if (found.columns().size() != 1 || found.columns().front() != name)
      throw UnknownOutput("\"" + name + "\" stands for " + std::to_string(found.columns().size()) +
                          " outputs; expected one, such as \"" + found.columns().front() + "\"");
  }
}

SweptPairs::SweptPairs(const OutputPairs& pairs, const Outputs& outputs) : place(pairs.size(), -1) {
  const std::vector<std::pair<int, int>> places = places_of(pairs, outputs);
  const int count = static_cast<int>(outputs.columns().size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (places[k].first >= count || places[k].second >= count) continue;
    place[k] = static_cast<int>(columns.size());
    columns.push_back(places[k]);
  }
}

Covariances::Covariances(const System& system, const OutputPairs& pairs, bool with_state, double tolerance)
    : system_(system),
      outputs_(system, checked_names(system, pairs)),
      pairs_(places_of(pairs, outputs_)),
      zero_(static_cast<std::size_t>(system.pattern().columns)),
      gradient_(outputs_.columns().size() * zero_.size()),
      answer_(outputs_.columns().size() * static_cast<std::size_t>(system.pattern().rows + system.pattern().columns)),
      open_(outputs_.columns().size()),
      asked_(outputs_.columns().size()),
      values_(pairs.size()) {
  if (!with_state || system.position_sigma().empty() || pairs.empty()) return;
  derivatives_ = std::make_unique<EstimatorDerivatives>(system, outputs_, tolerance, false);
  dq_.resize(outputs_.columns().size() * static_cast<std::size_t>(system.model().nv)), dv_.resize(dq_.size());
}

void Covariances::reserve(std::size_t offsets) { toward_.assign(offsets * outputs_.columns().size(), 0.0); }

/// What the unknowns and the offsets have to do with an output.
void Covariances::answer(int column, SampleSolver& solver, ReadingOffsets& offsets) noexcept {
  const auto c = static_cast<std::size_t>(column), n = zero_.size(), size = static_cast<std::size_t>(solver.rows()) + n;
  double *const gradient = &gradient_[c * n], *const answer = &answer_[c * size];
  EstimatorSample& sample = solver.sample();
  outputs_.gradient(column, sample.y.data(), sample.work, zero_.data(), gradient);
  ZeroFillLU<double>& lu = solver.lu();
  std::fill_n(lu.right_side(), size, 0.0);
  const std::vector<int>& unknowns = outputs_.unknowns_of(column);
  for (int u : unknowns) lu.right_side()[solver.rows() + u] = gradient[u];
  bool ok = lu.solve(answer).ok();
  const int refinements = std::max(solver.refinements(), sample.doubtful ? 1 : 0);
  for (int k = 0; k < refinements && ok; ++k) ok = lu.refine(answer).ok();
  double variance = 0;
  for (int u : unknowns) variance -= gradient[u] * answer[u];
  offsets.follow(solver.weights(), [&](std::size_t k) { return answer[n + static_cast<std::size_t>(offsets.row(k))]; });
  std::copy_n(offsets.toward().begin(), offsets.count(), toward_.begin() + static_cast<std::ptrdiff_t>(c * offsets.count()));
  open_[c] = !ok || offsets.leave_open(std::sqrt(std::max(variance, 0.0))) || is_open(column, solver);
}

bool Covariances::is_open(int column, const SampleSolver& solver) const noexcept {
  const std::vector<char>& undetermined = solver.order()->regularisation().undetermined;
  const std::vector<int>& unknowns = outputs_.unknowns_of(column);
  return std::any_of(unknowns.begin(), unknowns.end(), [&](int u) { return undetermined[static_cast<std::size_t>(u)] != 0; });
}

int Covariances::swept(std::size_t pair, const SampleSolver& solver, const ReadingOffsets& offsets) const noexcept {
  if (place_.empty() || place_[pair] < 0 || !solver.sample().pairs_found || offsets.count() > 0) return -1;
  const SpreadPlan* const sweep = solver.order()->spread.plan.get();
  return sweep && sweep->sweeps_pair(place_[pair]) ? place_[pair] : -1;
}

double Covariances::covariance(const std::pair<int, int>& pair, const ReadingOffsets& offsets) const noexcept {
  const auto a = static_cast<std::size_t>(pair.first), b = static_cast<std::size_t>(pair.second), n = zero_.size();
  if (open_[a] || open_[b]) return std::numeric_limits<double>::quiet_NaN();
  const double *const of_a = &answer_[a * (answer_.size() / open_.size())], *const of_b = &gradient_[b * n];
  double sum = 0;
  for (int u : outputs_.unknowns_of(pair.second)) sum -= of_b[u] * of_a[u];
  const TakenOff& off = offsets.taken_off();
  const std::size_t m = offsets.count();
  for (std::size_t k = 0; k < m && !off.covariance.empty(); ++k)
    for (std::size_t l = 0; l < m; ++l) sum += toward_[a * m + k] * off.covariance[k * m + l] * toward_[b * m + l];
  return sum;
}

double Covariances::of_state(const std::pair<int, int>& pair) const noexcept {
  const auto nv = static_cast<std::size_t>(system_.model().nv);
  const auto a = static_cast<std::size_t>(pair.first) * nv, b = static_cast<std::size_t>(pair.second) * nv;
  double sum = 0;
  for (std::size_t k = 0; k < nv; ++k) {
    const double q = system_.position_sigma()[k], v = system_.velocity_sigma()[k];
    sum += dq_[a + k] * dq_[b + k] * q * q + dv_[a + k] * dv_[b + k] * v * v;
  }
  return sum;
}

void Covariances::find(SampleSolver& solver, ReadingOffsets& offsets) noexcept {
  std::fill(asked_.begin(), asked_.end(), char(0));
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    if (swept(k, solver, offsets) < 0)
      asked_[static_cast<std::size_t>(pairs_[k].first)] = asked_[static_cast<std::size_t>(pairs_[k].second)] = 1;
  for (std::size_t c = 0; c < open_.size(); ++c)
    if (asked_[c]) answer(static_cast<int>(c), solver, offsets);
  const EstimatorSample& sample = solver.sample();
  const std::size_t before = sample.deviations.size() + sample.rows.size();  // of EstimatorSample::variances
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const int place = swept(k, solver, offsets);
    const auto& [a, b] = pairs_[k];
    if (place < 0)
      values_[k] = covariance(pairs_[k], offsets);
    else
      values_[k] = is_open(a, solver) || is_open(b, solver) ? std::numeric_limits<double>::quiet_NaN()
                                                            : sample.variances[before + static_cast<std::size_t>(place)];
  }
  if (!derivatives_) return;
  derivatives_->at(solver);
  const bool found = derivatives_->find({dq_.data(), dv_.data()}, DerivativeMode::automatic);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    values_[k] = found ? values_[k] + of_state(pairs_[k]) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sparsedyn
