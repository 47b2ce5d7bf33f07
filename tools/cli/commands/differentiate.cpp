// sparsedyn differentiate: the velocities and accelerations that a log of positions lacks.
#include "sparsedyn/logs/differentiate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "cli/logs/differentiation_page.hpp"
#include "cli/logs/log_file.hpp"
#include "cli/logs/quick_findings.hpp"
#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/csv_reader.hpp"
#include "io/csv_writer.hpp"
#include "io/output_file.hpp"
#include "io/text/aligned.hpp"
#include "io/text/how_many.hpp"
#include "program.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {
namespace {

struct DifferentiateCommand {
  CommonOptions common;
  std::string log, output, report;
  double cutoff = 0, window = 0, rate = 0;
};

/// The positions of a log, and when they were taken.
struct Positions {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> values;  // of each column
  NamedSeries own;                          // velocities and accelerations that the log has itself, where a page shows them
  std::vector<long> lines;                  // of each sample
  double start = 0, step = 0;
};

/// The step between samples, which may not vary by more than a hundredth.
double even_step(const CsvReader& log, const std::vector<double>& time, const std::vector<long>& lines) {
  if (time.size() < 2) throw InputError(log.path(), 0, "", "fewer than two rows", "a log that moves");
  const double step = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  for (std::size_t i = 1; i < time.size(); ++i)
    if (!(std::abs(time[i] - time[i - 1] - step) <= 0.01 * step))
      throw InputError(log.path(), lines[i], "column time", "a step of " + std::to_string(time[i] - time[i - 1]) + " s",
                       "even steps, of " + std::to_string(step) + " s on average, or --rate");
  return step;
}

Positions read_positions(const LogFile& file, bool with_own) {
  CsvReader log(file.path(), file.name());
  if (!log.has("time")) throw InputError(log.path(), log.header_line(), "header", "no column time", "evenly spaced times");
  const int time = log.ask("time");
  Positions read;
  std::vector<int> slots, own_slots;
  const auto ask = [&log](const std::string& column, std::vector<std::string>& names, std::vector<int>& into) {
    names.push_back(column), into.push_back(log.ask(column));
    log.take_gap_words(into.back());
  };
  for (const std::string& column : log.columns()) {
    if (column.compare(0, 2, "q.") == 0) ask(column, read.columns, slots);
    if (with_own && (column.compare(0, 3, "dq.") == 0 || column.compare(0, 4, "ddq.") == 0))
      ask(column, read.own.names, own_slots);
  }
  if (slots.empty()) throw InputError(log.path(), log.header_line(), "header", "no column q.*", "positions of joints");
  read.values.resize(slots.size()), read.own.values.resize(own_slots.size());
  const auto number_or_gap = [&log](int slot) { return log.state(slot) == CellState::number ? log.value(slot) : std::nan(""); };
  std::vector<double> times;
  while (log.next()) {
    if (log.state(time) != CellState::number)
      throw InputError(log.path(), log.line(), "column time", "no number", "evenly spaced times");
    times.push_back(log.value(time)), read.lines.push_back(log.line());
    for (std::size_t c = 0; c < slots.size(); ++c) read.values[c].push_back(number_or_gap(slots[c]));
    for (std::size_t c = 0; c < own_slots.size(); ++c) read.own.values[c].push_back(number_or_gap(own_slots[c]));
  }
  read.step = even_step(log, times, read.lines), read.start = times.front();
  if (times.size() < fewest_samples)
    throw InputError(log.path(), 0, "", how_many(static_cast<long>(times.size()), "row", "rows"),
                     "at least " + std::to_string(fewest_samples) + ", the smallest window");
  return read;
}

/// The log's own columns, and those made: `dq.*` that it lacks after them, `ddq.*` too or in the place of its own.
void write_log(const LogFile& file, const std::string& output, const Differentiated& made) {
  CsvReader log(file.path(), file.name());
  log.keep_all();
  std::vector<std::string> header = log.columns();
  std::vector<int> instead(header.size(), -1), added;  // columns made
  for (std::size_t k = 0; k < made.columns.size(); ++k) {
    const auto own = std::find(log.columns().begin(), log.columns().end(), made.columns[k]);
    if (own == log.columns().end())
      header.push_back(made.columns[k]), added.push_back(static_cast<int>(k));
    else if (made.columns[k].compare(0, 4, "ddq.") == 0)
      instead[static_cast<std::size_t>(own - log.columns().begin())] = static_cast<int>(k);
  }
  CsvWriter out(output);
  out.header(header);
  const auto write = [&](int column, std::size_t sample) {
    const double value = made.values[static_cast<std::size_t>(column)][sample];
    std::isfinite(value) ? out.number(value) : out.empty();
  };
  for (std::size_t i = 0; log.next(); ++i) {
    for (std::size_t c = 0; c < instead.size(); ++c) instead[c] < 0 ? out.raw(log.cells()[c]) : write(instead[c], i);
    for (int column : added) write(column, i);
    out.end_row();
  }
  out.commit();
}

void warn_of_jumps(const Differentiated& made, const Positions& read, const LogFile& file, const CommonOptions& common) {
  std::set<std::string> columns;
  for (const Differentiated::Jump& jump : made.unwrapped) columns.insert(jump.column);
  if (columns.empty()) return;
  warn(common, file.name() + ":" + std::to_string(read.lines[made.unwrapped.front().sample]) +
                   ": jumps by nearly 2π, taken as none: " + listing({columns.begin(), columns.end()}));
}

void warn_of_windows(const Differentiated& made, const LogFile& file, const CommonOptions& common) {
  std::vector<std::string> empty;
  for (std::size_t k = 0; k < made.columns.size(); ++k)
    if (std::isnan(made.deviation[k])) empty.push_back(made.columns[k]);
  if (!empty.empty())
    warn(common, file.name() + ": left empty, for no stretch without a gap is as long as a window: " + listing(empty));
  if (!made.bounded.empty())
    warn(common, file.name() + ": turned by more than a quarter within half of the window stated, which is shorter there: " +
                     listing(made.bounded));
}

ExitCode differentiate_log(const DifferentiateCommand& options) {
  if (options.report == "-") throw UsageError("--report -: expected a file");
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  if (!(options.cutoff >= 0) || !std::isfinite(options.cutoff)) throw UsageError("--cutoff: expected a number > 0");
  if (!(options.rate >= 0) || !std::isfinite(options.rate)) throw UsageError("--rate: expected a number > 0");
  if (!(options.window >= 0) || !std::isfinite(options.window)) throw UsageError("--window: expected a number > 0");
  if (options.cutoff > 0 && options.window > 0) throw UsageError("--cutoff and --window: expected one of the two");
  LogFile file(options.log);
  file.keep(options.common);
  warn_of_quick_findings(nullptr, options.log, options.common);
  if (options.rate > 0) file.resample(options.rate, options.common);
  Positions read = read_positions(file, !options.report.empty());
  const Differentiated made = differentiate(read.columns, read.values, read.step, {options.cutoff, options.window});
  warn_of_jumps(made, read, file, options.common);
  warn_of_windows(made, file, options.common);
  write_log(file, options.output, made);
  const auto by_column = [&](const std::vector<double>& values) {
    Json json = Json::object();
    for (std::size_t k = 0; k < made.columns.size(); ++k) json[made.columns[k]] = values[k];
    return json;
  };
  const auto [least, largest] = std::minmax_element(made.window.begin(), made.window.end());
  const double highest = made.cutoff[static_cast<std::size_t>(least - made.window.begin())];
  const bool stated = options.cutoff > 0 || options.window > 0;
  const Json json{{"rows", read.lines.size()},
                  {"cutoff", highest},
                  {"window", *least},
                  {"cutoffs", by_column(made.cutoff)},
                  {"windows", by_column(made.window)},
                  {"deviation", by_column(made.deviation)}};
  char line[200];
  if (stated)
    std::snprintf(line, sizeof line, "%s, window %.4g s, cutoff %.4g Hz\n",
                  how_many(static_cast<long>(read.lines.size()), "row", "rows").c_str(), *least, highest);
  else
    std::snprintf(line, sizeof line, "%s, windows of %.4g to %.4g s, cutoffs of at most %.4g Hz (chosen)\n",
                  how_many(static_cast<long>(read.lines.size()), "row", "rows").c_str(), *least, *largest, highest);
  std::string text = line;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < made.columns.size(); ++k) {
    rows.push_back({made.columns[k] + ":"});
    if (std::isnan(made.deviation[k])) {
      rows.back().push_back("left empty");
      continue;
    }
    std::snprintf(line, sizeof line, "deviation %.3g", made.deviation[k]);
    rows.back().push_back(line + std::string(stated ? "" : ","));
    if (stated) continue;
    std::snprintf(line, sizeof line, "window %.3g s, cutoff %.3g Hz", made.window[k], made.cutoff[k]);
    rows.back().push_back(line);
  }
  text += aligned(rows, "", "  ", " ");
  if (!options.report.empty()) {
    read.own.names.insert(read.own.names.end(), read.columns.begin(), read.columns.end());
    for (std::vector<double>& values : read.values) read.own.values.push_back(std::move(values));
    write_file(options.report,
               differentiation_page("differentiate: " + options.log, read.own, made, read.start, read.step, text));
  }
  tell(options.common.json ? json_text(json) : text, options.output == "-");
  return ExitCode::done;
}

}  // namespace

