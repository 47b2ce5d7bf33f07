#include "derivative_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/write_outputs.hpp"

namespace sparsedyn {
namespace {

constexpr int block_width = Batch::lanes;
/// Beyond this backward error a solution is refined, at most so often.
constexpr double exact_enough = 2e-16;
constexpr int most_steps = 2;

int blocks_of(std::size_t outputs) { return static_cast<int>((outputs + block_width - 1) / block_width); }

double worst_lane(const Batch& errors) {
  double most = 0;
  for (double x : errors.lane)
    if (!(x <= most)) most = x;
  return most;
}

}  // namespace

template <class Solve, class Residual>
bool PlannedEquations::refined(Solve solve, Residual residual, const Batch* r, Batch* z) noexcept {
  solve(r, z);
  double error = worst_lane(residual(r, z, rest_.data()));
  for (int step = 0; step < most_steps && error > exact_enough; ++step) {
    solve(rest_.data(), step_.data());
    for (std::size_t j = 0; j < step_.size(); ++j)
      for (int k = 0; k < block_width; ++k) z[j].lane[k] += step_[j].lane[k];
    error = worst_lane(residual(r, z, rest_.data()));
  }
  return error <= tolerance_;
}

bool PlannedEquations::solve(const Batch* r, Batch* z) noexcept {
  return refined([&](const Batch* b, Batch* x) { block_->solve(b, x); },
                 [&](const Batch* b, const Batch* x, Batch* rest) { return block_->residual(b, x, rest); }, r, z);
}

bool PlannedEquations::solve_transposed(const Batch* c, Batch* z) noexcept {
  return refined([&](const Batch* b, Batch* x) { block_->solve_transposed(b, x); },
                 [&](const Batch* b, const Batch* x, Batch* rest) { return block_->residual_transposed(b, x, rest); }, c, z);
}

bool DenseEquations::solve(const Batch* r, Batch* z) noexcept {
  bool finite = true;
  for (int k = 0; k < block_width; ++k) {
    for (std::size_t j = 0; j < right_.size(); ++j) right_[j] = r[j].lane[k];
    dense_->solve(right_.data(), answer_.data());
    for (std::size_t j = 0; j < right_.size(); ++j) finite = finite && std::isfinite(z[j].lane[k] = answer_[j]);
  }
  return finite;
}

bool DenseEquations::solve_transposed(const Batch* c, Batch* z) noexcept {
  bool finite = true;
  for (int k = 0; k < block_width; ++k) {
    for (std::size_t j = 0; j < right_.size(); ++j) right_[j] = c[j].lane[k];
    dense_->solve_transposed(right_.data(), answer_.data());
    for (std::size_t j = 0; j < right_.size(); ++j) finite = finite && std::isfinite(z[j].lane[k] = answer_[j]);
  }
  return finite;
}

DerivativeEngine::DerivativeEngine(const System& system, const Outputs& outputs, int size)
    : system_(system),
      outputs_(outputs),
      size_(size),
      count_{system.model().nv, system.model().nv, static_cast<int>(system.inputs().size()), system_.parameters()},
      zero_(system.pattern().columns, Number(0.0)),
      gradient_(zero_),
      x_(zero_),
      out_(outputs.columns().size(), Number(0.0)),
      explicit_(outputs.columns().size() * block_width, 0.0),
      right_(size, Batch(0.0)),
      answer_(size, Batch(0.0)),
      adjoints_(static_cast<std::size_t>(blocks_of(outputs.columns().size())) * static_cast<std::size_t>(size), Batch(0.0)),
      sum_(blocks_of(outputs.columns().size()), Batch(0.0)) {
  first_.push_back(0);
  for (std::size_t c = 0; c < outputs.columns().size(); ++c)
    first_.push_back(first_.back() + static_cast<int>(outputs.unknowns_of(static_cast<int>(c)).size()));
  coefficient_.resize(first_.back());
  directions_.reserve(count_[of_q] + count_[of_v] + count_[of_y] + count_[of_p]);
}

void DerivativeEngine::at(const double* q, const double* v, const double* y, const double* x) noexcept {
  system_.at(q, v, y, x);
  for (std::size_t u = 0; u < x_.size(); ++u) x_[u] = Number(x[u]);
  for (std::size_t c = 0; c < out_.size(); ++c) {
    outputs_.gradient(static_cast<int>(c), system_.inputs(), system_.work(), zero_.data(), gradient_.data());
    int at = first_[c];
    for (int u : outputs_.unknowns_of(static_cast<int>(c))) coefficient_[at++] = gradient_[u].x;
  }
}

/// How many there are.
int DerivativeEngine::note_directions(const DerivativeArrays& into) noexcept {
  directions_.clear();
  const double* const wanted[4] = {into.dq, into.dv, into.dy, into.dp};
  for (Of of : {of_q, of_v, of_y, of_p})
    for (int k = 0; wanted[of] && k < count_[of]; ++k) directions_.push_back({of, k});
  return static_cast<int>(directions_.size());
}

double* DerivativeEngine::place(const DerivativeArrays& into, const Direction& d, std::size_t row) const noexcept {
  double* const array[4] = {into.dq, into.dv, into.dy, into.dp};
  return array[d.of] + row * static_cast<std::size_t>(count_[d.of]) + d.k;
}

const EquationChange& DerivativeEngine::along(const Direction& d) noexcept {
  switch (d.of) {
    case of_q: return system_.along_q(d.k);
    case of_v: return system_.along_v(d.k);
    case of_y: return system_.along_y(d.k);
    default: return system_.along_parameter(d.k);
  }
}

/// How the outputs move in the direction just taken while the unknowns are held: out_[c].d.
void DerivativeEngine::find_explicit(const Direction& d) noexcept {
  const bool shifts = !system_.work().shift.empty();
  if (d.of == of_p || (outputs_.only_unknowns() && !shifts)) {
    for (Number& x : out_) x.d[0] = 0;
    return;
  }
  for (std::size_t u = 0; u < x_.size() && shifts; ++u) x_[u].d[0] = system_.shift_of(static_cast<int>(u));
  outputs_.write(x_.data(), system_.inputs(), system_.work(), out_.data());
}

void DerivativeEngine::leave_open(const DerivativeArrays& into, std::size_t row) const noexcept {
  double* const array[4] = {into.dq, into.dv, into.dy, into.dp};
  for (Of of : {of_q, of_v, of_y, of_p})
    if (array[of]) std::fill_n(place(into, {of, 0}, row), count_[of], std::numeric_limits<double>::quiet_NaN());
}

bool DerivativeEngine::find(FactoredEquations& equations, const ChangedResidual& changed, const DerivativeArrays& into,
                            DerivativeMode mode) noexcept {
  const int directions = note_directions(into);
  const bool fewer_outputs = out_.size() < static_cast<std::size_t>(directions);
  const bool backward = mode == DerivativeMode::adjoint || (mode == DerivativeMode::automatic && fewer_outputs);
  return backward ? adjoint(equations, changed, nullptr, into) : forward(equations, changed, into);
}

bool DerivativeEngine::combine(FactoredEquations& equations, const ChangedResidual& changed, const double* weight,
                               const DerivativeArrays& into) noexcept {
  note_directions(into);
  return adjoint(equations, changed, weight, into);
}

bool DerivativeEngine::forward(FactoredEquations& equations, const ChangedResidual& changed,
                               const DerivativeArrays& into) noexcept {
  for (std::size_t first = 0; first < directions_.size(); first += block_width) {
    const std::size_t here = std::min<std::size_t>(block_width, directions_.size() - first);
    std::fill(right_.begin(), right_.end(), Batch(0.0));
    for (std::size_t k = 0; k < here; ++k) {
      const EquationChange& change = along(directions_[first + k]);
      changed.for_each(change, system_.solution(), [&](int row, double value) { right_[row].lane[k] += value; });
      find_explicit(directions_[first + k]);
      for (std::size_t c = 0; c < out_.size(); ++c) explicit_[c * block_width + k] = out_[c].d[0];
    }
    if (!equations.solve(right_.data(), answer_.data())) return false;
    for (std::size_t c = 0; c < out_.size(); ++c) {
      Batch sum;
      std::copy_n(&explicit_[c * block_width], block_width, sum.lane);
      int at = first_[c];
      for (int u : outputs_.unknowns_of(static_cast<int>(c))) {
        for (int k = 0; k < block_width; ++k) sum.lane[k] += coefficient_[at] * answer_[u].lane[k];
        ++at;
      }
      for (std::size_t k = 0; k < here; ++k) *place(into, directions_[first + k], c) = sum.lane[k];
    }
  }
  return true;
}

/// λ of every output, or of their sum with these weights, which is then the first lane of the first block.
bool DerivativeEngine::find_adjoints(FactoredEquations& equations, const double* weight) noexcept {
  const std::size_t outputs = out_.size(), step = weight ? std::max<std::size_t>(outputs, 1) : block_width;
  for (std::size_t first = 0, block = 0; first < outputs; first += step, ++block) {
    std::fill(right_.begin(), right_.end(), Batch(0.0));
    for (std::size_t c = first; c < std::min(first + step, outputs); ++c) {
      int at = first_[c];
      for (int u : outputs_.unknowns_of(static_cast<int>(c)))
        right_[u].lane[weight ? 0 : c - first] += (weight ? weight[c] : 1.0) * coefficient_[at++];
    }
    if (!equations.solve_transposed(right_.data(), &adjoints_[block * static_cast<std::size_t>(size_)])) return false;
  }
  return true;
}

bool DerivativeEngine::adjoint(FactoredEquations& equations, const ChangedResidual& changed, const double* weight,
                               const DerivativeArrays& into) noexcept {
  if (!find_adjoints(equations, weight)) return false;
  const std::size_t outputs = out_.size(), blocks = weight ? std::min<std::size_t>(outputs, 1) : sum_.size();
  for (const Direction& d : directions_) {
    std::fill(sum_.begin(), sum_.end(), Batch(0.0));
    changed.for_each(along(d), system_.solution(), [&](int row, double value) {
      for (std::size_t b = 0; b < blocks; ++b) {
        const Batch& adjoint = adjoints_[b * static_cast<std::size_t>(size_) + static_cast<std::size_t>(row)];
        for (int k = 0; k < block_width; ++k) sum_[b].lane[k] += value * adjoint.lane[k];
      }
    });
    find_explicit(d);
    if (!weight) {
      for (std::size_t c = 0; c < outputs; ++c) *place(into, d, c) = sum_[c / block_width].lane[c % block_width] + out_[c].d[0];
      continue;
    }
    double sum = outputs ? sum_[0].lane[0] : 0.0;
    for (std::size_t c = 0; c < outputs; ++c) sum += weight[c] * out_[c].d[0];
    *place(into, d, 0) = sum;
  }
  return true;
}

}  // namespace sparsedyn
