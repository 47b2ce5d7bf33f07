// What a live run writes: samples as lines of a CSV, findings as lines of JSON or as words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/rows/live_lines.hpp"
#include "cli/support/json_text.hpp"
#include "sparsedyn/live/live_core.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

class LiveReport {
 public:
  /// sources: as inputs were given. findings: null: they are told in words on stderr, unless --quiet.
  LiveReport(const LiveEstimate& estimate, std::vector<std::string> sources, LiveLines& samples, LiveLines* findings,
             const CommonOptions& common);

  void sample(double time, const LiveAnswer& answer, const double* out);
  void finding(const LiveFinding& found);
  /// Something that is no finding: a line that was refused, counters.
  void say(Json json, const std::string& words);
  /// Counters, where findings are written.
  void counters(Json json);

  long samples() const { return samples_; }
  long answered() const { return answered_; }
  /// Findings that began, by kind.
  const Json& kinds() const { return kinds_; }
  double time() const { return time_; }

 private:
  void tell(const Json& json, const std::string& words);
  std::string name_of(const LiveFinding& found) const;

  const LiveEstimate& estimate_;
  std::vector<std::string> names_, sources_;
  LiveLines& lines_;
  LiveLines* findings_;
  const CommonOptions& common_;
  std::string text_;
  Json kinds_ = Json::object();
  long samples_ = 0, answered_ = 0, told_ = 0;
  const char* why_ = "";  // of the last sample, and which reading
  int reading_ = -1;
  double time_ = 0, failed_told_ = -1e300;
};

}  // namespace sparsedyn::cli
