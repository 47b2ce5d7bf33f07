#include "newton_iteration.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {
namespace {

double largest(const std::vector<double>& x) noexcept {
  double most = 0;
  for (double value : x) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

NewtonIteration::NewtonIteration(const Model& model, ConstraintRows& of, const ConstraintOptions& choice,
                                 const std::vector<std::vector<double>>& postures)
    : rows(of),
      factor(model, freedoms_of(of.blocks()), choice.order),
      nv(model.nv),
      M(static_cast<std::size_t>(nv) * nv),
      H(M.size()),
      push(nv),
      a(nv),
      next(nv),
      j(rows.rows(), 0.0),
      j_next(j),
      f(j),
      lambda(j),
      lambda_next(j),
      slopes(rows.blocks().size() * LawNumbers::most_rows * LawNumbers::most_rows),
      options(choice),
      hard_(model, of, postures),
      outlooks_(rows.blocks().size()),
      steps_(j),
      rhs_(nv),
      held_(j),
      was_active(rows.blocks().size(), 0) {}

void NewtonIteration::forces(const double* at, double* force_of) noexcept {
  for (std::size_t k = 0; k < rows.blocks().size(); ++k) {
    const RowBlock& b = rows.blocks()[k];
    if (rows.states()[k].active)
      force(rows.states()[k].law, at + b.first_row, force_of + b.first_row, nullptr);
    else
      std::fill_n(force_of + b.first_row, b.rows, 0.0);
  }
}

int NewtonIteration::step(bool sticks) noexcept {
  if (exactly_) return step_exactly(sticks);
  H = M, next = push;
  std::copy(f.begin(), f.end(), lambda_next.begin());
  for (std::size_t k = 0; k < rows.blocks().size(); ++k)
    if (rows.states()[k].active) add_block(static_cast<int>(k), sticks);
  const int failed = factor.factor(H.data());
  if (failed >= 0) return failed;
  rows.add_transposed(lambda_next.data(), next.data());
  factor.solve(H.data(), next.data());
  rows.miss(next.data(), j_next.data());
  std::copy(f.begin(), f.end(), lambda_next.begin());
  for (std::size_t k = 0; k < rows.blocks().size(); ++k)
    if (rows.states()[k].active) add_slope(static_cast<int>(k));
  return -1;
}

const double* NewtonIteration::slope(int k, bool sticks) noexcept {
  const RowBlock& b = rows.blocks()[k];
  const LawNumbers& law = rows.states()[k].law;
  double* of_block = slopes.data() + static_cast<std::ptrdiff_t>(k) * LawNumbers::most_rows * LawNumbers::most_rows;
  std::array<double, LawNumbers::most_rows> unused{};
  force(law, j.data() + b.first_row, unused.data(), of_block);
  if (!sticks) return of_block;
  std::fill_n(of_block, b.rows * b.rows, 0.0);
  for (int r = 0; r < b.rows; ++r) of_block[r * b.rows + r] = law.D[r];
  return of_block;
}

void NewtonIteration::add_block(int k, bool sticks) noexcept {
  const RowBlock& b = rows.blocks()[k];
  const double* h = slope(k, sticks);
  for (int r = 0; r < b.rows; ++r)
    lambda_next[b.first_row + r] = law_push(b.rows, r, lambda_next.data() + b.first_row, h, b.rows, j.data() + b.first_row,
                                            rows.aim().data() + b.first_row);
  const bool open = std::all_of(h, h + b.rows * b.rows, [](double x) { return x == 0; });
  if (!open) rows.add_product(b, h, H.data());
}

void NewtonIteration::add_slope(int k) noexcept {
  const RowBlock& b = rows.blocks()[k];
  const double* h = slopes.data() + static_cast<std::ptrdiff_t>(k) * LawNumbers::most_rows * LawNumbers::most_rows;
  std::array<double, LawNumbers::most_rows> dj{};
  for (int r = 0; r < b.rows; ++r) dj[r] = j_next[b.first_row + r] - j[b.first_row + r];
  for (int r = 0; r < b.rows; ++r)
    lambda_next[b.first_row + r] = law_next(b.rows, r, lambda_next.data() + b.first_row, h, b.rows, dj.data());
}

double NewtonIteration::residual(int& block) noexcept {
  forces(j.data(), f.data());
  double worst = 0;
  block = -1;
  for (std::size_t k = 0; k < rows.blocks().size(); ++k)
    for (int r = rows.blocks()[k].first_row; r < rows.blocks()[k].first_row + rows.blocks()[k].rows; ++r)
      if (!(std::abs(lambda[r] - f[r]) <= worst)) worst = std::abs(lambda[r] - f[r]), block = static_cast<int>(k);
  return worst;
}

double NewtonIteration::pull_hard_rows(int& block) noexcept {
  double worst = 0;
  for (std::size_t k = 0; k < rows.blocks().size(); ++k) {
    const RowBlock& b = rows.blocks()[k];
    if (!b.hard) continue;
    for (int r = 0; r < b.rows; ++r) {
      const int row = b.first_row + r;
      const double miss = std::abs(j[row]) / std::max(r < 3 ? b.unit : 1.0, std::abs(rows.aim()[row]));
      if (!(miss <= worst)) worst = miss, block = static_cast<int>(k);
      rows.states()[k].law.pull[r] = lambda[row];
    }
  }
  return worst;
}

void NewtonIteration::missed_by_inertia(std::vector<double>& to) const noexcept {
  to = push;
  for (std::size_t k = 0; k < to.size(); ++k)  // M is symmetric: along rows, several entries at a time
    for (std::size_t i = 0; i < to.size(); ++i) to[i] -= M[k * to.size() + i] * a[k];
}

void NewtonIteration::refine() noexcept {
  rows.miss(a.data(), j.data());
  forces(j.data(), f.data());
  missed_by_inertia(next);
  rows.add_transposed(f.data(), next.data());
  factor.solve(H.data(), next.data());
  for (std::size_t i = 0; i < next.size(); ++i) a[i] += next[i];
  rows.times<1>(next.data(), j_next.data());
  for (std::size_t r = 0; r < j.size(); ++r) j_next[r] += j[r];
  std::copy(f.begin(), f.end(), lambda_next.begin());
  for (std::size_t k = 0; k < rows.blocks().size(); ++k)
    if (rows.states()[k].active) add_slope(static_cast<int>(k));
  std::copy(lambda_next.begin(), lambda_next.end(), lambda.begin());
  std::copy(j_next.begin(), j_next.end(), j.begin());
}

bool NewtonIteration::settle_hard_rows(double left, ConstraintStatus& status) noexcept {
  constexpr double closed = 1e-11;  // beside what a row aims at
  double miss = pull_hard_rows(status.constraint);
  bool held = false;
  for (int k = 0; k < 4 && miss > 0 && !held; ++k) {
    held = miss <= closed;
    refine();
    const double off = residual(status.constraint), size = largest(lambda);
    if (off > left) {
      status.residual = size > 0 ? off / size : 0;
      return false;
    }
    miss = pull_hard_rows(status.constraint);
  }
  if (miss > closed) status.residual = miss;
  if (miss <= closed && hard_.has_redundant_rows()) drop_idle_forces();
  return miss <= closed;
}

void NewtonIteration::drop_idle_forces() noexcept {
  constexpr int most = 10;
  constexpr double settled = 1e-15;
  std::vector<double>&rest = lambda_next, &part = f;
  std::fill(rest.begin(), rest.end(), 0.0);
  const double size = largest(lambda);
  for (int row : hard_.rows()) rest[row] = lambda[row], lambda[row] = 0;
  double moved = size;
  for (int k = 0; k < most && moved > settled * size; ++k) {
    std::fill(next.begin(), next.end(), 0.0);
    rows.add_transposed(rest.data(), next.data());
    factor.solve(H.data(), next.data());
    rows.times<1>(next.data(), part.data());
    moved = 0;
    for (std::size_t b = 0; b < rows.blocks().size(); ++b) {
      const RowBlock& block = rows.blocks()[b];
      for (int r = 0; r < block.rows && block.hard; ++r) {
        const double seen =
            rows.states()[b].law.D[static_cast<std::size_t>(r)] * part[static_cast<std::size_t>(block.first_row + r)];
        lambda[block.first_row + r] += seen, rest[block.first_row + r] -= seen;
        if (!(std::abs(seen) <= moved)) moved = std::abs(seen);
      }
    }
  }
  if (!(moved <= settled * size)) {  // J M⁻¹ Jᵀ tells little beside R, and P keeps a part only
    for (int row : hard_.rows()) lambda[row] += rest[row];
    if (hard_.take(M.data()) < 0) hard_.keep_least(lambda.data());
  }
  pull_exactly();
  forces(j.data(), f.data());
}

bool NewtonIteration::moves_as_pushed() noexcept {
  constexpr double rounding = 1e-6;
  std::vector<double>& terms = rhs_;
  next = push;
  rows.add_transposed(lambda.data(), next.data());
  for (std::size_t i = 0; i < next.size(); ++i) terms[i] = std::abs(push[i]) + std::abs(next[i]);
  for (std::size_t k = 0; k < next.size(); ++k)  // M is symmetric: along rows, several entries at a time
    for (std::size_t i = 0; i < next.size(); ++i) {
      const double part = M[k * next.size() + i] * a[k];
      next[i] -= part, terms[i] += std::abs(part);
    }
  double missed = 0, all = 0;
  for (std::size_t i = 0; i < next.size(); ++i) missed += std::abs(next[i]), all += terms[i];
  return missed <= rounding * all;  // false of NaN
}

void NewtonIteration::start(bool warm) noexcept {
  for (std::size_t k = 0; k < rows.blocks().size(); ++k) {
    const RowBlock& b = rows.blocks()[k];
    const bool known = warm && was_active[k];
    for (int r = b.first_row; r < b.first_row + b.rows; ++r) j[r] = known ? j[r] : 0;
  }
  forces(j.data(), f.data());
}

ConstraintStatus NewtonIteration::iterate(bool warm) noexcept {
  exactly_ = false;
  if (hard_.any() && hard_.weak()) return iterate_exactly(warm);
  const ConstraintStatus status = iterate_as_chosen(warm);
  if (status.ok() || !hard_.any()) return status;
  const ConstraintStatus exact = iterate_exactly(false);
  return exact.ok() || exact.state == ConstraintState::rank_lost ? exact : status;
}

ConstraintStatus NewtonIteration::iterate_as_chosen(bool warm) noexcept {
  ConstraintStatus status;
  status.state = ConstraintState::not_converged;
  start(warm);
  double best = -1, longest = 0;
  int stalled = 0;
  for (status.iterations = 1; status.iterations <= options.iterations; ++status.iterations) {
    const bool first = status.iterations == 1;
    status.freedom = step(first && !warm);
    if (status.freedom >= 0) {
      status.state = ConstraintState::singular;
      return status;
    }
    const double alpha = first ? 1 : best_length();
    longest = std::max(longest, alpha);
    for (std::size_t r = 0; r < j.size(); ++r) {
      if (first)
        j[r] = j_next[r], lambda[r] = lambda_next[r];
      else
        j[r] += alpha * (j_next[r] - j[r]), lambda[r] += alpha * (lambda_next[r] - lambda[r]);
    }
    for (int i = 0; i < nv; ++i) a[i] = first ? next[i] : a[i] + alpha * (next[i] - a[i]);
    if (exactly_) pull_exactly();
    const double left = residual(status.constraint), size = largest(lambda);
    status.residual = size > 0 ? left / size : 0;
    bool done = left <= options.tolerance * size;
    stalled = best >= 0 && status.residual >= 0.5 * best ? stalled + 1 : 0;
    if (best < 0 || status.residual < best) best = status.residual;
    if (!done && stalled >= 4 && status.residual <= 1e4 * options.tolerance) done = true;  // rounding: no step helps
    if (!done) continue;
    if (exactly_) {
      if (!settle_exactly(std::max(2 * left, options.tolerance * size), status)) return status;
    } else if (!settle_hard_rows(std::max(2 * left, options.tolerance * size), status)) {
      best = -1, stalled = 0;
      forces(j.data(), f.data());
      continue;
    }
    if ((longest > 1 || hard_.any()) && !moves_as_pushed()) return status;
    status.state = ConstraintState::ok, status.constraint = -1;
    for (std::size_t k = 0; k < was_active.size(); ++k) was_active[k] = rows.states()[k].active;
    break;
  }
  return status;
}

}  // namespace sparsedyn
