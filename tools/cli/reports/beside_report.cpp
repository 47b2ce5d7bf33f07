#include "beside_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cli/support/messages.hpp"
#include "model/names/units.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t most_charts = 40, most_names = 3;
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::string percent_of(double share) { return report::number(100 * share, 3) + "\u202f%"; }

}  // namespace

OtherRows::OtherRows(const std::string& path, bool timed) : log_(path) {
  if (timed && log_.has("time")) time_slot_ = log_.ask("time"), log_.take_gap_words(time_slot_);
  for (const std::string& column : log_.columns())
    if (column != "time") columns_.push_back(column), slots_.push_back(log_.ask(column)), log_.take_gap_words(slots_.back());
  before_.values.assign(columns_.size(), missing), after_ = before_;
  before_.time = -std::numeric_limits<double>::infinity();
}

/// False at the end; then nothing is known after `before_`.
bool OtherRows::take_next() {
  std::swap(before_, after_);
  do {
    if (!log_.next()) {
      ended_ = true;
      return false;
    }
    after_.time = time_slot_ < 0 ? 0 : log_.value(time_slot_);
  } while (time_slot_ >= 0 && begun_ && !(after_.time > before_.time));
  for (std::size_t k = 0; k < slots_.size(); ++k) after_.values[k] = log_.value(slots_[k]);
  begun_ = true;
  return true;
}

void OtherRows::move_to(double time) {
  share_ = missing;
  if (time_slot_ < 0) {
    if (!ended_ && take_next()) share_ = 1;
    return;
  }
  if (!begun_ && !ended_) take_next();
  while (!ended_ && after_.time < time) take_next();
  if (ended_ || !(time >= before_.time || time == after_.time)) return;
  share_ = time == after_.time ? 1 : (time - before_.time) / (after_.time - before_.time);
}

double OtherRows::value(std::size_t column) const {
  if (std::isnan(share_)) return missing;
  const double a = before_.values[column], b = after_.values[column];
  return share_ == 1 ? b : share_ == 0 ? a : a + share_ * (b - a);
}

BesideReport::BesideReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns, bool timed,
                           const std::string& path)
    : model_(model), log_(log), path_(path), other_(path, timed), rows_(1) {
  for (std::size_t k = 0; k < other_.columns().size(); ++k) {
    const std::string& name = other_.columns()[k];
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found != columns.end())
      columns_.push_back({name, k, static_cast<int>(found - columns.begin()), -1});
    else if (log.has(name))
      columns_.push_back({name, k, -1, log.ask(name)}), log.take_gap_words(columns_.back().slot);
    else
      alone_.push_back(name);
  }
  rows_ = report::Thinned(std::max<std::size_t>(1, values()), report::stretches_of_page(std::max<std::size_t>(1, values())));
  row_.resize(std::max<std::size_t>(1, values()));
}

void BesideReport::read(double time, std::vector<double>& into) {
  other_.move_to(time);
  for (const Column& column : columns_) {
    into.push_back(column.slot < 0 ? missing : log_.value(column.slot));
    into.push_back(other_.value(column.other));
  }
}

void BesideReport::add(const double* results, const double* read, double at) {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    Column& column = columns_[k];
    row_[2 * k] = column.result < 0 ? read[2 * k] : results[column.result], row_[2 * k + 1] = read[2 * k + 1];
    const double difference = row_[2 * k] - row_[2 * k + 1];
    if (!std::isfinite(difference)) continue;
    column.differences.add(difference);
    if (std::abs(difference) > column.worst) column.worst = std::abs(difference), column.worst_at = at;
  }
  rows_.add(at, row_.data());
}

/// Of what both say of a column.
double BesideReport::spread(std::size_t k) const {
  const report::Thinned::Extremes here = rows_.range(2 * k), there = rows_.range(2 * k + 1);
  return std::fmax(here.high, there.high) - std::fmin(here.low, there.low);
}

/// The root mean square of the differences beside that.
double BesideReport::share(std::size_t k) const {
  const double wide = spread(k);
  return wide > 0 ? columns_[k].differences.rms() / wide : 0;
}

/// Columns with rows in common, the worst first.
std::vector<std::size_t> BesideReport::order() const {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (columns_[k].differences.count() > 0) found.push_back(k);
  std::stable_sort(found.begin(), found.end(), [this](std::size_t a, std::size_t b) { return share(a) > share(b); });
  return found;
}

std::string BesideReport::lead() const {
  const std::vector<std::size_t> worst = order();
  const std::string there = "Beside <b>" + report::escaped(path_) + "</b>, ";
  if (worst.empty()) return there + "no column has a row in common. ";
  if (!differs(worst.front())) return there + "all columns are the same. ";
  std::string out = there + "the largest differences beside what the column spans are of ";
  for (std::size_t k = 0; k < std::min(most_names, worst.size()) && differs(worst[k]); ++k) {
    const Column& column = columns_[worst[k]];
    out += (k ? ", " : "") + report::escaped(column.name) + " (" + report::number(column.differences.rms(), 3) + " " +
           unit_of(model_, column.name) + " rms, " + percent_of(share(worst[k])) + ")";
  }
  return out + ". ";
}

std::string BesideReport::html(const std::string& x_title) const {
  const std::vector<std::string> header{"column", "rows",    "rms of the difference", "of its span", "largest", "at " + x_title,
                                        "unit",   "compared"};
  std::vector<std::vector<std::string>> rows{header}, same{header};
  std::vector<std::string> charts;
  std::size_t left_out = 0;
  bool estimates = false, logs = false;
  for (std::size_t k : order()) {
    const Column& column = columns_[k];
    const std::string unit = unit_of(model_, column.name);
    (differs(k) ? rows : same)
        .push_back({report::escaped(column.name), report::grouped(column.differences.count()),
                    report::number(column.differences.rms()), percent_of(share(k)), report::number(column.worst),
                    report::number(column.worst_at, 6), unit, column.result < 0 ? "the log" : "the estimate"});
    if (!differs(k)) continue;
    if (charts.size() == most_charts) {
      ++left_out;
      continue;
    }
    (column.result < 0 ? logs : estimates) = true;
    const int here = static_cast<int>(2 * k);
    charts.push_back(report::time_plot(
        {column.name,
         x_title,
         unit,
         rows_,
         {{"the other", here + 1, 2}, {column.result < 0 ? "the log" : "estimate", here, column.result < 0 ? 1 : 0}},
         -1,
         -1,
         {},
         {},
         {}}));
  }
  std::vector<report::TimeLine> lines;
  if (estimates) lines.push_back({"estimate", 0, 0});
  if (logs) lines.push_back({"the log", 0, 1});
  lines.push_back({"the other file", 0, 2});
  std::string out = other_.timed() ? "<p>At the log's times; between two rows of the other file on the line between them.</p>\n"
                                   : "<p>Row by row: not both files have times.</p>\n";
  out += report::table(rows);
  if (same.size() > 1)
    out += report::folded_away(report::grouped(static_cast<long>(same.size()) - 1) +
                                   (same.size() == 2 ? " column is" : " columns are") + " the same in every row",
                               report::table(same));
  if (!alone_.empty())
    out += "<p>Columns of the other file that neither the log nor the estimate has: " + report::escaped(listing(alone_)) +
           ".</p>\n";
  if (!charts.empty()) out += report::time_key(lines, "") + report::beside(charts);
  if (left_out) out += "<p>" + std::to_string(left_out) + " more columns, which differ less, are not drawn.</p>\n";
  return report::section("Beside " + path_, out);
}

}  // namespace sparsedyn::cli
