// A live run from its inputs to its outputs, and a record of one again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/support/json_text.hpp"
#include "sparsedyn/live/live_estimate.hpp"
#include "sparsedyn/live/live_loop.hpp"
#include "sparsedyn/live/live_receiver.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// As the command's options are named.
struct LiveRun {
  std::vector<std::string> inputs;
  std::string output = "-", diagnostics, record, control, columns;
  LiveFormat format = LiveFormat::csv;
  std::optional<double> rate, wait, max_gap, missing_after;
  LiveLoopOptions loop;
};

struct LiveSummary {
  Json json;
  std::string text;
  long samples = 0, answered = 0;
  /// An input that could not be read, of whose lines none was a row, or that lacks a column so that no sample was answered:
  /// which, the line (0: none), what was found and what was expected; or empty.
  std::string bad_input, found, expected;
  long line = 0;
};

/// Until all inputs end, a signal asks for the end, or nobody reads the output any more. Throws UsageError, InputError.
LiveSummary run_live(std::unique_ptr<LiveEstimate> estimate, const LiveRun& run, const CommonOptions& common);

/// The same of a record: rate, wait, … are the record's where the run says nothing.
LiveSummary replay_live(std::unique_ptr<LiveEstimate> estimate, const std::string& record, LiveRun run,
                        const CommonOptions& common);

}  // namespace sparsedyn::cli
