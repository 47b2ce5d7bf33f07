#include "sensitivities.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>

#include "cli/logs/log_columns.hpp"
#include "cli/logs/system_inputs.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/output_names.hpp"
#include "cli/support/planning.hpp"
#include "io/files/run_files.hpp"
#include "io/npy_writer.hpp"
#include "io/output_file.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {
namespace {

/// One array: rows of the log × outputs × columns.
struct DerivativeFile {
  DerivativeFile(const std::string& folder, const std::string& array, std::size_t outputs, std::size_t columns)
      : name(array),
        file(folder + "/" + array + ".npy", {static_cast<long>(outputs), static_cast<long>(columns)}),
        values(outputs * columns) {}
  bool finite() const {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  }
  void row(bool answered) {
    if (!answered) values.assign(values.size(), std::numeric_limits<double>::quiet_NaN());
    file.slice(values.data());
  }
  std::string name;
  NpyWriter file;
  std::vector<double> values;
};

/// As the log calls them; those that it lacks by their sensor's column.
std::vector<std::string> names_of_inputs(const System& system, const SystemInputs& inputs) {
  std::vector<std::string> names = inputs.read_from();
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k].empty()) names[k] = system.inputs()[k].columns.front();
  return names;
}

void require_whole_motion(const SystemInputs& inputs, const CsvReader& log) {
  if (!inputs.whole_motion_missing().empty())
    throw InputError(log.path(), log.header_line(), "header", "no column " + listing(inputs.whole_motion_missing()),
                     "the whole state: sensitivities are taken along all of it");
}

}  // namespace

std::vector<std::string> sensitivity_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const char* name : {"dx_dq.npy", "dx_dv.npy", "dx_dy.npy", "dx_dp.npy", "names.json"})
    files.push_back(folder + "/" + name);
  return files;
}

ExitCode sensitivities(const SensitivityOptions& options) {
  if (options.sensors.empty()) throw UsageError("compute sensitivities: --sensors S is required");
  if (options.output == "-") throw UsageError("-o -: sensitivities are several files; expected a folder");
  const PlanFile plan = plan_file(options.plan);
  const Model model = load_robot(with_snap(options.robot, plan), options.common);
  const auto system = std::make_shared<const System>(model, constrained_set(options.sensors, "", model, options.common));
  std::vector<std::string> wanted;
  if (!options.outputs.empty()) wanted = listed("--outputs", options.outputs);
  SensorDerivatives rows = sensor_derivatives(system, wanted, plan_source(plan), options.common);
  const std::string strategy = (rows.takes_gaps() ? "estimator, " : "") + rows.strategy();
  CsvReader log(options.log);
  SystemInputs inputs(*system, log, options.common, rows.takes_gaps());
  require_whole_motion(inputs, log);
  std::vector<std::string> known{"time"};
  for (const Input& input : system->inputs()) known.insert(known.end(), input.columns.begin(), input.columns.end());
  warn_of_unknown_columns(log, model, known, options.common);

  make_output_folder(options.output);
  const std::vector<std::string> parameters = parameter_names(model);
  const std::size_t outputs = rows.columns().size(), nv = static_cast<std::size_t>(model.nv);
  DerivativeFile q(options.output, "dx_dq", outputs, nv), v(options.output, "dx_dv", outputs, nv);
  DerivativeFile y(options.output, "dx_dy", outputs, system->inputs().size()),
      p(options.output, "dx_dp", outputs, parameters.size());
  FailedRows failed(log.path());
  Progress progress(options.common);
  long count = 0;
  const auto start = std::chrono::steady_clock::now();
  for (; log.next(); ++count, progress.row()) {
    const bool readable = inputs.read();
    const double *state = inputs.values().data(), *rates = state + model.nq;
    const bool solved =
        readable && rows.at(state, rates, rates + nv, {q.values.data(), v.values.data(), y.values.data(), p.values.data()});
    std::string overflow;
    for (const DerivativeFile* file : {&q, &v, &y, &p})
      if (solved && !file->finite()) overflow = "a number of " + file->name + " is not finite";
    const bool done = solved && overflow.empty();
    if (!done) failed.add(log.line(), !readable ? inputs.why() : solved ? overflow : rows.describe());
    for (DerivativeFile* file : {&q, &v, &y, &p}) file->row(done);
  }
  for (DerivativeFile* file : {&q, &v, &y, &p}) file->file.commit();
  write_file(options.output + "/names.json", json_text({{"outputs", rows.columns()},
                                                        {"velocity", velocity_names(model)},
                                                        {"inputs", names_of_inputs(*system, inputs)},
                                                        {"parameters", parameters}}) +
                                                 "\n");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double rate = seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
  progress.clear();
  failed.tell_rest();
  char line[200];
  std::snprintf(line, sizeof line, "sensitivities of %zu outputs: %ld rows, %ld failed, %.0f rows/s\n", outputs, count,
                failed.count(), rate);
  tell(options.common.json ? json_text({{"algorithm", "sensitivities"},
                                        {"rows", count},
                                        {"rows_failed", failed.count()},
                                        {"rows_per_second", rate},
                                        {"strategy", strategy}})
                           : "order: " + strategy + "\n" + line);
  return failed.count() ? ExitCode::numerical : ExitCode::done;
}

}  // namespace sparsedyn::cli
