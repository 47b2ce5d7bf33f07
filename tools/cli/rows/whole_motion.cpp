#include "whole_motion.hpp"

#include <algorithm>
#include <cmath>

#include "cli/simulation/trajectory.hpp"
#include "cli/support/messages.hpp"
#include "model/samples.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn::cli {
namespace {

constexpr int states = 3;
constexpr double same = 1e-8;  // relative difference, at velocities of 10 m/s

bool differ(double a, double b) { return std::abs(a - b) > same * std::max(1.0, std::abs(a)); }

/// What changes when the whole robot is elsewhere, or moves at another constant velocity, while its sensors read the same.
struct OfWholeMotion {
  std::vector<std::string> outputs;
  bool chi_square = false;
};

/// Judged by solving at random states twice.
OfWholeMotion of_whole_motion(const System& system, const std::vector<std::string>& names) {
  const Model& model = system.model();
  const Outputs outputs(system, names);
  std::vector<double> sigma(static_cast<std::size_t>(system.pattern().rows), 0.0);
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows(); ++k) sigma[m.first_row + k] = m.sigma[k];
  Random random(1);
  std::mt19937 rng(1);
  std::vector<double> v(static_cast<std::size_t>(model.nv)), y(system.inputs().size());
  std::vector<char> changed(names.size(), 0);
  OfWholeMotion found;
  for (int k = 0; k < states; ++k) {
    std::vector<double> q = normal_sample(model, rng);
    for (double& each : v) each = random.normal();
    for (double& each : y) each = random.normal();
    for (int i = 0; i < 3; ++i) q[i] = v[3 + i] = 0;
    const StateEstimate still = estimate_at_state(system, outputs, sigma, q.data(), v.data(), y.data());
    for (int i = 0; i < 3; ++i) q[i] = 10 * random.normal(), v[3 + i] = 10 * random.normal();
    const StateEstimate moving = estimate_at_state(system, outputs, sigma, q.data(), v.data(), y.data());
    for (std::size_t c = 0; c < still.outputs.size() && c < moving.outputs.size(); ++c)
      if (differ(still.outputs[c], moving.outputs[c])) changed[c] = 1;
    if (differ(still.chi_square, moving.chi_square)) found.chi_square = true;
  }
  for (std::size_t c = 0; c < changed.size(); ++c)
    if (changed[c]) found.outputs.push_back(names[c]);
  return found;
}

}  // namespace

std::unique_ptr<RowSolver> without_whole_motion(std::unique_ptr<RowSolver> row, const std::vector<std::string>& absent,
                                                Wanted wanted, const std::string& log, long header_line,
                                                const CommonOptions& common) {
  if (absent.empty()) return row;
  const std::vector<std::string> outputs(row->columns().begin(), row->columns().begin() + static_cast<long>(row->outputs()));
  OfWholeMotion changed = of_whole_motion(row->system(), outputs);
  std::vector<std::string> kept;
  for (const std::string& column : outputs)
    if (std::find(changed.outputs.begin(), changed.outputs.end(), column) == changed.outputs.end()) kept.push_back(column);
  const bool written = wanted.innovations && !wanted.for_page, drawn = wanted.for_page && changed.chi_square;
  if (changed.chi_square && written) changed.outputs.insert(changed.outputs.begin(), "chi2");
  const std::string missing = listing(absent), depending = listing(changed.outputs);
  if (kept.empty() || (changed.chi_square && written) || (!changed.outputs.empty() && !wanted.outputs.empty()))
    throw InputError(log, header_line, header_line > 0 ? "header" : "columns",
                     "no column " + missing + ", on which depends: " + depending,
                     "these columns, or --outputs that do not depend on them");
  const std::string header = log + (header_line > 0 ? ":" + std::to_string(header_line) : "") + ": ";
  note(common, header + "taken as zero, which changes nothing that is written: " + missing);
  if (changed.chi_square) warn(common, header + "the chi-square depends on these columns");
  if (changed.outputs.empty() && !drawn) return row;
  if (!changed.outputs.empty()) warn(common, header + "left out, for they depend on these: " + depending);
  if (drawn) wanted.innovations = false;  // a page does without them
  wanted.outputs = kept;
  return make_row_solver(row->shared_system(), wanted, common);
}

}  // namespace sparsedyn::cli
