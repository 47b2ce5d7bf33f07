#include "curved_answer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "codegen/contacts/contact_slopes.hpp"
#include "constraints/derivatives/moved.hpp"
#include "contact_curvature.hpp"
#include "loop_curvature.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn {
namespace {

LawGrip grip_at(const RowBlock& b, double r) {
  return law_grip_at(b.pull.K, r, impedance_at(b.impedance, r), impedance_slope(b.impedance, r),
                     impedance_curvature(b.impedance, r));
}

/// j along a pyramid's directions, from its edges n ± μ t.
void along_directions(const RowBlock& b, const double* edges, double* j) {
  j[0] = 0.5 * (edges[0] + edges[1]);
  for (std::size_t k = 0; k < b.friction.size(); ++k)
    j[1 + k] = b.friction[k] > 0 ? 0.5 * (edges[2 * k] - edges[2 * k + 1]) / b.friction[k] : 0;
}

}  // namespace

CurvedAnswer::CurvedAnswer(const Model& model, const std::vector<RowBlock>& blocks)
    : model_(model),
      n_(static_cast<std::size_t>(model.nv)),
      width_(static_cast<std::size_t>(SlopePorts::width(model))),
      ws_(model),
      contraction_(model),
      eta_(n_, blocks) {
  const ContactLayout layout = contact_layout(model, blocks);
  places_ = loop_places(layout);
  if (!layout.contacts.empty() || !layout.loops.empty()) curvature_.emplace(constraint_curvature(model, layout));
  if (!layout.contacts.empty()) slopes_.emplace(touch_slopes(model, layout));
  if (!layout.loops.empty()) turns_.emplace(loop_turns(model, layout));
  if (welds_of(layout) > 0) moments_.emplace(moment_multipliers(model, layout));
  touches_.resize(layout.contacts.size());
  for (std::size_t c = 0; c < touches_.size(); ++c) touches_[c].n = layout.contacts[c]->directions();
  for (auto* matrix : {&qq_, &qv_, &vv_, &Mq_}) matrix->resize(n_ * n_);
  mu_.resize(n_), row_.resize(3 * n_), A_.resize(3 * n_ * n_), loop_w_.resize(static_cast<std::size_t>(places_.back().row));
  for (auto* matrix : {&G_, &W_}) matrix->resize(9 * n_ * n_);
  if (turns_) shared_.emplace(n_, blocks);
}

bool CurvedAnswer::bend(const ConstraintAnswer& at, const State& state, const ConstraintDerivatives& first,
                        double* H) noexcept {
  start(at, state, first);
  bend_robot(state, first.a);
  for (auto* stage : {&curvature_, &slopes_, &turns_})
    if (*stage) {
      (*stage)->set("q", state.q), (*stage)->set("dq", state.v);
      (*stage)->set("ddq", first.a), (*stage)->set("mu", mu_.data());
    }
  bool known = (!slopes_ || meet_contacts(at)) && (!turns_ || meet_loops(at, state)) && (!curvature_ || curvature_->evaluate());
  if (moments_ && eta_.any()) known = known && meet_moments(at, state);
  if (known) {
    add_constraints();
    add_stops(at);
    add_loop_forces(at);
    if (eta_.any() && at.redundant && turns_)
      known = shared_->add(at, eta_.by_row(), *curvature_, *turns_, moments_ ? &*moments_ : nullptr, G_.data(), W_.data());
  }
  if (!known) {
    std::fill_n(H, 9 * n_ * n_, std::nan(""));
    return false;
  }
  return assemble(H);
}

/// A = ∂a/∂(q, v, τ), and μ = −(∂a/∂τ)ᵀ λ − (∂f/∂τ)ᵀ η.
void CurvedAnswer::start(const ConstraintAnswer& at, const State& state, const ConstraintDerivatives& first) noexcept {
  const double* const by[] = {first.da_dq, first.da_dv, first.da_dtau};
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t part = 0; part < 3; ++part) std::copy_n(by[part] + i * n_, n_, A_.data() + i * 3 * n_ + part * n_);
  for (auto* numbers : {&mu_, &G_, &W_}) std::fill(numbers->begin(), numbers->end(), 0.0);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < n_; ++k) mu_[k] -= state.lambda[i] * first.da_dtau[i * n_ + k];
  eta_.take(at, state.eta);
  for (std::size_t k = 0; k < n_ && eta_.any(); ++k) mu_[k] -= eta_.moved()[k];
}

