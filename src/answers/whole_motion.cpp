#include "whole_motion.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "io/suggestions.hpp"
#include "logs/column_map.hpp"
#include "model/samples.hpp"
#include "scalar/draw.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/model/detail/natural_units.hpp"
#include "sparsedyn/runtime/estimate_at_state.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {
namespace {

using Normal = NormalDraw<std::mt19937>;

constexpr int states = 3;
constexpr double same = 1e-8;  // difference, at velocities of 10 m/s, beside the number or what is of order one

bool differ(double a, double b, double one) { return std::abs(a - b) > same * std::max(one, std::abs(a)); }

/// What is of order one of an output, by its name.
double one_of(const Model& model, const std::string& output) {
  const NaturalUnits units = natural_units(model);
  const std::size_t dot = output.find('.');
  if (dot == std::string::npos) return 1;
  const std::string kind = output.substr(0, dot), rest = output.substr(dot + 1);
  const bool force = kind != "acc" && kind != "ddq";
  const int joint = model.find_joint(rest);
  bool along = output[output.rfind('.') + 1] == (force ? 'f' : 'v');
  if (joint >= 0 && model.joints[static_cast<std::size_t>(joint)].nv == 1)
    along = model.joints[static_cast<std::size_t>(joint)].kind == JointKind::prismatic;
  if (force) return along ? units.force() : units.moment();
  return along ? units.acceleration() : 1;
}

/// What changes with some of these columns, while the robot's sensors read the same.
struct OfWholeMotion {
  std::vector<std::string> columns;  // those of `absent` that something changes with
  std::vector<std::string> outputs;
  bool chi_square = false;
};

/// Sets the flagged ones of whole_motion_columns(), which are the first entries of q and the last of the base's six in v, to
/// random numbers of that size.
void set_whole_motion(const std::vector<char>& absent, double size, Normal& normal, double* q, double* v) {
  for (std::size_t k = 0; k < absent.size(); ++k)
    if (absent[k]) (k < 3 ? q[k] : v[k]) = size == 0 ? 0.0 : size * normal();
}

/// Judged by solving at random states twice.
OfWholeMotion changing_with(const System& system, const std::vector<std::string>& names, const std::vector<char>& absent) {
  const Model& model = system.model();
  const Outputs outputs(system, names);
  std::vector<double> sigma(static_cast<std::size_t>(system.pattern().rows), 0.0);
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows(); ++k) sigma[m.first_row + k] = m.sigma[k];
  std::mt19937 rng(1);
  Normal normal(rng);
  std::vector<double> v(static_cast<std::size_t>(model.nv)), y(system.inputs().size());
  std::vector<char> changed(names.size(), 0);
  std::vector<double> one;
  for (const std::string& name : names) one.push_back(one_of(model, name));
  OfWholeMotion found;
  for (int k = 0; k < states; ++k) {
    std::vector<double> q = normal_sample(model, rng);
    for (double& each : v) each = normal();
    for (double& each : y) each = normal();
    set_whole_motion(absent, 0, normal, q.data(), v.data());
    const StateEstimate still = estimate_at_state(system, outputs, sigma, q.data(), v.data(), y.data());
    set_whole_motion(absent, 10, normal, q.data(), v.data());
    const StateEstimate moving = estimate_at_state(system, outputs, sigma, q.data(), v.data(), y.data());
    for (std::size_t c = 0; c < still.outputs.size() && c < moving.outputs.size(); ++c)
      if (differ(still.outputs[c], moving.outputs[c], one[c])) changed[c] = 1;
    if (differ(still.chi_square, moving.chi_square, 1)) found.chi_square = true;
  }
  for (std::size_t c = 0; c < changed.size(); ++c)
    if (changed[c]) found.outputs.push_back(names[c]);
  return found;
}

/// Place and velocity apart: what depends on the velocity alone does not ask where the robot is.
OfWholeMotion of_whole_motion(const System& system, const std::vector<std::string>& names,
                              const std::vector<std::string>& absent) {
  OfWholeMotion found;
  std::set<std::string> changed;
  for (const std::size_t first : {std::size_t{0}, std::size_t{3}}) {
    const std::vector<std::string>& whole_motion = whole_motion_columns(system.model());
    std::vector<char> part(whole_motion.size(), 0);
    std::vector<std::string> columns;
    for (std::size_t k = first; k < first + 3; ++k)
      if (std::find(absent.begin(), absent.end(), whole_motion[k]) != absent.end())
        part[k] = 1, columns.push_back(whole_motion[k]);
    if (columns.empty()) continue;
    const OfWholeMotion with = changing_with(system, names, part);
    if (with.outputs.empty() && !with.chi_square) continue;
    found.columns.insert(found.columns.end(), columns.begin(), columns.end());
    changed.insert(with.outputs.begin(), with.outputs.end());
    found.chi_square = found.chi_square || with.chi_square;
  }
  for (const std::string& name : names)
    if (changed.count(name)) found.outputs.push_back(name);
  return found;
}

}  // namespace

SensorSolver without_whole_motion(SensorSolver solver, const std::vector<std::string>& absent, const WholeMotionLog& log,
                                  WholeMotionWords& words) {
  if (absent.empty()) return solver;
  SensorSolverOptions wanted = solver.options();
  const std::vector<std::string> outputs(solver.columns().begin(),
                                         solver.columns().begin() + static_cast<long>(solver.outputs()));
  OfWholeMotion changed = of_whole_motion(solver.system(), outputs, absent);
  std::vector<std::string> kept;
  for (const std::string& column : outputs)
    if (std::find(changed.outputs.begin(), changed.outputs.end(), column) == changed.outputs.end()) kept.push_back(column);
  const bool written = wanted.innovations && !log.innovations_are_drawn,
             drawn = log.innovations_are_drawn && changed.chi_square;
  if (changed.chi_square && written) changed.outputs.insert(changed.outputs.begin(), "chi2");
  const std::string depending = listing(changed.outputs);
  const std::string columns = listing(changed.columns);
  if (kept.empty() || (changed.chi_square && written) || (!changed.outputs.empty() && !wanted.outputs.empty()))
    throw InputError(log.name, log.header_line, log.header_line > 0 ? "header" : "columns",
                     "no column " + listing(absent) + ", on which depends: " + depending,
                     columns + ", or --outputs that do not depend on them");
  const std::string header = log.name + (log.header_line > 0 ? ":" + std::to_string(log.header_line) : "") + ": ";
  words.note = header + "taken as zero, which changes nothing that is written: " + listing(absent);
  if (changed.chi_square) words.warnings.push_back(header + "the chi-square depends on " + columns);
  if (changed.outputs.empty() && !drawn) return solver;
  if (!changed.outputs.empty())
    words.warnings.push_back(header + "left out, for they depend on these: " + depending +
                             (changed.columns.size() < absent.size() ? " (on " + columns + ")" : ""));
  if (drawn) wanted.innovations = false;  // a page does without them
  wanted.outputs = kept;
  return SensorSolver(solver.shared_system(), std::move(wanted));
}

}  // namespace sparsedyn
