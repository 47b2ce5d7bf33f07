#include "live_settings.hpp"

#include <cmath>

#include "io/number.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {

double RecordedSettings::or_given(const std::optional<double>& given, const std::string& name, double otherwise) const {
  if (given) return *given;
  const auto found = settings.find(name);
  double value = otherwise;
  if (found != settings.end() && (read_number(found->second, value) != NumberText::number || !std::isfinite(value)))
    throw InputError(path, 0, "metadata", name + " " + found->second, "a number");
  return value;
}

LiveOptions live_options(const LiveRun& run, const RecordedSettings& record, std::size_t sources) {
  LiveOptions options;
  options.clock.sources = static_cast<int>(sources);
  options.clock.rate = record.or_given(run.rate, "rate", 0);
  options.clock.wait = record.or_given(run.wait, "wait", options.clock.wait);
  options.clock.max_gap = record.or_given(run.max_gap, "max_gap", options.clock.max_gap);
  options.missing_after = record.or_given(run.missing_after, "missing_after", options.missing_after);
  return options;
}

LiveRecordHead record_head(const LiveEstimate& estimate, const LiveRun& run, const LiveOptions& options) {
  LiveRecordHead head{estimate.names(), run.inputs, {}};
  head.settings = {{"rate", number_text(options.clock.rate)},
                   {"wait", number_text(options.clock.wait)},
                   {"max_gap", number_text(options.clock.max_gap)},
                   {"missing_after", number_text(options.missing_after)},
                   {"over_time", estimate.over_time() ? "true" : "false"}};
  return head;
}

void check_record(const LiveRecordHead& head, const LiveEstimate& estimate, const std::string& path) {
  const std::string expected = estimate.over_time() ? "one of a run with --over-time" : "one of a run without --over-time";
  const auto over_time = head.settings.find("over_time");
  if (over_time == head.settings.end() || (over_time->second == "true") != estimate.over_time())
    throw InputError(path, 0, "metadata", "a record of another estimate", expected);
  if (head.names != estimate.names())
    throw InputError(path, 0, "schema", "readings of another robot or another sensor set", "those that this one reads");
  if (head.sources.empty() || head.sources.size() > 64) throw InputError(path, 0, "channels", "no sources", "1 to 64");
}

}  // namespace sparsedyn::cli
