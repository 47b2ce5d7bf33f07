#include "simulate_forward.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "cli/logs/algorithm_inputs.hpp"
#include "cli/logs/log_columns.hpp"
#include "cli/logs/set_point_log.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/planning.hpp"
#include "io/csv_writer.hpp"
#include "io/number.hpp"
#include "io/output_file.hpp"
#include "io/suggestions.hpp"
#include "io/text/how_many.hpp"
#include "meshes/mesh_kinds.hpp"
#include "simulation/motion_page.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/simulation/forward_simulation.hpp"
#include "sparsedyn/simulation/motion_readings.hpp"

namespace sparsedyn::cli {
namespace {

/// The state in the first row of a log: q, and dq, which may be missing.
void read_start(const Model& model, const std::string& path, const CommonOptions& common, ForwardSimulation& motion) {
  CsvReader log(path);
  LogColumns columns(log);
  for (const std::string& name : with_prefix("q", coordinate_names(model))) columns.need(name);
  columns.zero_if_absent(with_prefix("dq", velocity_names(model)), common);
  columns.check(model);
  if (!log.next()) throw InputError(path, 0, "", "no rows", "a row, at whose state the motion starts");
  std::string why;
  if (!columns.read()) why = columns.why();
  if (why.empty()) normalise_quaternions(model, columns.values().data(), why);
  if (!why.empty()) throw InputError(path, log.line(), "", why, "the state at which the motion starts");
  const double* x = columns.values().data();
  motion.q.assign(x, x + model.nq), motion.v.assign(x + model.nq, x + model.nq + model.nv);
}

/// `KP,KD`, both >= 0.
void read_gains(const std::string& text, ForwardSimulation& motion) {
  std::size_t comma = 0, end = 0;
  try {
    motion.kp = std::stod(text, &comma);
    motion.kd = comma < text.size() && text[comma] == ',' ? std::stod(text.substr(comma + 1), &end) : -1;
  } catch (const std::exception&) {
    motion.kd = -1;
  }
  if (!(motion.kp >= 0) || !(motion.kd >= 0) || comma + 1 + end != text.size() || !std::isfinite(motion.kp + motion.kd))
    throw UsageError("--hold " + text + ": expected KP,KD, two numbers >= 0");
}

ForwardSimulation simulation_of(const Model& model, const SimulateOptions& options, long rows) {
  ForwardSimulation motion;
  motion.rate = options.rate, motion.rows = rows, motion.project = options.project;
  motion.integrator = integrator_of(options.integrator).value();
  if (!options.hold.empty()) read_gains(options.hold, motion);
  motion.q.resize(static_cast<std::size_t>(model.nq)), motion.v.assign(static_cast<std::size_t>(model.nv), 0.0);
  neutral(model, motion.q.data());
  if (!options.from.empty()) read_start(model, options.from, options.common, motion);
  if (!options.targets.empty()) {
    motion.targets = read_set_points(model, options.targets, options.repeat);
    if (motion.targets.positions && options.hold.empty())
      throw UsageError("--targets " + options.targets + " with q. or dq. columns: expected --hold KP,KD beside it");
  }
  if (options.effort_limits) motion.effort_limits = known_effort_limits(model, options.common);
  if (const auto misfit = integrator_misfit(model, motion))
    throw InputError(options.robot.urdf, 0, "", misfit->found, misfit->expected);
  return motion;
}

ConstraintSet constraints_of(const Model& model, const SimulateOptions& options) {
  ConstraintSet set;
  if (!options.constraints.empty()) set = load_constraint_set(options.constraints, model);
  if (!set.parameters.timestep_given) set.parameters.timestep = 1 / options.rate;
  const auto hard = [](const Constraint& c) { return c.hard; };
  if (options.project && std::none_of(set.constraints.begin(), set.constraints.end(), hard))
    throw InputError(options.constraints, 0, "", "no hard constraint",
                     "a connect, weld or joint with \"hard\": true, for --project to keep closed");
  return set;
}

/// Where the energy went, and how far loops were open.
std::string account_text(const SimulationEnd& end) {
  const EnergyAccount& e = end.energy;
  char text[400];
  std::snprintf(text, sizeof text,
                "energy: %.6g J at first, %.6g J at last; work of torques %.6g J, of constraints %.6g J, of losses in joints "
                "%.6g J\nno work explains at most %.2e J (at %.4g s)\n",
                e.first, e.energy(), e.torques, e.constraints, e.losses, end.drift.size, end.drift.time);
  std::string said = text;
  if (!end.loops) return said;
  std::snprintf(text, sizeof text, "loops are open by at most %.2e", end.gap.size);
  said += text;
  if (!end.gap.name.empty()) {
    std::snprintf(text, sizeof text, ", at %.4g s", end.gap.time);
    said += " (" + end.gap.name + text + ")";
  }
  return said + "\n";
}

Json account_json(long done, const SimulationEnd& end) {
  const EnergyAccount& e = end.energy;
  Json json{{"rows", done},
            {"energy",
             {{"first", e.first},
              {"last", e.energy()},
              {"torques", e.torques},
              {"constraints", e.constraints},
              {"losses", e.losses},
              {"unexplained", end.drift.size},
              {"unexplained_time", end.drift.time}}}};
  if (end.loops) json["loops"] = {{"gap", end.gap.size}, {"constraint", end.gap.name}, {"time", end.gap.time}};
  return json;
}

/// With the log's name, so that several pages of one robot are told apart.
std::string title_of(const Model& model, const SimulateOptions& options) {
  const std::size_t slash = options.output.rfind('/');
  const std::string file = slash == std::string::npos ? options.output : options.output.substr(slash + 1);
  return model.name + ", forward simulation" + (options.output == "-" ? "" : ": " + file);
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void warn_of_contacts(const MotionReadings& readings, const SimulateOptions& options) {
  const std::vector<std::string> never = readings.never_standing();
  if (!never.empty())
    warn(options.common, options.sensors + ": nothing that contact " + listing(never, never.size()) +
                             " could stand on is among the constraints: its flag stays 0");
}

/// Of a row's state: time, q, dq, ddq, tau, lambda, gap.
void write_readings(const Model& model, const MotionRow& row, MotionReadings& readings, std::size_t count, CsvWriter& out) {
  const double *const q = row.numbers + 1, *const v = q + model.nq, *const a = v + model.nv;
  const double* const read = readings.next(q, v, a, a + 2 * model.nv);
  for (std::size_t c = 0; c < count; ++c) std::isfinite(read[c]) ? out.number(read[c]) : out.empty();
}

}  // namespace

void check_integrator(const std::string& name) {
  if (!integrator_of(name))
    throw UsageError("--integrator " + name + suggestions_text(name, integrator_names()) +
                     ": expected semi-implicit, implicit-velocity or runge-kutta");
}

ExitCode simulate_forward(const Model& model, const SimulateOptions& options, const PlanFile& plan, long rows) {
  ForwardSimulation motion = simulation_of(model, options, rows);
  const ConstraintSet set = constraints_of(model, options);
  motion.order = freedom_order(model, set, plan);
  CsvWriter out(options.output);
  const std::vector<std::string> header = forward_columns(model, ConstrainedDynamics(model, set));
  std::optional<System> system;
  std::optional<MotionReadings> readings;
  if (!options.sensors.empty()) {
    system.emplace(model, constrained_set(options.sensors, "", model, options.common));
    readings.emplace(*system, set, 1 / options.rate, motion.integrator != Integrator::runge_kutta, options.seed, header);
    warn_of_contacts(*readings, options);
  }
  const std::vector<std::string> read = readings ? readings->columns() : std::vector<std::string>{};
  out.header(joined(header, read));
  std::optional<MotionPage> page;
  if (!options.report.empty())
    page.emplace(model, set, header, options.rate, rows,
                 MeshPlaces{options.packages, options.robot.urdf == "-" ? "" : options.robot.urdf, !options.no_meshes,
                            more_mesh_kinds()});
  const SimulationEnd end = sparsedyn::simulate_forward(model, set, motion, [&](const MotionRow& row) {
    for (std::size_t c = 0; c < row.columns.size(); ++c) out.number(row.numbers[c]);
    if (readings) write_readings(model, row, *readings, read.size(), out);
    out.end_row();
    if (page) page->add(row);
  });
  out.commit();
  const long done = end.row < 0 ? rows : end.row;
  if (end.row >= 0)
    complain(options.output + ": row " + std::to_string(end.row) + ", " +
             number_text(static_cast<double>(end.row) / options.rate) + " s: " + end.why);
  const std::string said = "simulate: " + how_many(done, "row", "rows") + "\n" + (done > 0 ? account_text(end) : "");
  if (page && done > 0) write_file(options.report, page->html(title_of(model, options), said));
  tell(options.common.json ? json_text(account_json(done, end)) : said, options.output == "-" || options.report == "-");
  return end.row < 0 ? ExitCode::done : ExitCode::numerical;
}

}  // namespace sparsedyn::cli