/// μᵀ ∂²ID.
void CurvedAnswer::bend_robot(const State& state, const double* a) noexcept {
  rnea_contraction<double>(model_, contraction_, state.q, state.v, a, state.fx, mu_.data(),
                           Contraction<double>{qq_.data(), qv_.data(), vv_.data(), Mq_.data()});
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < n_; ++k) {
      G(i, k) += 0.5 * (qq_[i * n_ + k] + qq_[k * n_ + i]);
      G(n_ + i, n_ + k) += vv_[std::max(i, k) * n_ + std::min(i, k)];
      add_both(n_ + i, k, qv_[k * n_ + i]);
      add_both(2 * n_ + i, k, Mq_[i * n_ + k]);
    }
}

/// How contacts bend, and what curvature_ needs of them.
bool CurvedAnswer::meet_contacts(const ConstraintAnswer& at) noexcept {
  if (!slopes_->evaluate()) return false;
  const double* w = slopes_->output("w");
  double *const on_w = curvature_->input("on_w"), *const on_p = curvature_->input("on_p"),
                *const on_r = curvature_->input("on_r");
  std::size_t contact = 0, first = 0;
  for (std::size_t k = 0; k < at.rows.blocks().size(); ++k) {
    if (!at.rows.blocks()[k].is_contact()) continue;
    Touch& touch = touches_[contact];
    const auto n = static_cast<std::size_t>(touch.n);
    touch.counts = at.rows.states()[k].active;
    std::array<double, 6> force{};
    if (touch.counts) meet_contact(at, k, w + first, touch, force.data());
    for (std::size_t d = 0; d < n; ++d) on_w[first + d] = force[d], on_p[first + d] = touch.counts ? touch.bend.by_p[d] : 0;
    on_r[contact++] = touch.counts ? touch.bend.by_r : 0;
    first += n;
  }
  return true;
}

void CurvedAnswer::meet_contact(const ConstraintAnswer& at, std::size_t block, const double* w, Touch& touch,
                                double* on) noexcept {
  const RowBlock& b = at.rows.blocks()[block];
  const RowBlockState& s = at.rows.states()[block];
  const bool pyramid = b.rows != touch.n;
  const std::array<double, 6> force = forces_along(b, at.f + b.first_row);
  std::array<double, 6> j{}, tested = eta_.along(at, block);
  for (int k = 0; k < touch.n; ++k) tested[static_cast<std::size_t>(k)] = w[k] - tested[static_cast<std::size_t>(k)];
  std::copy(force.begin(), force.end(), on);
  if (pyramid) {
    std::array<double, 6> f;
    along_directions(b, at.j + b.first_row, j.data());
    law_pyramid(touch.n, b.friction.data(), s.law.D[0], j.data(), f.data(), touch.h.data(), touch.n);
  } else {
    std::copy_n(at.j + b.first_row, touch.n, j.data());
    std::copy_n(at.slopes_of(block), touch.n * touch.n, touch.h.data());
  }
  const LawGrip grip = grip_at(b, s.gap - b.margin);
  law_bend_of(touch.n, pyramid ? nullptr : s.law.friction.data(), s.law.mu, s.law.sliding, j.data(), force.data(),
              touch.h.data(), touch.n, &grip, tested.data(), &touch.bend);
}

/// w − η, ν and the law of every loop, along the world's axes; and ∂w/∂q.
bool CurvedAnswer::meet_loops(const ConstraintAnswer& at, const State& state) noexcept {
  forward_kinematics<double>(model_, ws_, state.q, nullptr, nullptr);
  double *const loops = curvature_->input("loops"), *const bends = curvature_->input("loop_bends"),
                *const turn = curvature_->input("turn"), *const force = curvature_->input("loop_force"),
                *const nu = curvature_->input("loop_nu");
  for (int k = 0; k < 9; ++k) turn[k] = k % 4 == 0;
  std::size_t loop = 0, bend = 0;
  for (std::size_t k = 0; k < at.rows.blocks().size(); ++k) {
    const RowBlock& b = at.rows.blocks()[k];
    if (!is_loop(b.type)) continue;
    const LoopPlace& place = places_[loop++];
    for (int r = 0; r < b.rows; ++r) {
      const int row = b.first_row + r;
      const double* by_tau = at.derivatives.by_tau(row);
      const auto own = static_cast<std::size_t>(place.row + r);
      force[own] = at.f[row], nu[own] = std::inner_product(by_tau, by_tau + n_, state.lambda, 0.0);
      loop_w_[own] = 0;
      for (int i : b.freedoms) loop_w_[own] += at.rows.row(row)[i] * mu_[static_cast<std::size_t>(i)];
      if (!eta_.any()) continue;
      nu[own] += eta_.adjoint(at, k, row), loop_w_[own] -= eta_.by_row()[static_cast<std::size_t>(row)];
    }
    meet_loop(at, b, at.rows.states()[k], static_cast<std::size_t>(place.row), loops + place.number, bends + bend);
    bend += static_cast<std::size_t>(bends_of(b));
  }
  for (auto* stage : {&turns_, &moments_})
    for (const char* name : {"loops", "turn", "loop_bends", "loop_force", "loop_nu"})
      if (*stage) (*stage)->set(name, curvature_->input(name));
  return turns_->evaluate();
}

