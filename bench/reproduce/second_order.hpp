// Second derivatives of inverse or forward dynamics of one model in every way that is compared, and how far two of them are
// apart.
#pragma once

#include <memory>
#include <vector>

#include "reference/reference_second_derivatives.hpp"

namespace sparsedyn::reproduce {

/// All four tensors of DynamicsSecondDerivatives, one after the other.
class Tensors {
 public:
  explicit Tensors(int nv) : size_(static_cast<std::size_t>(nv) * nv * nv), values_(4 * size_) {}
  double* tensor(int k) { return values_.data() + static_cast<std::size_t>(k) * size_; }
  DynamicsSecondDerivatives out() { return {tensor(0), tensor(1), tensor(2), tensor(3)}; }
  const std::vector<double>& values() const { return values_; }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

/// `reference`: by SecondReferenceMethod and step. `analytic`: this library's, as dense tensors. For inverse dynamics also
/// `sparse`: only the triples on a branch, as rnea_second_derivatives leaves them, and `first`: first derivatives, for
/// comparison; both write no tensors.
enum class Kind { reference, analytic, sparse, first };

struct Way {
  const char* name;
  Kind kind;
  SecondReferenceMethod method;
  double step;
};
/// The reference of errors comes first.
std::vector<Way> ways_of(Dynamics dynamics);

class SecondOrder {
 public:
  /// The model must outlive it.
  SecondOrder(const Model& model, Dynamics dynamics);
  ~SecondOrder();
  /// x: a for inverse, τ for forward dynamics.
  void evaluate(const Way& way, const double* q, const double* v, const double* x, Tensors& out);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// Over all entries of the tensors: largest and root-mean-square absolute error; the same of errors relative to the reference's
/// entry, of those entries that are larger than 1e-10 of the largest (in the others rounding is all there is).
struct ErrorMetrics {
  double mae, rmsae, mre, rmsre;
};
ErrorMetrics error_metrics(const std::vector<double>& x, const std::vector<double>& reference);

/// t = exp(intercept) n^slope by least squares on logarithms.
struct PowerLaw {
  double slope, intercept;
};
PowerLaw fit_power_law(const std::vector<std::pair<double, double>>& points);

}  // namespace sparsedyn::reproduce
