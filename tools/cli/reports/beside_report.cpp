#include "beside_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cli/support/messages.hpp"
#include "counted.hpp"
#include "io/text/how_many.hpp"
#include "model/names/units.hpp"

namespace sparsedyn::cli {
namespace {

constexpr std::size_t most_charts = 40, most_names = 3;
constexpr double same_within = 1e-12;  // beside the numbers: rounding of how they were computed
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::string percent_of(double share) { return report::number(100 * share, 3) + "\u202f%"; }

}  // namespace

OtherRows::OtherRows(const std::string& path, bool timed, const std::function<bool(const std::string&)>& wanted) : log_(path) {
  if (timed && log_.has("time")) time_slot_ = log_.ask("time"), log_.take_gap_words(time_slot_);
  for (const std::string& column : log_.columns()) {
    if (column == "time") continue;
    if (wanted(column))
      columns_.push_back(column), slots_.push_back(log_.ask(column)), log_.take_gap_words(slots_.back());
    else
      alone_.push_back(column);
  }
  quaternions_ = quaternions_among(columns_);
  now_.assign(columns_.size(), missing);
  before_.values = after_.values = next_.values = now_;
}

/// The next row; the next one with a time, where times count.
bool OtherRows::read(Row& row) {
  while (log_.next()) {
    if (timed()) row.time = log_.value(time_slot_);
    if (timed() && !std::isfinite(row.time)) {
      ++passed_over_;
      continue;
    }
    for (std::size_t k = 0; k < slots_.size(); ++k) row.values[k] = log_.value(slots_[k]);
    return true;
  }
  return false;
}

/// False at the end; then nothing is known after `before_`.
bool OtherRows::take_next() {
  std::swap(before_, after_);
  for (; more_; ++passed_over_) {
    std::swap(after_, next_);
    more_ = read(next_);
    const bool ahead = more_ && next_.time > before_.time && next_.time < after_.time;
    if (timed() && (ahead || !(after_.time > before_.time))) continue;
    align_signs(quaternions_, before_.values.data(), after_.values.data());
    return true;
  }
  ended_ = true;
  return false;
}

/// What lies so far from `before_` to `after_`.
void OtherRows::put(double share) {
  there_ = true;
  for (std::size_t k = 0; k < now_.size(); ++k) {
    const double a = before_.values[k], b = after_.values[k];
    now_[k] = share == 1 ? b : share == 0 ? a : a + share * (b - a);
  }
  if (share == 1 || share == 0) return;
  for (const QuaternionPlaces& places : quaternions_) {
    double square = 0;
    for (std::size_t k : places) square += now_[k] * now_[k];
    for (std::size_t k : places)
      if (square > 0) now_[k] /= std::sqrt(square);
  }
}

void OtherRows::move_to(double time) {
  there_ = false;
  std::fill(now_.begin(), now_.end(), missing);
  if (!begun_) {
    begun_ = true, more_ = read(next_);
    if (timed()) take_next();
  }
  if (!timed()) {
    if (!ended_ && take_next()) put(1);
    return;
  }
  if (!std::isfinite(time)) return;
  while (!ended_ && after_.time < time) take_next();
  if (ended_) return;
  if (time == after_.time)
    put(1);
  else if (std::isfinite(before_.time) && time >= before_.time)
    put((time - before_.time) / (after_.time - before_.time));
}

BesideReport::BesideReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns, bool timed,
                           const std::string& path)
    : model_(model),
      log_(log),
      path_(path),
      other_(path, timed,
             [&](const std::string& name) {
               return log.has(name) || std::find(columns.begin(), columns.end(), name) != columns.end();
             }),
      rows_(1) {
  for (std::size_t k = 0; k < other_.columns().size(); ++k) {
    const std::string& name = other_.columns()[k];
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found != columns.end())
      columns_.push_back({name, k, static_cast<int>(found - columns.begin()), -1});
    else
      columns_.push_back({name, k, -1, log.ask(name)}), log.take_gap_words(columns_.back().slot);
  }
  quaternions_ = quaternions_among(other_.columns());
  const std::size_t channels = std::max<std::size_t>(1, values());
  rows_ = report::Thinned(channels, report::stretches_of_page(channels));
  row_.resize(channels), here_.resize(columns_.size()), there_ = here_;
}

void BesideReport::read(double time, std::vector<double>& into) {
  other_.move_to(time);
  ++asked_, met_ += other_.there();
  for (const Column& column : columns_) {
    into.push_back(column.slot < 0 ? missing : log_.value(column.slot));
    into.push_back(other_.value(column.other));
  }
}

void BesideReport::add(const double* results, const double* read, double at) {
  for (std::size_t k = 0; k < columns_.size(); ++k)
    here_[k] = columns_[k].result < 0 ? read[2 * k] : results[columns_[k].result], there_[k] = read[2 * k + 1];
  align_signs(quaternions_, here_.data(), there_.data());
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    Column& column = columns_[k];
    row_[2 * k] = here_[k], row_[2 * k + 1] = there_[k];
    const double difference = here_[k] - there_[k];
    if (!std::isfinite(difference)) continue;
    column.differences.add(difference);
    if (std::abs(difference) > column.worst) column.worst = std::abs(difference), column.worst_at = at;
  }
  if (std::isfinite(at)) rows_.add(at, row_.data());
}

/// By more than rounding, beside what the column holds.
bool BesideReport::differs(std::size_t k) const {
  const report::Thinned::Extremes here = rows_.range(2 * k), there = rows_.range(2 * k + 1);
  double size = 0;
  for (double end : {here.low, here.high, there.low, there.high}) size = std::fmax(size, std::abs(end));
  return columns_[k].differences.largest() > same_within * size;
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
  const std::string less = met_ == asked_ ? ""
                                          : " " + report::grouped(asked_ - met_) + " of " + report::grouped(asked_) +
                                                " rows of the log have no row of it beside them.";
  if (!differs(worst.front())) return there + "all columns are the same." + less + " ";
  std::string out = there + "the largest differences beside what the column spans are of ";
  for (std::size_t k = 0; k < std::min(most_names, worst.size()) && differs(worst[k]); ++k) {
    const Column& column = columns_[worst[k]];
    out += (k ? ", " : "") + report::escaped(column.name) + " (" + report::number(column.differences.rms(), 3) + " " +
           unit_of(model_, column.name) + " rms, " + percent_of(share(worst[k])) + ")";
  }
  return out + "." + less + " ";
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
  if (other_.passed_over())
    out += "<p>Of the other file " + counted(other_.passed_over(), "row is", "rows are") +
           " passed over: without a time, or out of turn.</p>\n";
  out += report::table(rows);
  if (same.size() > 1)
    out += report::folded_away(report::grouped(static_cast<long>(same.size()) - 1) +
                                   (same.size() == 2 ? " column is" : " columns are") + " the same in every row",
                               report::table(same));
  if (!other_.alone().empty())
    out +=
        "<p>Columns of the other file that neither the log nor the estimate has: " + report::escaped(listing(other_.alone())) +
        ".</p>\n";
  if (!charts.empty()) out += report::time_key(lines, "") + report::beside(charts);
  if (left_out)
    out +=
        "<p>" +
        how_many(static_cast<long>(left_out), "more column, which differs less, is", "more columns, which differ less, are") +
        " not drawn.</p>\n";
  return report::section("Beside " + path_, out);
}

}  // namespace sparsedyn::cli
