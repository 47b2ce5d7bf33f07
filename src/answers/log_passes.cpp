#include "log_passes.hpp"

namespace sparsedyn {
namespace {

/// Samples by batches.
class Batches {
 public:
  Batches(NextSample next, std::size_t size) : next_(std::move(next)), samples_(size) {}
  /// The next ones; none: the log has ended.
  const std::vector<const double*>& take() {
    rows_.clear();
    while (rows_.size() < samples_.size() && next_(samples_[rows_.size()])) rows_.push_back(samples_[rows_.size()].data());
    return rows_;
  }

 private:
  NextSample next_;
  std::vector<std::vector<double>> samples_;
  std::vector<const double*> rows_;
};

}  // namespace

void learn_from(SensorSolver& solver, const LogOfSamples& log) {
  while (solver.learning()) {
    solver.begin_pass();
    Batches batches(log(), solver.batch());
    for (const auto* rows = &batches.take(); !rows->empty() && solver.learn(*rows); rows = &batches.take()) {
    }
    solver.end_pass();
  }
}

double deviation_scale_of(const SensorSolver& solver, const LogOfSamples& log) {
  if (!solver.report().redundant) return 1;
  SensorSolver glance = solver.for_another_thread();
  const Model& model = solver.system().model();
  std::vector<double> results(glance.columns().size());
  Batches batches(log(), glance.batch());
  for (const auto* rows = &batches.take(); !rows->empty(); rows = &batches.take()) {
    glance.expect(*rows);
    for (const double* q : *rows) glance.solve(q, q + model.nq, q + model.nq + model.nv, results.data());
  }
  const SolveReport report = glance.report();
  return deviation_scale({report.chi_square, report.expected_chi_square});
}

}  // namespace sparsedyn
