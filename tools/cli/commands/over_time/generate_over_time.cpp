#include "generate_over_time.hpp"

#include <memory>
#include <stdexcept>

#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/tracked_system.hpp"
#include "io/files/run_files.hpp"
#include "io/output_file.hpp"
#include "json/answer_is_no.hpp"
#include "sparsedyn/codegen/track_code.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn::cli {
namespace {

TrackCode step_code(const std::shared_ptr<const System>& system, const std::string& name) {
  TrackCodeOptions options;
  options.description = system->model().name + ", a step over time, kinematic rows; written by sparsedyn " SPARSEDYN_VERSION;
  try {
    return track_step_code(system, name, options);
  } catch (const std::invalid_argument& left_out) {
    throw AnswerIsNo(left_out.what(), json_text({{"reason", left_out.what()}}));
  } catch (const Untrackable& open) {
    throw AnswerIsNo(open.what(), json_text({{"untrackable", open.what()}}));
  }
}

}  // namespace

ExitCode generate_over_time(const RobotOptions& robot, const std::string& sensors, const std::string& name,
                            const std::string& folder, const CommonOptions& common) {
  const Model model = load_robot(robot, common);
  const auto system = std::make_shared<const System>(model, load_sensor_set(sensors));
  const TrackCode code = step_code(system, name);
  for (const std::string& text : code.notes) warn(common, sensors + ": " + text);
  make_output_folder(folder);
  const std::string base = folder + "/" + name;
  write_file(base + ".c", code.files.source);
  write_file(base + ".h", code.files.header);
  write_file(base + ".json", code.files.manifest);
  const Json json{{"function", name},
                  {"files", {base + ".c", base + ".h", base + ".json"}},
                  {"rows_taken", "kinematic"},
                  {"state", code.state},
                  {"flops_of_feet", counts_json(code.feet)}};
  tell(common.json ? json_text(json)
                   : base + ".c: a step of kinematic rows; " + std::to_string(code.state) + " numbers go from step to step, " +
                         std::to_string(code.feet.flops()) + " flops find the feet\n");
  return ExitCode::done;
}

}  // namespace sparsedyn::cli
