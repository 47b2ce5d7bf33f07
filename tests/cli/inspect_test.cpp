// `inspect`: its answer in words and JSON, its exit codes and page; and the warnings of commands that read logs.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// A log of the arm's motion of 10 s, in which one column is multiplied.
std::string faulty_log(TemporaryFolder& folder, const std::string& column, double factor) {
  const std::string clean = folder / "clean.csv";
  REQUIRE(run_program("excite --quiet " + robot("arm") + " --seconds 10 --rate 100 -o " + clean).code == 0);
  std::istringstream lines(text_of(clean));
  std::string line, cell, out, header;
  std::getline(lines, header);
  out = header + "\n";
  std::size_t at = 0, found = 0;
  for (std::istringstream names(header); std::getline(names, cell, ','); ++at)
    if (cell == column) found = at;
  REQUIRE(found > 0);
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string row;
    for (std::size_t k = 0; std::getline(cells, cell, ','); ++k)
      row += (k ? "," : "") + (k == found ? std::to_string(std::stod(cell) * factor) : cell);
    out += row + "\n";
  }
  return folder.file("faulty.csv", out);
}

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

}  // namespace

TEST_CASE("inspect of a clean log finds nothing, and exits with 0") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv";
  REQUIRE(run_program("excite --quiet " + robot("arm") + " --seconds 10 --rate 100 -o " + log).code == 0);
  const Run run = run_program("inspect --strict " + robot("arm") + " --log " + log);
  CHECK(run.code == 0);
  CHECK(run.out == "1000 rows, 100 Hz, 9.99 s\nnothing found\n");
  CHECK(run.err.empty());
}

TEST_CASE("inspect names the torque of the other sign, with all that the JSON promises") {
  TemporaryFolder folder;
  const std::string log = faulty_log(folder, "tau.joint2", -1), page = folder / "page.html";
  const Run run = run_program("inspect --json " + robot("arm") + " --log " + log + " --report " + page);
  CHECK(run.code == 0);
  const json found = json::parse(run.out);
  CHECK(found["rows"] == 1000);
  CHECK(found["rate"].get<double>() == Approx(100));
  CHECK(found["duration"].get<double>() == Approx(9.99));
  REQUIRE(found["findings"].size() == 1);
  const json& finding = found["findings"][0];
  CHECK(keys_of(finding) ==
        std::vector<std::string>{"columns", "evidence", "from_line", "kind", "likely", "remedy", "severity", "to_line"});
  CHECK(finding["kind"] == "torque_sign");
  CHECK(finding["columns"] == json{"tau.joint2"});
  CHECK(finding["severity"] == "harm");
  CHECK(finding["from_line"] == 2);
  CHECK(finding["to_line"] == 1001);
  CHECK_THAT(text_of(page), Contains("1 finding: <b>tau.joint2</b>, from 0 s to 9.99 s: torques counted the other way round") &&
                                Contains("Torques beside the model") &&
                                Contains("tau.joint2: torque_sign, 0 s to 9.99 s</figcaption>") &&
                                Contains("The other columns, as they are") && Contains("dq.joint3</figcaption>"));
  CHECK(text_of(page).find("Columns with findings") < text_of(page).find("Ranges, limits and gaps"));
  CHECK(run_program("inspect --strict " + robot("arm") + " --log " + log).code == 1);
}

TEST_CASE("inspect's page has the log's times, and leaves out what is lost") {
  TemporaryFolder folder;
  const std::string whole = faulty_log(folder, "tau.joint2", -1), page = folder / "page.html";
  std::istringstream rows(text_of(whole));
  std::string kept, row;
  for (int line = 1; std::getline(rows, row); ++line)
    if (line <= 402 || line > 502) kept += row + "\n";  // one second of ten
  const Run run = run_program("inspect " + robot("arm") + " --log " + folder.file("kept.csv", kept) + " --report " + page);
  CHECK(run.code == 0);
  CHECK_THAT(text_of(page), Contains("<b>tau.joint2</b>, from 0 s to 9.99 s") &&
                                Contains("<b>time</b>, from 4 s to 5.01 s: rows that were lost") &&
                                Contains("Torques beside the model") && Contains("class=\"gap"));
  CHECK_THAT(text_of(page), Contains("tau.left_finger_slide</figcaption>"));
}

TEST_CASE("commands that read logs warn in one line of what inspect would find") {
  TemporaryFolder folder;
  const std::string log = faulty_log(folder, "tau.joint2", 1000), out = folder / "out";
  const std::string warning =
      "warning: " + log + ": torque_scale: tau.joint2: torques in N mm? `sparsedyn inspect` shows the evidence\n";
  CHECK_THAT(run_program("identify " + robot("arm") + " --log " + log + " -o " + out).err, Contains(warning));
  CHECK_THAT(run_program("solve " + robot("arm") + " --sensors forward-dynamics --log " + log + " -o " + out).err,
             Contains(warning));
  CHECK_THAT(run_program("solve --quiet " + robot("arm") + " --sensors forward-dynamics --log " + log + " -o " + out).err,
             !Contains("inspect"));
  const std::string slow = faulty_log(folder, "q.joint2", 57.29577951308232);
  CHECK_THAT(run_program("differentiate " + slow + " -o " + out).err,
             Contains("angle_unit: q.joint2: positions in degrees? `sparsedyn inspect` shows the evidence"));
}

TEST_CASE("inspect's usage and bad files") {
  TemporaryFolder folder;
  const std::string log = folder.file("log.csv", "time,q.joint1\n0,one\n");
  CHECK(run_program("inspect " + robot("arm") + " --log " + log).code == 3);
  CHECK(run_program("inspect " + robot("arm") + " --log " + folder / "none.csv").code == 3);
  CHECK(run_program("inspect " + robot("arm")).code == 2);
  CHECK(run_program("inspect " + robot("arm") + " --log " + robot_log("arm") + " --report -").code == 2);
  CHECK(run_program("inspect " + robot("arm") + " --log " + robot_log("arm") + " --report " + robot_log("arm")).code == 2);
}
