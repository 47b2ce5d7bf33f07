#include "log_findings.hpp"

#include <algorithm>

namespace sparsedyn {
namespace {

/// How many directions of the offsets the log tells: as many squares fewer are expected in its chi-square.
long offset_directions_known(const LogEstimator& log) {
  const TakenOff& off = log.offsets().taken_off;
  const std::size_t n = off.rows.size();
  return n == 0 ? 0 : static_cast<long>(n - off.open.size() / n);
}

/// What the log and its sensor say of the stated noise; false too where the reading drifts.
std::optional<bool> offset_trusted(const System& system, int row, const std::vector<SensorNoise>& noise,
                                   const std::vector<ReadingFault>& faults, std::optional<bool> of_log) {
  std::optional<bool> answer = of_log;
  for (const Measurement& m : system.measurements())
    if (row >= m.first_row && row < m.first_row + m.rows())
      for (const SensorNoise& of : noise)
        if (of.sensor == m.sensor && !of.agrees.value_or(true)) answer = false;
  for (const ReadingFault& fault : faults)
    if (fault.row == row && fault.kind == FaultKind::drift) answer = false;
  return answer;
}

void report_offsets(const System& system, const LogEstimator& log, SolveReport& into) {
  const LearntOffsets& found = log.offsets();
  const std::vector<SensorNoise> noise = log.faults().noise();
  const std::vector<ReadingFault> faults = log.faults().faults();
  const std::size_t n = log.offset_names().size();
  for (std::size_t k = 0; k < n; ++k) {
    OffsetFound offset;
    offset.column = log.offset_names()[k];
    offset.determined = found.determined[k];
    if (offset.determined) {
      offset.value = found.value[k], offset.deviation = found.standard_deviation[k];
      offset.trusted = offset_trusted(system, found.taken_off.rows[k], noise, faults, into.trusted);
    }
    into.offsets.push_back(offset);
    for (std::size_t l = 0; l < n; ++l)
      if (found.determined[k] && found.determined[l]) into.offset_covariance.push_back(found.taken_off.covariance[k * n + l]);
  }
}

std::vector<std::string> columns_of(const std::vector<int>& rows, const std::vector<std::string>& names) {
  std::vector<std::string> columns;
  for (int row : rows) columns.push_back(names[static_cast<std::size_t>(row)]);
  return columns;
}

void report_faults(const ReadingFaults& faults, const std::vector<std::string>& names, SolveReport& into) {
  const std::vector<ReadingFault> found = faults.faults();
  into.outliers = faults.outliers();
  for (const OutlierSample& sample : faults.worst())
    into.worst.push_back({sample.line, sample.row < 0 ? "" : names[static_cast<std::size_t>(sample.row)], sample.chi_square});
  for (const ReadingFault& fault : found)
    into.faults.push_back({names[static_cast<std::size_t>(fault.row)], fault.kind, fault.from_line, fault.samples, fault.change,
                           columns_of(fault.or_else, names)});
  for (const auto& [row, samples] : faults.often_off()) {
    const int off = row;
    const auto explains = [&](const ReadingFault& fault) { return fault.row == off && fault.kind != FaultKind::spikes; };
    if (std::any_of(found.begin(), found.end(), explains)) continue;
    into.often_off.emplace_back(names[static_cast<std::size_t>(off)], samples);
  }
}

}  // namespace

void report_log(const System& system, const LogEstimator& log, const ChiSquare& of_rows, const std::vector<std::string>& names,
                SolveReport& into) {
  into.chi_square = of_rows.sum, into.expected_chi_square = of_rows.expected - offset_directions_known(log);
  into.trusted = trusted(ChiSquare{into.chi_square, into.expected_chi_square});
  for (const SensorNoise& of : log.faults().noise())
    into.noise.push_back({system.sensors().sensors[static_cast<std::size_t>(of.sensor)].name, of.innovations, of.agrees,
                          columns_of(of.rejected, names)});
  report_offsets(system, log, into);
  into.not_learnt = log.samples_passed_over();
  report_faults(log.faults(), names, into);
}

}  // namespace sparsedyn
