// First derivatives beside complex steps of what they are the derivatives of.
#include "sparsedyn/dynamics/derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "complex_step.hpp"
#include "entry_names.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "term_sizes.hpp"

namespace sparsedyn::verification {
namespace {

class Derivatives final : public Check {
 public:
  explicit Derivatives(const Model& model) : model_(model), moments_(model), forward_(model), complex_(model) {}

  void at(const State& s) override {
    const auto n = static_cast<std::size_t>(model_.nv);
    std::vector<double> x(n), by_q(n * n), by_v(n * n), by_a(n * n);
    rnea_derivatives(model_, moments_, s.q.data(), s.v.data(), s.a.data(), s.fx.data(),
                     RneaDerivatives<double>{x.data(), by_q.data(), by_v.data(), by_a.data()});
    const auto torques = [&](const std::vector<Complex>& q, const std::vector<Complex>& v, const std::vector<Complex>& a,
                             std::vector<Complex>& y) {
      rnea(model_, complex_, q.data(), v.data(), a.data(), as_complex(s.fx).data(), y.data());
    };
    const TermSizes sizes(model_, s, by_a);
    const std::vector<double> terms_q = sizes.matrix([&](auto i, auto k) { return sizes.by_posture(i, k); });
    const std::vector<double> terms_v = sizes.matrix([&](auto i, auto k) { return sizes.by_rate(i, k); });
    torques_by_q_.add(s, by_q, columns([&](const std::vector<double>& e, auto& y) {
                        torques(stepped_posture(model_, s.q, e), as_complex(s.v), as_complex(s.a), y);
                      }),
                      terms_q);
    torques_by_v_.add(s, by_v, columns([&](const std::vector<double>& e, auto& y) {
                        torques(as_complex(s.q), stepped(s.v, e), as_complex(s.a), y);
                      }),
                      terms_v);
    torques_by_a_.add(s, by_a, columns([&](const std::vector<double>& e, auto& y) {
                        torques(as_complex(s.q), as_complex(s.v), stepped(s.a, e), y);
                      }));

    std::vector<double>& Minv = by_a;
    const bool answered = aba_derivatives(model_, forward_, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(),
                                          AbaDerivatives<double>{x.data(), by_q.data(), by_v.data(), Minv.data()})
                              .ok();
    const auto accelerations = [&](const std::vector<Complex>& q, const std::vector<Complex>& v, std::vector<Complex>& y) {
      aba(model_, complex_, q.data(), v.data(), as_complex(s.tau).data(), as_complex(s.fx).data(), y.data());
    };
    accelerations_by_q_.add_solved(s, by_q, answered, columns([&](const std::vector<double>& e, auto& y) {
                                     accelerations(stepped_posture(model_, s.q, e), as_complex(s.v), y);
                                   }),
                                   true, sizes_of_product(Minv, terms_q, n));
    accelerations_by_v_.add_solved(s, by_v, answered, columns([&](const std::vector<double>& e, auto& y) {
                                     accelerations(as_complex(s.q), stepped(s.v, e), y);
                                   }),
                                   true, sizes_of_product(Minv, terms_v, n));
  }

  void report(Verification& out) const override {
    const EntryNames names(model_);
    out.agreements.push_back(torques_by_q_.result(names.torques_by("q")));
    out.agreements.push_back(torques_by_v_.result(names.torques_by("dq")));
    out.agreements.push_back(torques_by_a_.result(names.torques_by("ddq")));
    out.agreements.push_back(accelerations_by_q_.result(names.accelerations_by("q")));
    out.agreements.push_back(accelerations_by_v_.result(names.accelerations_by("dq")));
  }

 private:
  /// |A| |B|, n × n: of M⁻¹ ∂τ/∂x, whose terms cancel where a joint does not feel the base's velocity.
  static std::vector<double> sizes_of_product(const std::vector<double>& A, const std::vector<double>& B, std::size_t n) {
    std::vector<double> sizes(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k) sizes[i * n + k] += std::abs(A[i * n + j] * B[j * n + k]);
    return sizes;
  }

  /// f(e_k, y), nv numbers along each unit vector, as the columns of a matrix.
  template <class Along>
  std::vector<double> columns(const Along& f) const {
    const auto n = static_cast<std::size_t>(model_.nv);
    std::vector<double> J(n * n);
    std::vector<Complex> y(n);
    for (std::size_t k = 0; k < n; ++k) {
      f(unit(model_.nv, static_cast<int>(k)), y);
      for (std::size_t i = 0; i < n; ++i) J[i * n + k] = y[i].imag() / complex_step;
    }
    return J;
  }

  const Model& model_;
  MomentWorkspace<double> moments_;
  AbaDerivativeWorkspace<double> forward_;
  Workspace<Complex> complex_;
  Comparison torques_by_q_{"dtau_dq", "analytic", "complex steps of rnea"};
  Comparison torques_by_v_{"dtau_dv", "analytic", "complex steps of rnea"};
  Comparison torques_by_a_{"M", "analytic", "complex steps of rnea"};
  Comparison accelerations_by_q_{"dddq_dq", "analytic", "complex steps of aba"};
  Comparison accelerations_by_v_{"dddq_dv", "analytic", "complex steps of aba"};
};

}  // namespace

std::unique_ptr<Check> derivatives_check(const Model& model) { return std::make_unique<Derivatives>(model); }

}  // namespace sparsedyn::verification
