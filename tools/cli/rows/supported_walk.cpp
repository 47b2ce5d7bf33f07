#include "cli/rows/supported_walk.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cli/logs/track_log.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/tracked_system.hpp"

namespace sparsedyn::cli {
namespace {

constexpr long most_rows = 5000;
const double half_decade = std::sqrt(10.0);
constexpr double least_walk = 1e-5, most_walk = 1;  // m/√s
constexpr double as_likely = 0.5;                   // of a row's surprise

class WalkSearch {
 public:
  WalkSearch(const std::shared_ptr<const System>& system, TrackerOptions wanted, const LogFile& log, const EvenClock* clock,
             const CommonOptions& common)
      : system_(system), wanted_(std::move(wanted)), log_(log), clock_(clock), common_(common) {
    wanted_.outputs = {"nis"}, wanted_.deviations = false, wanted_.lag = 0;
    common_.quiet = true;
  }

  /// Of a walk of all contacts.
  double surprise(double walk) const {
    SensorSet set = system_->sensors();
    for (Sensor& sensor : set.sensors)
      if (sensor.type == "contact") sensor.over_time.contact.walk = walk;
    Tracker tracker = tracker_of(std::make_shared<const System>(system_->model(), std::move(set)), wanted_);
    TrackedLogOptions mode;
    mode.clock = clock_;
    TrackedLog tracked(tracker, mode, [](const double*, const char*) {});
    CsvReader reader(log_.path(), log_.name());
    TrackLog rows(tracker, reader, common_);
    for (long row = 0; row < most_rows && reader.next(); ++row) {
      rows.read();
      tracked.add(rows.readings().data(), rows.time(), rows.truth());
    }
    tracked.finish();
    return tracked.figures().surprise;
  }

 private:
  std::shared_ptr<const System> system_;
  TrackerOptions wanted_;
  const LogFile& log_;
  const EvenClock* clock_;
  CommonOptions common_;
};

double widest_walk(const SensorSet& set) {
  double widest = 0;
  for (const Sensor& sensor : set.sensors)
    if (sensor.type == "contact") widest = std::max(widest, sensor.over_time.contact.walk);
  return widest;
}

}  // namespace

SupportedWalk supported_walk(const std::shared_ptr<const System>& system, const TrackerOptions& wanted, const LogFile& log,
                             const EvenClock* clock, const CommonOptions& common) {
  const WalkSearch search(system, wanted, log, clock, common);
  const double stated = widest_walk(system->sensors());
  std::map<double, double> surprises{{stated, search.surprise(stated)}};  // by walk
  double least = surprises.begin()->second;
  for (const double factor : {1 / half_decade, half_decade}) {
    const double before = least;
    for (double walk = stated * factor; walk >= least_walk && walk <= most_walk; walk *= factor) {
      const double found = surprises[walk] = search.surprise(walk);
      if (!(found < least)) break;
      least = found;
    }
    if (least < before) break;
  }
  const auto largest =
      std::find_if(surprises.rbegin(), surprises.rend(), [&](const auto& x) { return x.second <= least + as_likely; });
  return {largest->first, largest->second, stated, surprises[stated]};
}

}  // namespace sparsedyn::cli
