// Logs whose columns other characters part, and readings that go by another name.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// The arm's log with other separators, and commas in its numbers.
std::string european(std::string log, char separator) {
  for (char& c : log) c = c == ',' ? separator : c == '.' ? ',' : c;
  std::string header = log.substr(0, log.find('\n'));
  std::replace(header.begin(), header.end(), ',', '.');
  return header + log.substr(header.size());
}

}  // namespace

TEST_CASE("a log with semicolons and decimal commas is refused by name, and read with the options that the message names") {
  const TemporaryFolder folder;
  const std::string plain = text_of(robot_log("arm"));
  const std::string solve = "solve " + robot("arm") + " --sensors inverse-dynamics --quiet -o ", out = folder / "out.csv";
  REQUIRE(run_program(solve + out + " --log " + robot_log("arm")).code == 0);
  const std::string expected = text_of(out);
  const std::string log = folder.file("log.csv", european(plain, ';'));
  const Run refused = run_program(solve + out + " --log " + log);
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("log.csv:1: header: columns parted by ';'; expected ',', or --separator ';'"));
  const Run commas = run_program(solve + out + " --separator ';' --log " + log);
  CHECK(commas.code == 3);
  CHECK_THAT(commas.err, Contains("a decimal comma; expected a decimal point, or --decimal-comma"));
  const Run read =
      run_program(solve + out + " --separator ';' --decimal-comma --corrected " + (folder / "corrected.csv") + " --log " + log);
  INFO(read.err);
  CHECK(read.code == 0);
  CHECK(text_of(out) == expected);
  CHECK(text_of(folder / "corrected.csv").substr(0, 200).find(';') == std::string::npos);
  CHECK(run_program(solve + out + " --log " + (folder / "corrected.csv")).code == 0);  // a log with commas again

  std::string blanks = plain;
  std::replace(blanks.begin(), blanks.end(), ',', ' ');
  for (const char* name : {"blank", "' '"}) {
    CHECK(run_program(solve + out + " --separator " + name + " --log " + folder.file("blanks.csv", blanks)).code == 0);
    CHECK(text_of(out) == expected);
  }
  const Run unknown = run_program(solve + out + " --separator ':' --log " + log);
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("--separator :") && Contains("expected ',', ';', tab or blank"));
}

TEST_CASE("readings that the log has under another sensor's or component's name are told") {
  const TemporaryFolder folder;
  const auto error_with = [&](const std::string& set, const std::string& from, const std::string& to) {
    const std::string sensors = folder.file("set.json", set), log = folder / "log.csv";
    REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + sensors + " --seconds 0.1 -o " + log).code == 0);
    std::string text = text_of(log);
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    const Run run = run_program("solve " + robot("arm") + " --sensors " + sensors + " -o " + (folder / "out.csv") + " --log " +
                                folder.file("renamed.csv", text));
    CHECK(run.code == 3);
    return run.err;
  };
  const std::string wrist = R"({"name": "s", "sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
    {"name": "wrist", "type": "force_torque", "joint": "flange", "sigma": 0.3}]})";
  CHECK_THAT(error_with(wrist, "y.wrist.", "y.ft300."),
             Contains("it has y.ft300.fx, y.ft300.fy, y.ft300.fz and 3 more, which may be y.wrist.*"));
  CHECK_THAT(error_with(wrist, "y.wrist.f", "/wrench/force."), Contains("which may be y.wrist.*"));
}

TEST_CASE("a log whose times jitter is brought onto an even clock by --rate, and is differentiated there") {
  const TemporaryFolder folder;
  std::string text = "time;q.a;note\n";
  for (int k = 0; k < 400; ++k) {
    const double time = 0.01 * k + 0.003 * std::sin(7.0 * k);
    char line[80];
    std::snprintf(line, sizeof line, "%.9f;%.12f;ok\n", time, std::sin(2 * time));
    text += line;
  }
  const std::string log = folder.file("log.csv", text), out = folder / "out.csv";
  const std::string differentiate = "differentiate " + log + " --separator ';' --window 0.2 -o " + out;
  const Run uneven = run_program(differentiate);
  CHECK(uneven.code == 3);
  CHECK_THAT(uneven.err, Contains("or --rate"));
  const Run even = run_program(differentiate + " --rate 100");
  INFO(even.err);
  REQUIRE(even.code == 0);
  CHECK_THAT(even.err, Contains("left out, for they are no numbers: note"));
  sparsedyn::CsvReader made(out);
  const int time = made.ask("time"), dq = made.ask("dq.a");
  int rows = 0;
  for (; made.next(); ++rows) {
    CHECK(made.value(time) == Approx(0.01 * rows).margin(1e-12));
    if (rows > 30 && rows < 360) CHECK(made.value(dq) == Approx(2 * std::cos(2 * made.value(time))).margin(2e-3));
  }
  CHECK(rows >= 399);
  CHECK(run_program(differentiate + " --rate 0x").code == 2);
  CHECK(run_program(differentiate + " --rate -1").code == 2);
}
