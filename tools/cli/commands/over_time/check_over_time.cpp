#include "check_over_time.hpp"

#include <algorithm>
#include <memory>

#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/tracked_system.hpp"
#include "io/suggestions.hpp"
#include "json/answer_is_no.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/tracking/visibility.hpp"

namespace sparsedyn::cli {
namespace {

/// Situations in which the same is unseen are told together.
std::string in_words(const std::vector<SituationOverTime>& situations) {
  std::string text;
  std::vector<bool> told(situations.size(), false);
  for (std::size_t k = 0; k < situations.size(); ++k) {
    if (told[k]) continue;
    std::string names = situations[k].name;
    for (std::size_t other = k + 1; other < situations.size() && k > 0; ++other)
      if (situations[other].unseen == situations[k].unseen) names += ", " + situations[other].name, told[other] = true;
    const std::vector<std::string>& unseen = situations[k].unseen;
    text += names + ": " + (unseen.empty() ? "all is seen" : "unseen " + listing(unseen, unseen.size())) + "\n";
  }
  return text;
}

std::vector<SituationOverTime> rehearsed(const std::shared_ptr<const System>& system, TrackRows rows) {
  try {
    return unseen_over_time(system, rows);
  } catch (const Untrackable& open) {
    throw AnswerIsNo(open.what(), json_text({{"untrackable", open.what()}}));
  }
}

}  // namespace

ExitCode check_over_time(const RobotOptions& robot, const std::string& sensors, const std::string& constraints,
                         const std::string& rows_named, const CommonOptions& common) {
  const TrackRows rows = chosen_track_rows(rows_named);
  const Model model = load_robot(robot, common);
  const std::shared_ptr<const System> system = tracked_system(model, sensors, constraints, common);
  TrackerOptions wanted;
  wanted.rows = rows;
  const Tracker tracker = tracker_of(system, wanted);
  tell_notes(tracker, sensors, constraints, common);
  const std::vector<SituationOverTime> found = rehearsed(system, rows);
  Json report{{"rows_taken", rows_taken(tracker)}, {"states", tracker.states()}, {"unobservable", found.front().unseen}};
  report["situations"] = Json::array();
  for (const SituationOverTime& s : found) report["situations"].push_back({{"situation", s.name}, {"unobservable", s.unseen}});
  tell(common.json ? json_text(report) : in_words(found));
  static const std::vector<std::string> place{"base.x", "base.y", "base.z", "base.yaw"};
  const auto& unseen = found.front().unseen;
  const bool fine = std::all_of(unseen.begin(), unseen.end(), [](const std::string& name) {
    return name.rfind("lambda.", 0) == 0 || std::find(place.begin(), place.end(), name) != place.end();
  });
  return fine ? ExitCode::done : ExitCode::no;
}

}  // namespace sparsedyn::cli
