// An estimate that hands on what it is given, and a sink that keeps what comes out.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/live/live_core.hpp"

namespace sparsedyn::test {

/// Readings `y.NAME` of sensors NAME; its outputs are what it read.
class HandsOn : public LiveEstimate {
 public:
  explicit HandsOn(const std::vector<std::string>& sensors, bool over_time = false) : over_time_(over_time) {
    for (const std::string& name : sensors) add("y." + name, name);
  }
  void add(const std::string& column, const std::string& sensor) { add(std::vector<std::string>{column}, sensor); }
  void add(const std::vector<std::string>& columns, const std::string& sensor) {
    const std::string& column = columns.front();
    readings_.push_back({columns, sensor, false, 0, sensor.compare(0, 4, "flag") == 0});
    columns_.push_back("out." + column);
    if (links_.empty()) links_ = {"link"};
  }
  const std::vector<std::string>& columns() const override { return columns_; }
  bool over_time() const override { return over_time_; }
  LiveAnswer answer(const double* readings, double dt, double* out) noexcept override {
    for (std::size_t k = 0; k < columns_.size(); ++k) out[k] = readings[k];
    intervals.push_back(dt);
    return {true, "", -1};
  }
  double innovation(std::size_t) const noexcept override { return std::nan(""); }
  bool set_sigma(std::size_t k, double sigma) noexcept override {
    sigmas.emplace_back(k, sigma);
    return true;
  }
  std::vector<double> intervals;
  std::vector<std::pair<std::size_t, double>> sigmas;

 private:
  bool over_time_;
  std::vector<std::string> columns_;
};

/// Samples row by row, their time first; findings.
struct Collected : LiveSink {
  explicit Collected(std::size_t columns) : width(columns) {}
  void sample(double time, std::int64_t, const LiveAnswer& answer, const double* out) noexcept override {
    rows.push_back({time});
    rows.back().insert(rows.back().end(), out, out + width);
    failed += !answer.ok;
  }
  void finding(const LiveFinding& found) noexcept override { findings.push_back(found); }
  /// The first of that kind, or null.
  const LiveFinding* first(LiveFault kind, bool over = false) const {
    for (const LiveFinding& found : findings)
      if (found.kind == kind && found.over == over) return &found;
    return nullptr;
  }
  std::size_t width;
  std::vector<std::vector<double>> rows;
  std::vector<LiveFinding> findings;
  long failed = 0;
};

/// ns
inline std::int64_t at(double seconds) { return 1'000'000'000'000 + static_cast<std::int64_t>(std::llround(1e9 * seconds)); }

/// To the last bit; NaN is NaN.
inline bool same_bits(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return false;
    for (std::size_t k = 0; k < a[i].size(); ++k)
      if (!(a[i][k] == b[i][k] || (std::isnan(a[i][k]) && std::isnan(b[i][k])))) return false;
  }
  return true;
}

}  // namespace sparsedyn::test
