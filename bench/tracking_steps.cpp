// How even the steps of a Tracker are: processor time of each, its mean, median, 99.9 % and worst, and how memory grows. Of
// each row of LOG also the least of all times that it was gone through: what is left there belongs to the row and not to the
// machine.
//
//   build/bench/bench_tracking_steps ROBOT.urdf SET.json LOG.csv RATE STEPS [kinematic]
//
// A floating robot; the rows of LOG are gone through again and again (what jumps there costs no more than what does not).
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include "sparsedyn/json/files.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace {

using namespace sparsedyn;

struct Log {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

Log read_log(const char* path) {
  Log log;
  std::ifstream file(path);
  std::string line, cell;
  std::getline(file, line);
  for (std::istringstream cells(line); std::getline(cells, cell, ',');) log.columns.push_back(cell);
  while (std::getline(file, line)) {
    std::vector<double> row;
    for (std::istringstream cells(line); std::getline(cells, cell, ',');) row.push_back(std::atof(cell.c_str()));
    log.rows.push_back(row);
  }
  return log;
}

/// The tracker's readings, row by row; a column that the log has not: its fallback.
std::vector<std::vector<double>> readings(const Tracker& tracker, const Log& log) {
  std::vector<std::vector<double>> found(log.rows.size());
  for (const TrackerInput& input : tracker.inputs()) {
    auto at = log.columns.end();
    for (const std::string& column : input.columns)
      if (at == log.columns.end()) at = std::find(log.columns.begin(), log.columns.end(), column);
    for (std::size_t k = 0; k < found.size(); ++k)
      found[k].push_back(at == log.columns.end() ? (input.is_flag ? 1.0 : input.fallback)
                                                 : log.rows[k][static_cast<std::size_t>(at - log.columns.begin())]);
  }
  return found;
}

double processor_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

long memory_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// Numbers in order of size.
class Spread {
 public:
  explicit Spread(std::vector<double> numbers) : numbers_(std::move(numbers)) { std::sort(numbers_.begin(), numbers_.end()); }
  double at(double share) const { return numbers_[static_cast<std::size_t>(share * static_cast<double>(numbers_.size() - 1))]; }
  double mean() const { return std::accumulate(numbers_.begin(), numbers_.end(), 0.0) / static_cast<double>(numbers_.size()); }

 private:
  std::vector<double> numbers_;
};

/// Of steps that go through `rows` rows again and again, each row's least time.
std::vector<double> least_of_rows(const std::vector<double>& us, std::size_t rows) {
  std::vector<double> least(us.begin(), us.begin() + static_cast<std::ptrdiff_t>(std::min(rows, us.size())));
  for (std::size_t k = 0; k < us.size(); ++k) least[k % rows] = std::min(least[k % rows], us[k]);
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return std::fprintf(stderr, "ROBOT.urdf SET.json LOG.csv RATE STEPS [kinematic]\n"), 2;
  LoadOptions load;
  load.floating = true;
  const Model robot = load_urdf(argv[1], load);
  TrackerOptions options;
  options.rows = argc > 6 ? TrackRows::kinematic : TrackRows::whole_body;
  Tracker tracker(std::make_shared<const System>(robot, load_sensor_set(argv[2])), options);
  const auto rows = readings(tracker, read_log(argv[3]));
  const double dt = 1 / std::atof(argv[4]);
  const auto steps = static_cast<std::size_t>(std::atol(argv[5]));
  std::vector<double> out(tracker.columns().size()), us(steps);
  long failed = 0, before = 0;
  tracker.start();
  for (std::size_t k = 0; k < steps; ++k) {
    if (k == steps / 10) before = memory_kib();
    const double from = processor_us();
    failed += !tracker.step(rows[k % rows.size()].data(), dt, out.data()).ok;
    us[k] = processor_us() - from;
  }
  const long grown = memory_kib() - before;
  const Spread of_rows(least_of_rows(us, rows.size()));
  us.erase(us.begin(), us.begin() + static_cast<std::ptrdiff_t>(steps / 10));
  const Spread all(us);
  std::printf(
      "%d errors, %zu steps (%ld failed): mean %.2f us, median %.1f us, 99.9 %% %.1f us (%.2f times), worst %.1f us; of rows, "
      "each the "
      "least: median %.1f us, 99.9 %% %.1f us (%.2f times), worst %.1f us; memory grew by %ld kiB\n",
      tracker.states(), steps, failed, all.mean(), all.at(0.5), all.at(0.999), all.at(0.999) / all.at(0.5), all.at(1),
      of_rows.at(0.5), of_rows.at(0.999), of_rows.at(0.999) / of_rows.at(0.5), of_rows.at(1), grown);
  return 0;
}