void add_differentiate(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("differentiate", "Velocities and accelerations from a log's positions");
  const auto options = std::make_shared<DifferentiateCommand>();
  command.add_file("LOG", options->log, FileRole::input, "CSV log with time and q.*, or - for the standard input").required();
  command.add_file("-o,--output", options->output, FileRole::output, "CSV file, or - for the standard output").required();
  command.add_option("--cutoff", options->cutoff,
                     "Hz: where half of the positions' power is left; without one, one is chosen for each derivative");
  command.add_option("--window", options->window, "s: fit polynomials of degree 4 over this time, instead of --cutoff");
  command.add_option("--rate", options->rate,
                     "Hz: resample a log with jittering times to an even clock first, by linear interpolation");
  command.add_file("--report", options->report, FileRole::output,
                   "HTML page: each derivative over time with ± 2σ, beside the log's own");
  add_log_options(command, options->common);
  add_options(command, options->common);
  command.footer(
      "Accuracy:\n  Deviations are stated of the inside of a stretch. Within half a window of its ends errors grow, at the "
      "last sample to about 8 times (velocities) and 6 times (accelerations) as much.\n\n"
      "Example:\n  sparsedyn differentiate robots/arm.csv -o moving.csv");
  command.callback(
      [=, &chosen] { chosen = [=] { return answering(options->common, [=] { return differentiate_log(*options); }); }; });
}

}  // namespace sparsedyn::cli