/// A loop's numbers at the state itself, as LoopPorts has them.
void CurvedAnswer::meet_loop(const ConstraintAnswer& at, const RowBlock& b, const RowBlockState& s, std::size_t number,
                             double* loops, double* bends) noexcept {
  constexpr double least = 1e-100;  // whose square is a number
  double square = 0, power = 0;
  for (int r = 0; r < b.rows; ++r) {
    if (r < 3) loops[r] = s.error[static_cast<std::size_t>(r)];
    square += s.error[static_cast<std::size_t>(r)] * s.error[static_cast<std::size_t>(r)];
    power += loop_w_[number + static_cast<std::size_t>(r)] * at.f[b.first_row + r];
  }
  const double size = std::sqrt(square);
  law_loop_bend(b.hard, b.omega, b.pull.K, size, size > least && !at_kink(b.impedance, size), impedance_at(b.impedance, size),
                impedance_slope(b.impedance, size), impedance_curvature(b.impedance, size), power, bends);
  if (b.rows != 6) return;
  Mat3<double> R[2];
  for (int k = 0; k < 2; ++k) R[k] = b.link[k] < 0 ? b.frames[k].R : link_pose(model_, ws_, b.link[k]).R * b.frames[k].R;
  const Mat3<double> relative = transpose(R[1]) * R[0];
  for (int k = 0; k < 9; ++k) loops[9 + k] = relative(k / 3, k % 3);
  const std::array<double, 4> u = quaternion_from_rotation(relative);
  std::copy(u.begin(), u.end(), bends + 5);
}

/// What straight lines say, and dsᵀ ψ_ss ds of the contacts.
void CurvedAnswer::add_constraints() noexcept {
  if (!curvature_) return;
  const double *qq = curvature_->output("qq"), *vv = curvature_->output("vv"), *vq = curvature_->output("vq"),
               *aq = curvature_->output("aq");
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < n_; ++k) {
      const std::size_t low = std::min(i, k), high = std::max(i, k), at = high * (high + 1) / 2 + low;
      G(i, k) += qq[at], G(n_ + i, n_ + k) += vv[at];
      add_both(n_ + i, k, vq[i * n_ + k]), add_both(2 * n_ + i, k, aq[i * n_ + k]);
    }
  const double* of_contact = slopes_ ? slopes_->output("touch_slopes") : nullptr;
  for (const Touch& touch : touches_) {
    if (touch.counts) add_contact(touch, of_contact);
    of_contact += (2 * static_cast<std::size_t>(touch.n) + 1) * width_;
  }
}

/// G −= dsᵀ ψ_ss ds; slopes: ds by rows, w and p of each direction, then r.
void CurvedAnswer::add_contact(const Touch& touch, const double* slopes) noexcept {
  const int n = touch.n, r = 2 * n;
  const LawBend& b = touch.bend;
  const auto psi = [&](int x, int y) {  // x ≤ y
    if (y == r) return x == r ? b.rr : x < n ? b.wr[x] : b.pr[x - n];
    if (x >= n) return b.pp[x - n][y - n];
    return y < n ? 0.0 : -touch.h[static_cast<std::size_t>(x * n + y - n)];
  };
  for (int x = 0; x <= r; ++x) {
    std::fill(row_.begin(), row_.end(), 0.0);
    for (int y = 0; y <= r; ++y) {
      const double by = psi(std::min(x, y), std::max(x, y));
      const double* of_y = slopes + static_cast<std::size_t>(y) * width_;
      for (std::size_t e = 0; e < 3 * n_ && by != 0; ++e) row_[e] += by * of_y[e];
    }
    const double* of_x = slopes + static_cast<std::size_t>(x) * width_;
    for (std::size_t i = 0; i < 3 * n_; ++i)
      for (std::size_t e = 0; e < 3 * n_ && of_x[i] != 0; ++e) G(i, e) -= of_x[i] * row_[e];
  }
}

