// compute rnea-second-derivatives, compute aba-second-derivatives: the entries that the tree allows, in long form; contracted
// with multipliers, matrices row by row.
#include "algorithm.hpp"
#include "cli/logs/log_columns.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn::cli {
namespace {

const std::vector<std::string> inverse_tensors{"d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "dM_dq"};
const std::vector<std::string> forward_tensors{"d2ddq_dqdq", "d2ddq_dqdv", "d2ddq_dvdv", "d2ddq_dqdtau"};

/// Torques feel freedoms on one branch; accelerations those of one tree, where the fixed base has several.
template <class Visit>
void for_each_in_one_tree(const BranchRows& rows, Visit&& visit) {
  const auto root = [&](int x) { return rows.path(x)[0]; };
  for (int a = 0; a < rows.n(); ++a)
    for (int b = 0; b < rows.n(); ++b)
      for (int c = 0; c < rows.n(); ++c)
        if (root(a) == root(b) && root(b) == root(c)) visit(a, b, c);
}

std::string entry_name(const std::string& tensor, int a, int b, int c) {
  return tensor + '.' + std::to_string(a) + '.' + std::to_string(b) + '.' + std::to_string(c);
}

class RneaSecondDerivativeRows : public Evaluation {
 public:
  explicit RneaSecondDerivativeRows(const Model& model) : model_(model), work_(model), second_(model) {}
  bool evaluate(const State& s, double* out) noexcept override {
    rnea_second_derivatives(model_, work_, s.q, s.v, s.a, s.fx, second_);
    const auto write = [&](auto entry) {
      for_each_triple(model_, second_.index(), [&](int a, int b, int c) { *out++ = (second_.*entry)(a, b, c); });
    };
    using Second = SecondDerivatives<double>;
    write(&Second::qq), write(&Second::qv), write(&Second::vv), write(&Second::Mq);
    return true;
  }

 private:
  const Model& model_;
  SecondWorkspace<double> work_;
  SecondDerivatives<double> second_;
};

class RneaContractionRows : public Evaluation {
 public:
  explicit RneaContractionRows(const Model& model) : model_(model), work_(model) {}
  bool evaluate(const State& s, double* out) noexcept override {
    const int size = model_.nv * model_.nv;
    rnea_contraction(model_, work_, s.q, s.v, s.a, s.fx, s.lambda, {out, out + size, out + 2 * size, out + 3 * size});
    return true;
  }

 private:
  const Model& model_;
  ContractionWorkspace<double> work_;
};

/// What both forms of forward dynamics have: first derivatives, which are not put out, and the reason for a failure.
class ForwardRows : public Evaluation {
 public:
  explicit ForwardRows(const Model& model) : model_(model), a_(model.nv), first_(3 * model.nv * model.nv) {}
  std::string why() const override {
    return status_.ok() ? Evaluation::why() : "singular at ddq." + velocity_names(model_)[status_.singular];
  }

 protected:
  AbaDerivatives<double> first() {
    const int size = model_.nv * model_.nv;
    return {a_.data(), first_.data(), first_.data() + size, first_.data() + 2 * size};
  }
  const Model& model_;
  DynamicsStatus status_;

 private:
  std::vector<double> a_, first_;
};

class AbaSecondDerivativeRows : public ForwardRows {
 public:
  explicit AbaSecondDerivativeRows(const Model& model)
      : ForwardRows(model), work_(model), tensors_(4, std::vector<double>(model.nv * model.nv * model.nv)) {}
  bool evaluate(const State& s, double* out) noexcept override {
    status_ = aba_second_derivatives(model_, work_, s.q, s.v, s.tau, s.fx, first(),
                                     {tensors_[0].data(), tensors_[1].data(), tensors_[2].data(), tensors_[3].data()});
    const int n = model_.nv;
    for (const std::vector<double>& tensor : tensors_)
      for_each_in_one_tree(work_.first.factors.rows(), [&](int a, int b, int c) { *out++ = tensor[(a * n + b) * n + c]; });
    return status_.ok();
  }

 private:
  AbaSecondWorkspace<double> work_;
  std::vector<std::vector<double>> tensors_;
};

class AbaContractionRows : public ForwardRows {
 public:
  explicit AbaContractionRows(const Model& model) : ForwardRows(model), work_(model) {}
  bool evaluate(const State& s, double* out) noexcept override {
    const int size = model_.nv * model_.nv;
    status_ = aba_contraction(model_, work_, s.q, s.v, s.tau, s.fx, s.lambda, first(),
                              {out, out + size, out + 2 * size, out + 3 * size});
    return status_.ok();
  }

 private:
  AbaContractionWorkspace<double> work_;
};

template <class Rows>
std::unique_ptr<Evaluation> prepared(const Model& model) {
  return std::make_unique<Rows>(model);
}

const Algorithm rnea_contraction_algorithm{"rnea-second-derivatives",
                                           "",
                                           {true, true, false, true, true},
                                           [](const Model& model) { return matrix_columns(model, inverse_tensors); },
                                           prepared<RneaContractionRows>};

const Algorithm aba_contraction_algorithm{"aba-second-derivatives",
                                          "",
                                          {true, false, true, true, true},
                                          [](const Model& model) { return matrix_columns(model, forward_tensors); },
                                          prepared<AbaContractionRows>};

}  // namespace

const Algorithm rnea_second_derivatives_algorithm{
    "rnea-second-derivatives",
    "second derivatives of inverse dynamics, one entry a line: q, dq, ddq, fx -> d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, dM_dq",
    {true, true, false, true},
    [](const Model& model) {
      std::vector<std::string> names;
      const TensorIndex index(model.tree());
      for (const std::string& tensor : inverse_tensors)
        for_each_triple(model, index, [&](int a, int b, int c) { names.push_back(entry_name(tensor, a, b, c)); });
      return names;
    },
    prepared<RneaSecondDerivativeRows>,
    true,
    &rnea_contraction_algorithm};

const Algorithm aba_second_derivatives_algorithm{
    "aba-second-derivatives",
    "second derivatives of forward dynamics, likewise: q, dq, tau, fx -> d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau",
    {true, false, true, true},
    [](const Model& model) {
      std::vector<std::string> names;
      const BranchRows rows(parent_freedoms(model));
      for (const std::string& tensor : forward_tensors)
        for_each_in_one_tree(rows, [&](int a, int b, int c) { names.push_back(entry_name(tensor, a, b, c)); });
      return names;
    },
    prepared<AbaSecondDerivativeRows>,
    true,
    &aba_contraction_algorithm};

}  // namespace sparsedyn::cli
