#include "live_run.hpp"

#include <signal.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "cli/rows/live_report.hpp"
#include "cli/rows/live_settings.hpp"
#include "cli/support/exit_code.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/files/run_files.hpp"
#include "io/number.hpp"
#include "io/text/how_many.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/live/live_record.hpp"

namespace sparsedyn::cli {
namespace {

volatile std::sig_atomic_t asked_to_end = 0;
void ask_to_end(int) { asked_to_end = 1; }
bool is_asked_to_end() { return asked_to_end != 0; }

/// While one lives, SIGINT and SIGTERM end the run, not the program; a reader that goes is an error of the write.
class EndBySignal {
 public:
  EndBySignal() {
    struct sigaction act {};
    act.sa_handler = ask_to_end;
    for (int k = 0; k < 2; ++k) ::sigaction(ends[k], &act, &before_[k]);
    act.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &act, &before_[2]);
  }
  ~EndBySignal() {
    for (int k = 0; k < 2; ++k) ::sigaction(ends[k], &before_[k], nullptr);
    ::sigaction(SIGPIPE, &before_[2], nullptr);
  }
  EndBySignal(const EndBySignal&) = delete;
  EndBySignal& operator=(const EndBySignal&) = delete;

 private:
  static constexpr int ends[2] = {SIGINT, SIGTERM};
  struct sigaction before_[3];
};

std::vector<LiveAddress> addresses_of(const std::string& option, const std::vector<std::string>& texts) {
  std::vector<LiveAddress> found;
  try {
    for (const std::string& text : texts) found.push_back(read_live_address(text));
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(option + " " + wrong.what());
  }
  return found;
}

Json source_json(const std::string& input, const SourceCounts& counts) {
  return {{"input", input},
          {"readings", counts.readings},
          {"late", counts.late},
          {"reordered", counts.reordered},
          {"repeated", counts.repeated},
          {"refused", counts.refused}};
}

void add_packets(const LiveInputCounts& counts, Json& into) {
  into["malformed"] = counts.malformed, into["oversized"] = counts.oversized, into["turned_away"] = counts.turned_away;
  if (!counts.why.empty()) into["why"] = (counts.line > 0 ? "line " + std::to_string(counts.line) + ": " : "") + counts.why;
}

const char* const a_column_each = "a column for each input";

void name_bad_input(const std::string& input, const LiveInputCounts& counts, LiveSummary& summary) {
  const bool no_row_was_good = counts.rows == 0 && counts.malformed + counts.oversized > 0;
  if (counts.error != 0 || no_row_was_good)
    summary.bad_input = input, summary.line = counts.line, summary.found = counts.why, summary.expected = "rows of readings";
  else if (!counts.lacks.empty() && summary.answered == 0)
    summary.bad_input = input, summary.line = counts.lacks_line, summary.found = counts.lacks, summary.expected = a_column_each;
}

/// A header that lacks a column ends a run of these inputs; where another sender may come it goes on.
bool may_be_refused(const std::vector<std::string>& inputs) {
  for (const LiveAddress& address : addresses_of("--input", inputs))
    if (address.kind == LiveAddress::Kind::standard || address.kind == LiveAddress::Kind::file) return true;
  return false;
}

/// Where samples and findings of one run go.
struct Outputs {
  Outputs(const LiveEstimate& estimate, const LiveRun& run, const CommonOptions& common)
      : samples(live_lines("--output", run.output, true, is_asked_to_end)),
        findings(run.diagnostics.empty() ? nullptr : live_lines("--diagnostics", run.diagnostics, false, is_asked_to_end)),
        report(estimate, run.inputs, *samples, findings.get(), common) {}
  void begin() const {
    if (findings) findings->begin();
  }
  void commit() const {
    samples->commit();
    if (findings) findings->commit();
  }
  std::unique_ptr<LiveLines> samples, findings;
  LiveReport report;
};

LiveSummary summary_of(const LiveReport& report, const LiveCore& core, const std::vector<std::string>& sources) {
  LiveSummary summary;
  summary.samples = core.counts().samples, summary.answered = core.counts().answered;
  summary.json = {{"samples", summary.samples},
                  {"samples_failed", summary.samples - summary.answered},
                  {"findings", report.kinds()},
                  {"restarts", core.synchroniser().restarts()},
                  {"inputs", Json::array()}};
  char text[160];
  std::snprintf(text, sizeof text, "%s, %ld without an answer\n", how_many(summary.samples, "sample", "samples").c_str(),
                summary.samples - summary.answered);
  summary.text = text;
  for (std::size_t k = 0; k < sources.size(); ++k)
    summary.json["inputs"].push_back(source_json(sources[k], core.synchroniser().counts(static_cast<int>(k))));
  for (const auto& [kind, count] : report.kinds().items())
    summary.text += kind + ": " + std::to_string(count.get<long>()) + "\n";
  return summary;
}

std::string inputs_text(const Json& inputs) {
  std::string text;
  for (const Json& input : inputs) {
    text += input["input"].get<std::string>() + ": " + how_many(input["readings"].get<long>(), "row", "rows");
    for (const char* what : {"late", "reordered", "repeated", "refused", "malformed", "oversized", "turned_away"})
      if (const long count = input.value(what, 0L)) text += ", " + std::to_string(count) + " " + what;
    if (input.contains("why")) text += " (" + input["why"].get<std::string>() + ")";
    text += "\n";
  }
  return text;
}

/// Takes out of a loop what there is, until it ends.
class Reader {
 public:
  Reader(LiveLoop& loop, LiveReceiver& receiver, Outputs& outputs, LiveRecordWriter* record, const LiveRun& run)
      : loop_(loop), receiver_(receiver), outputs_(outputs), record_(record), run_(run) {}