/// Stops: w = slope μ_i is constant, p = slope (a + B v), r the distance less the margin. Dry friction does not bend.
void CurvedAnswer::add_stops(const ConstraintAnswer& at) noexcept {
  for (std::size_t k = 0; k < at.rows.blocks().size(); ++k) {
    const RowBlock& b = at.rows.blocks()[k];
    if (b.type != ConstraintType::limit) continue;
    const auto i = static_cast<std::size_t>(b.freedom[0]);
    const double q = at.rows.tree_q()[b.coordinate[0]], square = b.ratio[0] * b.ratio[0];
    for (int side = 0; side < 2; ++side) {
      const double h = at.slopes_of(k)[side * 2 + side];
      if (!at.rows.states()[k].active || h == 0) continue;
      const LawGrip grip = grip_at(b, (side == 0 ? q - b.lower : b.upper - q) - b.margin);
      double pr, rr;
      const double w = (side == 0 ? 1 : -1) * b.ratio[0] * mu_[i],
                   eta = eta_.any() ? eta_.by_row()[static_cast<std::size_t>(b.first_row + side)] : 0;
      law_stop_bend(at.f[b.first_row + side], h, &grip, w - eta, &pr, &rr);
      G(i, i) -= square * rr;
      add_both(n_ + i, i, -b.pull.B * square * pr), add_both(2 * n_ + i, i, -square * pr);
    }
  }
}

/// η of a weld's rows turns with q: f ∂²η.
bool CurvedAnswer::meet_moments(const ConstraintAnswer& at, const State& state) noexcept {
  double* eta = moments_->input("loop_eta");
  for (const RowBlock& b : at.rows.blocks())
    if (b.type == ConstraintType::weld) eta = std::copy_n(eta_.written(b), 3, eta);
  moments_->set("q", state.q);
  if (!moments_->evaluate()) return false;
  const double* bends = moments_->output("eta_bends");
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k <= i; ++k, ++bends) {
      G(i, k) += *bends;
      if (k < i) G(k, i) += *bends;
    }
  return true;
}

/// Into W = G_xa A: (ν ∂R − ∂w) ∂fᵀ, of which a soft row's ν ∂R is −w ∂ ln D, w less η.
void CurvedAnswer::add_loop_forces(const ConstraintAnswer& at) noexcept {
  if (!turns_) return;
  const double* turned = turns_->output("loop_turns");
  const double* turned_eta = moments_ && eta_.any() ? moments_->output("eta_turns") : nullptr;
  std::size_t loop = 0;
  for (const RowBlock& b : at.rows.blocks()) {
    if (!is_loop(b.type)) continue;
    const LoopPlace& place = places_[loop++];
    for (int i : b.freedoms)
      for (int r = 0; r < b.rows; ++r) {
        const int row = b.first_row + r;
        const double firm =
            b.hard ? 0 : loop_w_[static_cast<std::size_t>(place.row + r)] * at.derivatives.stiffness_by_q(row)[i];
        double by = -*turned++ - firm;
        if (turned_eta && r >= 3) by += *turned_eta++;
        const double* of_row = at.derivatives.by_row() + static_cast<std::size_t>(row) * 3 * n_;
        for (std::size_t e = 0; e < 3 * n_; ++e) W_[static_cast<std::size_t>(i) * 3 * n_ + e] += by * of_row[e];
      }
  }
}

bool CurvedAnswer::assemble(double* H) noexcept {
  const std::size_t width = 3 * n_;
  for (std::size_t i = 0; i < 2 * n_; ++i)
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t e = 0; e < width && G(i, 2 * n_ + k) != 0; ++e)
        W_[i * width + e] += G(i, 2 * n_ + k) * A_[k * width + e];
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t k = 0; k < width; ++k)
      H[i * width + k] = W_[i * width + k] + W_[k * width + i] + (i < 2 * n_ && k < 2 * n_ ? G(i, k) : 0);
  for (std::size_t k = 0; k < n_; ++k) {
    std::fill(row_.begin(), row_.end(), 0.0);
    for (std::size_t l = 0; l < n_; ++l)
      for (std::size_t e = 0; e < width && G(2 * n_ + k, 2 * n_ + l) != 0; ++e)
        row_[e] += G(2 * n_ + k, 2 * n_ + l) * A_[l * width + e];
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t e = 0; e < width; ++e) H[i * width + e] += A_[k * width + i] * row_[e];
  }
  for (std::size_t i = 0; i < width; ++i)  // to the bit
    for (std::size_t k = 0; k < i; ++k) H[i * width + k] = H[k * width + i] = 0.5 * (H[i * width + k] + H[k * width + i]);
  return finite(H, static_cast<int>(width * width));
}

}  // namespace sparsedyn
