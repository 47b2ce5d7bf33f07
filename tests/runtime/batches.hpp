// Samples estimated together beside the same samples estimated one by one: equal to the last bit.
#pragma once

#include "reference.hpp"

namespace sparsedyn::test {

/// Equal numbers, or NaN both.
inline bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  bool all = a.size() == b.size();
  for (std::size_t k = 0; all && k < a.size(); ++k) all = same(a[k], b[k]);
  return all;
}

/// All that an estimator says of a sample.
struct Answer {
  EstimateStatus status;
  std::string words;
  std::vector<double> out, deviations, innovations, unknowns, residuals;
};

inline Answer answer_of(const Estimator& estimator, const EstimateStatus& status, const std::vector<double>& out) {
  Answer answer{status, estimator.describe(status), {}, {}, {}, {}, {}};
  if (!status.ok()) return answer;
  answer.out = out, answer.deviations = estimator.standard_deviations(), answer.innovations = estimator.innovations();
  const Pattern& pattern = estimator.system().pattern();
  answer.unknowns.assign(estimator.unknowns(), estimator.unknowns() + pattern.columns);
  for (int r = 0; r < pattern.rows; ++r) answer.residuals.push_back(estimator.weight(r) * estimator.residual(r));
  return answer;
}

inline void check_same(const Answer& together, const Answer& alone) {
  CHECK(together.words == alone.words);
  CHECK(together.status.state == alone.status.state);
  CHECK(same(together.status.backward_error, alone.status.backward_error));
  CHECK(same(together.status.componentwise_error, alone.status.componentwise_error));
  CHECK(same(together.status.growth, alone.status.growth));
  CHECK(together.status.chi_square == alone.status.chi_square);
  CHECK(together.status.redundancy == alone.status.redundancy);
  CHECK(together.status.missing == alone.status.missing);
  CHECK(same(together.out, alone.out));
  CHECK(same(together.deviations, alone.deviations));
  CHECK(same(together.innovations, alone.innovations));
  CHECK(same(together.unknowns, alone.unknowns));
  CHECK(same(together.residuals, alone.residuals));
}

/// At most Batch::lanes samples.
inline void check_batch(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan,
                        EstimatorOptions options, const std::vector<SampleState>& samples) {
  Estimator one_by_one(system, plan, options);
  options.in_batches = true;
  Estimator together(system, plan, options);
  std::vector<Estimator::Inputs> inputs;
  for (const SampleState& s : samples) inputs.push_back({s.q.data(), s.v.data(), s.y.data()});
  std::vector<double> out(together.output_columns().size());
  together.prepare(inputs.data(), static_cast<int>(inputs.size()));
  for (std::size_t k = 0; k < samples.size(); ++k) {
    INFO("sample " << k << " of " << samples.size());
    const EstimateStatus taken = together.take(static_cast<int>(k), out.data());
    const Answer from_batch = answer_of(together, taken, out);
    const EstimateStatus alone = one_by_one.estimate(inputs[k].q, inputs[k].v, inputs[k].y, out.data());
    check_same(from_batch, answer_of(one_by_one, alone, out));
  }
  CHECK(together.counts().solved == one_by_one.counts().solved);
  CHECK(together.counts().failed == one_by_one.counts().failed);
  CHECK(together.counts().refined == one_by_one.counts().refined);
  CHECK(together.replanned() == one_by_one.replanned());
}

}  // namespace sparsedyn::test