  void read_all() {
    while (loop_.wait(0.1)) {
      take();
      if (Clock::now() >= next_) each_second(), next_ = Clock::now() + std::chrono::seconds(1);
      end_if_asked();
    }
    take();
    tell_notes();
    if (record_ && (record_->begun() || !is_refused())) record_->end(loop_.ended_at(), loop_.losses());
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// At once, though who reads the output may have stalled: else rows keep coming.
  void end_if_asked() {
    if (!ending_ && (is_asked_to_end() || outputs_.samples->is_closed())) ending_ = true, receiver_.stop();
  }

  void take() {
    bool recorded = false;
    while (const auto row = loop_.next_input()) {
      if (record_) record_->add(*row.head, row.values, loop_.estimate()), recorded = true;
      loop_.pop_input();
    }
    if (recorded) record_->flush();
    while (const auto row = loop_.next_finding()) {
      outputs_.report.finding(*row.head);
      loop_.pop_finding();
      end_if_asked();
    }
    while (const auto row = loop_.next_sample()) {
      outputs_.report.sample(row.head->time, row.head->answer, row.values);
      loop_.pop_sample();
      end_if_asked();
    }
  }

  bool is_refused() const {
    for (std::size_t k = 0; k < run_.inputs.size(); ++k)
      if (receiver_.counts(k).refused) return true;
    return false;
  }

  void tell_notes() {
    for (const std::vector<std::string>& notes : {receiver_.take_notes(), loop_.take_notes()})
      for (const std::string& text : notes) outputs_.report.say({{"kind", "note"}, {"text", text}}, text);
    for (std::size_t k = 0; k < run_.inputs.size(); ++k) {
      const LiveInputCounts counts = receiver_.counts(k);
      long& told = told_[k];
      if (counts.malformed + counts.oversized == told) continue;
      told = counts.malformed + counts.oversized;
      const std::string text = run_.inputs[k] + ": " + std::to_string(told) + " malformed, the last one: " + counts.why;
      outputs_.report.say({{"kind", "malformed"}, {"input", run_.inputs[k]}, {"count", told}, {"why", counts.why}}, text);
    }
  }

  void each_second() {
    tell_notes();
    const LiveLosses lost = loop_.losses();
    Json inputs = Json::array();
    for (std::size_t k = 0; k < run_.inputs.size(); ++k) {
      const LiveInputCounts counts = receiver_.counts(k);
      Json json{{"input", run_.inputs[k]}, {"rows", counts.rows}};
      add_packets(counts, json);
      inputs.push_back(json);
    }
    outputs_.report.counters({{"inputs", inputs},
                              {"lost", {{"readings", lost.readings}, {"samples", lost.samples}, {"findings", lost.findings}}},
                              {"dropped", outputs_.samples->dropped()}});
  }

  LiveLoop& loop_;
  LiveReceiver& receiver_;
  Outputs& outputs_;
  LiveRecordWriter* record_;
  const LiveRun& run_;
  bool ending_ = false;
  Clock::time_point next_ = Clock::now();
  std::vector<long> told_ = std::vector<long>(run_.inputs.size(), 0);  // malformed, of each input
};

void add_timing(const LiveLoop& loop, const Outputs& outputs, LiveSummary& summary) {
  const LiveDelays& delays = loop.delays();
  const LiveLosses lost = loop.losses();
  summary.json["delay"] = {{"median", delays.quantile(0.5)},
                           {"p99", delays.quantile(0.99)},
                           {"p9999", delays.quantile(0.9999)},
                           {"worst", delays.worst()}};
  summary.json["deadline_misses"] = loop.deadline_misses();
  summary.json["lost"] = {
      {"readings", lost.readings}, {"samples", lost.samples}, {"findings", lost.findings}, {"recorded", lost.inputs}};
  summary.json["dropped"] = outputs.samples->dropped();
  char text[200];
  std::snprintf(text, sizeof text,
                "delay from a sample's last reading to its answer: median %.3g ms, p99 %.3g ms, worst %.3g ms; ",
                1e3 * delays.quantile(0.5), 1e3 * delays.quantile(0.99), 1e3 * delays.worst());
  summary.text += text + how_many(loop.deadline_misses(), "deadline", "deadlines") + " missed\n";
  const long all = lost.readings + lost.samples + lost.findings + lost.inputs + outputs.samples->dropped();
  if (all == 0) return;
  std::snprintf(text, sizeof text,
                "lost: %ld rows that came, %ld samples, %ld findings, %ld rows of the record; %ld lines not read\n",
                lost.readings, lost.samples, lost.findings, lost.inputs, outputs.samples->dropped());
  summary.text += text;
}

/// Samples and findings of a record.
struct ToReport : LiveSink {
  explicit ToReport(LiveReport& to) : report(to) {}
  void sample(double time, std::int64_t, const LiveAnswer& answer, const double* out) noexcept override {
    guarded([&] { report.sample(time, answer, out); });
  }
  void finding(const LiveFinding& found) noexcept override {
    guarded([&] { report.finding(found); });
  }
  template <class Work>
  void guarded(const Work& work) noexcept {
    try {
      if (!thrown) work();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  LiveReport& report;
  std::exception_ptr thrown;  // by who writes
};

}  // namespace

LiveSummary run_live(std::unique_ptr<LiveEstimate> estimate, const LiveRun& run, const CommonOptions& common) {
  asked_to_end = 0;
  const EndBySignal signals;
  const LiveOptions options = live_options(run, {}, run.inputs.size());
  LiveReceiverOptions from;
  from.inputs = addresses_of("--input", run.inputs), from.format = run.format, from.columns = run.columns;
  if (!run.control.empty()) from.control = addresses_of("--control", {run.control});
  LiveLoopOptions how = run.loop;
  how.record = !run.record.empty();
  try {
    LiveLoop loop(std::move(estimate), options, how);
    LiveReceiver receiver(loop, std::move(from));
    Outputs outputs(loop.estimate(), run, common);
    std::unique_ptr<LiveRecordWriter> record;
    if (how.record) {
      RunFiles::writing(run.record);
      record = std::make_unique<LiveRecordWriter>(run.record, record_head(loop.estimate(), run, options));
    }
    for (const std::string& lacking : loop.start()) warn(common, lacking);
    receiver.start();
    if (!may_be_refused(run.inputs)) outputs.begin();
    try {
      Reader(loop, receiver, outputs, record.get(), run).read_all();
    } catch (...) {
      outputs.samples->commit();  // what was answered stays
      throw;
    }
    receiver.stop();
    for (std::size_t k = 0; k < run.inputs.size(); ++k)
      if (const LiveInputCounts counts = receiver.counts(k); counts.refused)
        throw InputError(run.inputs[k], counts.lacks_line, "", counts.lacks, a_column_each);
    outputs.commit();
    LiveSummary summary = summary_of(outputs.report, loop.core(), run.inputs);
    for (std::size_t k = 0; k < run.inputs.size(); ++k) {
      const LiveInputCounts counts = receiver.counts(k);
      add_packets(counts, summary.json["inputs"][k]);
      name_bad_input(run.inputs[k], counts, summary);
    }
    summary.text += inputs_text(summary.json["inputs"]);
    add_timing(loop, outputs, summary);
    return summary;
  } catch (const std::system_error& wrong) {
    throw InputError(wrong.what(), 0, "", wrong.code().message(), "an address that can be opened");
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(wrong.what());
  }
}

LiveSummary replay_live(std::unique_ptr<LiveEstimate> estimate, const std::string& path, LiveRun run,
                        const CommonOptions& common) {
  asked_to_end = 0;
  const EndBySignal signals;
  LiveRecordReader record(path);
  check_record(record.head(), *estimate, path);
  run.inputs = record.head().sources;
  const LiveOptions options = live_options(run, {path, record.head().settings}, run.inputs.size());
  const bool all_recorded = !run.rate && !run.wait && !run.max_gap && !run.missing_after;
  try {
    LiveCore core(std::move(estimate), options);
    Outputs outputs(core.estimate(), run, common);
    ToReport sink(outputs.report);
    LiveInput input;
    std::vector<double> values;
    while (!is_asked_to_end() && !outputs.samples->is_closed() && record.next(input, values, core.estimate())) {
      if (input.kind == LiveInput::Kind::readings)
        core.readings(input.source, input.stamp, input.arrival, values.data(), sink);
      else
        core.change(input.change, input.arrival, sink);
      if (sink.thrown) std::rethrow_exception(sink.thrown);
    }
    core.until(record.ended_at(), sink);
    core.finish(sink);
    if (sink.thrown) std::rethrow_exception(sink.thrown);
    if (record.is_cut_off()) warn(common, path + ": has no end: its run was cut off");
    if (record.lost().inputs > 0)
      warn(common,
           path + ": lacks " + how_many(record.lost().inputs, "row", "rows") + " that its run took: samples may differ");
    outputs.commit();
    LiveSummary summary = summary_of(outputs.report, core, run.inputs);
    summary.text += inputs_text(summary.json["inputs"]);
    return summary;
  } catch (const std::invalid_argument& wrong) {
    if (all_recorded) throw InputError(path, 0, "metadata", "settings out of range", wrong.what());
    throw UsageError(wrong.what());
  }
}

}  // namespace sparsedyn::cli
