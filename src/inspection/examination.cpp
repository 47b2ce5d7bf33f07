#include "examination.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "io/text/begins.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn::inspection {

Examination::Examination(const Model& robot, const RecordedLog& recorded, const System* sensors)
    : model(robot), log(recorded), system(sensors), values(recorded.values) {
  if (log.columns.size() != log.values.size()) throw std::invalid_argument("inspect: as many columns of values as names");
  const std::size_t rows = values.empty() ? recorded.lines.size() : values.front().size();
  for (const Series& x : values)
    if (x.size() != rows) throw std::invalid_argument("inspect: columns of one length");
  if (!log.lines.empty() && log.lines.size() != rows) throw std::invalid_argument("inspect: a line for each row");
  for (std::size_t c = 0; c < log.columns.size(); ++c) slot_.emplace(log.columns[c], c);
  row_of_sample.resize(rows);
  std::iota(row_of_sample.begin(), row_of_sample.end(), 0.0);
  result.rows = static_cast<long>(rows);
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1 || joint.nq != 1) continue;
    const BodyJoint kind = model.bodies[static_cast<std::size_t>(joint.first_body)].joint;
    const JointLimits limits = model.limits.empty() ? JointLimits{} : model.limits[static_cast<std::size_t>(joint.v)];
    joints.push_back({joint.name, joint.q, joint.v, !is_shift(kind, 0), limits});
  }
}

Series* Examination::column(const std::string& name) {
  const auto found = slot_.find(name);
  if (found == slot_.end()) return nullptr;
  Series& x = values[found->second];
  return count_of(x) > 0 ? &x : nullptr;
}

std::vector<Series*> Examination::columns(const std::string& prefix, const std::vector<std::string>& components) {
  std::vector<Series*> all;
  for (const std::string& component : components) {
    all.push_back(column(prefix + component));
    if (!all.back()) return {};
  }
  return all;
}

long Examination::line_of(double sample) const {
  if (row_of_sample.empty()) return 0;
  const auto k = static_cast<std::size_t>(std::clamp(sample, 0.0, static_cast<double>(samples() - 1)));
  const auto row = static_cast<std::size_t>(std::clamp(row_of_sample[k], 0.0, static_cast<double>(result.rows - 1)));
  return line_of_row(row);
}

Series Examination::at_rows(const Series& column) const {
  if (places_of_rows.empty()) return column;
  Series rows;
  for (std::size_t place : places_of_rows) rows.push_back(column[place]);
  return rows;
}

double Examination::time_of(std::size_t sample) const {
  if (row_times.empty()) return static_cast<double>(sample) * step;
  const double row = std::clamp(row_of_sample[sample], 0.0, static_cast<double>(row_times.size() - 1));
  const auto before = static_cast<std::size_t>(row), after = std::min(before + 1, row_times.size() - 1);
  return (row_times[before] + (row - static_cast<double>(before)) * (row_times[after] - row_times[before])) / time_unit;
}

void Examination::add(FindingKind kind, Severity severity, std::vector<std::string> columns, std::string evidence,
                      std::string likely, std::string remedy, double first_sample, double last_sample) {
  const double last = last_sample < 0 ? static_cast<double>(samples()) : last_sample;
  Finding finding;
  finding.kind = kind, finding.severity = severity, finding.columns = std::move(columns);
  finding.evidence = std::move(evidence), finding.likely = std::move(likely), finding.remedy = std::move(remedy);
  finding.from_line = line_of(std::max(0.0, first_sample)), finding.to_line = line_of(last);
  result.findings.push_back(std::move(finding));
}

std::vector<std::string> Examination::names_with(const std::string& prefix) const {
  std::vector<std::string> names;
  for (const std::string& name : log.columns)
    if (begins(name, prefix)) names.push_back(name);
  return names;
}

void Examination::unjudged(std::vector<std::string> columns, const std::string& why) {
  for (Unjudged& known : result.unjudged)
    if (known.why == why) {
      known.columns.insert(known.columns.end(), columns.begin(), columns.end());
      return;
    }
  result.unjudged.push_back({std::move(columns), why});
}

std::string shown(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

void settle_findings(std::vector<Finding>& findings) {
  std::vector<Finding> merged;
  for (Finding& finding : findings) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const Finding& other) {
      return other.kind == finding.kind && other.severity == finding.severity && other.likely == finding.likely &&
             other.remedy == finding.remedy;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(finding));
      continue;
    }
    for (std::string& name : finding.columns)
      if (std::find(same->columns.begin(), same->columns.end(), name) == same->columns.end())
        same->columns.push_back(std::move(name));
    if (same->evidence.size() < 400) same->evidence += "; " + finding.evidence;
    same->from_line = std::min(same->from_line, finding.from_line);
    same->to_line = std::max(same->to_line, finding.to_line);
  }
  std::stable_sort(merged.begin(), merged.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.severity, a.kind) < std::pair(b.severity, b.kind);
  });
  findings = std::move(merged);
}

}  // namespace sparsedyn::inspection
