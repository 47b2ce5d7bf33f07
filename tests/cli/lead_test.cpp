// The first sentences of pages say what was found, with the numbers that the log gives.
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using sparsedyn::CsvReader;

namespace {

const std::string two_a_joint = R"({"name": "both", "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

std::string lead_of(const std::string& page) {
  const std::string html = text_of(page), opening = "<p class=\"lead\">";
  const std::size_t begin = html.find(opening) + opening.size();
  return html.substr(begin, html.find("</p>", begin) - begin);
}

/// The log with the column's cells from row `first` (from 0) on, before row `last`, replaced by `by`; empty: by that of
/// `first`.
std::string spoilt(const std::string& log, const std::string& column, int first, int last, const std::string& by) {
  std::istringstream lines(log);
  std::string line, out, kept = by;
  std::size_t place = 0;
  for (int row = -1; std::getline(lines, line); ++row) {
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
    if (row < 0)
      while (cells.at(place) != column) ++place;
    else if (row >= first && row < last)
      kept = kept.empty() ? cells[place] : kept, cells[place] = kept;
    for (std::size_t k = 0; k < cells.size(); ++k) out += (k ? "," : "") + cells[k];
    out += "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("the page of an estimate begins with the readings that are stuck or spike, and when") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", two_a_joint), log = folder / "log.csv", page = folder / "page.html";
  REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + set + " --seconds 4 --rate 100 --seed 5 -o " + log).code ==
          0);
  const auto lead = [&](const std::string& of) {
    REQUIRE(run_program("solve " + robot("arm") + " --sensors " + set + " --log " + of + " --outputs tau -o " +
                        (folder / "out.csv") + " --report " + page)
                .code == 0);
    return lead_of(page);
  };
  CHECK(lead(log).rfind("The sensors agree as well as their noise says: chi-square is ", 0) == 0);
  const std::string text = text_of(log),
                    faulty = folder.file("faulty.csv", spoilt(spoilt(text, "y.motors.joint2", 210, 400, ""),
                                                              "y.encoders.joint3", 100, 101, "5000"));
  const std::string said = lead(faulty);
  INFO(said);
  CHECK_THAT(said, Contains("<b>y.motors.joint2</b> is stuck, from 2.1 s (line 212) on"));
  CHECK_THAT(said, Contains("<b>y.encoders.joint3</b> has spikes, the first at 1 s (line 102)"));
  CHECK(said.find("stuck") < said.find("quantities of"));
  const std::string html = text_of(page), before = ", rms ";  // readings, the worst first
  double last = 1e300;
  int readings = 0;
  for (std::size_t at = html.find(before); at != std::string::npos; at = html.find(before, at + 1), ++readings) {
    const double off = std::abs(std::log(std::stod(html.substr(at + before.size()))));
    CHECK(off <= last);
    last = off + 5e-3;  // three digits are shown
  }
  CHECK(readings >= 4);
  CHECK_THAT(said, Contains("With these faults in it, the stated noise does not explain all sensors"));
}

TEST_CASE("the page counts all readings that are as the noise says, and says how many it does not draw") {
  TemporaryFolder folder;
  std::string sensors;
  for (int k = 0; k < 40; ++k)
    sensors += R"({"name": "m)" + std::to_string(k) + R"(", "type": "joint_torque", "joint": "*", "sigma": 0.1}, )";
  const std::string set =
                        folder.file("set.json", R"({"name": "many", "sensors": [)" + sensors +
                                                    R"({"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})"),
                    log = folder / "log.csv", page = folder / "page.html";
  REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + set + " --seconds 3 --rate 100 --seed 5 -o " + log).code ==
          0);
  REQUIRE(run_program("solve " + robot("arm") + " --sensors " + set + " --log " + log + " --outputs tau -o " +
                      (folder / "out.csv") + " --report " + page)
              .code == 0);
  std::istringstream header(text_of(log).substr(0, text_of(log).find('\n')));
  long readings = 0, drawn = 0;
  for (std::string name; std::getline(header, name, ',');) readings += name.rfind("y.m", 0) == 0;
  REQUIRE(readings > 60);
  const std::string html = text_of(page), figure = "aria-label=\"y.m";
  for (std::size_t at = html.find(figure); at != std::string::npos; at = html.find(figure, at + 1)) ++drawn;
  CHECK((drawn > 50 && drawn < 70));
  CHECK_THAT(html, Contains(">" + std::to_string(readings) + " readings are as the stated noise says"));
  CHECK_THAT(html, Contains("<p>" + std::to_string(readings - drawn) + " more readings are not drawn.</p>"));
}

TEST_CASE("the page of an identification begins with the joint whose errors fell most, by how much") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv", page = folder / "page.html",
                    joints = folder.file("joints.json", R"({"joints": {"joint2": {"damping": 2.5}}})");
  REQUIRE(run_program("simulate " + robot("arm") + " --joints " + joints + " --seconds 8 --rate 100 --seed 2 -o " + log).code ==
          0);
  REQUIRE(run_program("identify " + robot("arm") + " --log " + log + " --fit damping -o " + (folder / "found.json") +
                      " --report " + page)
              .code == 0);
  double squares = 0;
  int rows = 0;
  CsvReader read(log);
  const int at = read.ask("dq.joint2");
  for (; read.next(); ++rows) squares += std::pow(2.5 * read.value(at), 2);
  const std::string said = lead_of(page), opening = "The errors of <b>tau.joint2</b> fell from ";
  INFO(said);
  REQUIRE(said.rfind(opening, 0) == 0);
  CHECK(std::stod(said.substr(opening.size())) == Approx(std::sqrt(squares / rows)).epsilon(6e-3));  // three digits are shown
}

TEST_CASE("the page of an identification names the joint whose torques the model does not explain") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv", page = folder / "page.html";
  REQUIRE(run_program("simulate " + robot("arm") + " --seconds 8 --rate 100 --seed 2 -o " + log).code == 0);
  std::istringstream lines(text_of(log));
  std::string line, out;
  std::size_t place = 0;
  for (int row = -1; std::getline(lines, line); ++row) {  // a torque of ± 500 N m that no motion has
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
    if (row < 0)
      while (cells.at(place) != "tau.joint3") ++place;
    else
      cells[place] = std::to_string(500 * std::sin(1.0 * row * row));
    for (std::size_t k = 0; k < cells.size(); ++k) out += (k ? "," : "") + cells[k];
    out += "\n";
  }
  REQUIRE(run_program("identify " + robot("arm") + " --log " + folder.file("noise.csv", out) + " --fit damping -o " +
                      (folder / "found.json") + " --report " + page)
              .code == 0);
  CHECK_THAT(lead_of(page), Contains("The model explains hardly anything of what was measured at <b>tau.joint3</b>, before the "
                                     "fit and after: check friction"));
}

TEST_CASE("the page of a motion says how well energy is kept") {
  TemporaryFolder folder;
  const std::string page = folder / "page.html";
  const Run run = run_program("simulate " + robot("arm") +
                              " --forward --hold 50,5 --integrator implicit-velocity --rate 500 --seconds 1 -o " +
                              (folder / "out.csv") + " --report " + page);
  REQUIRE(run.code == 0);
  const std::string unexplained = run.out.substr(run.out.find("at most ") + 8);
  const std::string said = lead_of(page), opening = "Energy is kept to ";
  INFO(said << run.out);
  REQUIRE(said.rfind(opening, 0) == 0);
  CHECK(std::stod(said.substr(opening.size())) == Approx(std::stod(unexplained)).epsilon(0.06));  // two digits are shown
}
