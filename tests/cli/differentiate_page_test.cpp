// The page of `differentiate`: what it says of a log's own velocities, against the two columns compared here.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

/// A column of a CSV without quotes; NaN where a cell is empty.
std::vector<double> column_in(const std::string& csv, const std::string& name) {
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> header = cells_of(line);
  std::size_t at = 0;
  while (at < header.size() && header[at] != name) ++at;
  REQUIRE(at < header.size());
  std::vector<double> values;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    values.push_back(at < cells.size() && !cells[at].empty() ? std::stod(cells[at]) : std::nan(""));
  }
  return values;
}

/// Of the log: q, and dq of joint2 alone, as `scale` times what it is.
std::string log_with(const std::string& csv, double scale, bool with_velocity) {
  const std::vector<double> time = column_in(csv, "time"), q = column_in(csv, "q.joint2"), dq = column_in(csv, "dq.joint2");
  std::string out = with_velocity ? "time,q.joint2,dq.joint2\n" : "time,q.joint2\n";
  char line[200];
  for (std::size_t i = 0; i < time.size(); ++i) {
    std::snprintf(line, sizeof line, "%.17g,%.17g", time[i], q[i]);
    out += line;
    std::snprintf(line, sizeof line, ",%.17g", scale * dq[i]);
    out += with_velocity ? line + std::string("\n") : "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("differentiate's page says how far a log's own velocities are from those made") {
  const TemporaryFolder folder;
  const std::string csv = text_of(robot_log("arm")), page = folder / "page.html", out = folder / "out.csv";
  const std::string without = folder.file("without.csv", log_with(csv, 1, false)),
                    wrong = folder.file("wrong.csv", log_with(csv, 1.1, true));
  REQUIRE(run_program("differentiate " + without + " -o " + out + " --report " + page).code == 0);
  CHECK_THAT(text_of(page), Contains("no velocities or accelerations of its own") && Contains("dq.joint2") &&
                                Contains("ddq.joint2") && Contains("differentiate: "));
  const std::vector<double> made = column_in(text_of(out), "dq.joint2"), own = column_in(text_of(wrong), "dq.joint2");
  double squares = 0;
  long rows = 0;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (std::isfinite(made[i])) squares += (own[i] - made[i]) * (own[i] - made[i]), ++rows;
  REQUIRE(rows > 200);
  char rms[32];
  std::snprintf(rms, sizeof rms, "%.3g", std::sqrt(squares / static_cast<double>(rows)));
  const Run run = run_program("differentiate " + wrong + " -o " + out + " --report " + page);
  CHECK(run.code == 0);
  CHECK_THAT(text_of(page), Contains("<b>dq.joint2</b> differs most: by " + std::string(rms) + " (rms)") &&
                                Contains("Beside the log's own derivatives") && Contains(std::to_string(rows)));
  CHECK(run_program("differentiate " + wrong + " -o " + out + " --report -").code == 2);
}

TEST_CASE("an integrator without forward simulation is refused, not passed over") {
  const TemporaryFolder folder;
  const std::string simulate = "simulate " + robot("arm") + " --seconds 0.1 -o " + (folder / "out.csv");
  const Run run = run_program(simulate + " --integrator runge-kutta");
  CHECK(run.code == 2);
  CHECK_THAT(run.err, Contains("--integrator: expected --forward or --constraints beside it"));
  CHECK(run_program(simulate + " --forward --integrator runge-kutta").code == 0);
}
