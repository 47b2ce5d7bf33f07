// The first sentences of pages say what was found, with the numbers that the log gives.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
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
                    faulty_text = spoilt(spoilt(text, "y.motors.joint2", 210, 400, ""), "y.encoders.joint3", 100, 101, "5000"),
                    faulty = folder.file("faulty.csv", faulty_text);
  const std::string said = lead(faulty);
  INFO(said);
  CHECK_THAT(said, Contains("<b>y.motors.joint2</b> is stuck, from 2.1 s (line 212) on"));
  CHECK_THAT(said, Contains("<b>y.encoders.joint3</b> has spikes, the first at 1 s (line 102)"));
  CHECK(said.find("stuck") < said.find("quantities of"));
  // Lines that are empty move the others.
  std::string spread = faulty_text;
  for (std::size_t at = 0, line = 1; (at = spread.find('\n', at)) != std::string::npos; ++at, ++line)
    if (line == 1 || line % 50 == 0) spread.insert(at, "\n"), ++at;
  CHECK_THAT(lead(folder.file("spread.csv", spread)),
             Contains("<b>y.motors.joint2</b> is stuck, from 2.1 s (line 217) on") &&
                 Contains("<b>y.encoders.joint3</b> has spikes, the first at 1 s (line 105)"));
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
  const std::size_t strip = html.find("aria-label=\"strip of ");  // the one that is farthest off comes first
  CHECK(html.find("aria-label=\"strip of y.encoders.joint3: ") == strip);
  CHECK(html.find("class=\"far3\"", strip) < html.find("</svg>", strip));
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

TEST_CASE("the page of an identification has units, bounds, and what was found less the robot's file") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv", page = folder / "page.html",
                    joints =
                        folder.file("joints.json", R"({"joints": {"joint2": {"damping": 2.5}, "joint4": {"friction": 1}}})");
  REQUIRE(run_program("simulate " + robot("arm") + " --joints " + joints + " --seconds 8 --rate 100 --seed 2 -o " + log).code ==
          0);
  REQUIRE(run_program("identify " + robot("arm") + " --log " + log + " --fit damping,friction -o " + (folder / "found.json") +
                      " --report " + page)
              .code == 0);
  const std::string html = text_of(page);
  CHECK_THAT(html, Contains("Found less the file's (N m s/rad)") && Contains("Found less the file's (N s/m)") &&
                       Contains("Found less the file's (N m)"));
  CHECK_THAT(html, Contains("0 (bound)") && Contains("<td>N m s/rad</td>"));
  const std::size_t chart = html.find("Found less the file's (N m s/rad)"), row = html.find("<p class=\"bar\">", chart);
  CHECK(html.find("<p class=\"bar\"><span>joint2.damping</span>", chart) == row);  // it changed most
  CHECK_THAT(html.substr(row, html.find("</p>", row) - row), Contains(">2.5 ± "));
}

TEST_CASE("the pages of operation counts begin with numbers, those of the recursions and of the plan's order") {
  TemporaryFolder folder;
  const std::string page = folder / "page.html", log = folder / "log.csv";
  const std::string narrow = "\u202f";
  const Run run = run_program("flops --json " + robot("arm") + " --sensors forward-dynamics");
  REQUIRE(run_program("flops " + robot("arm") + " --sensors forward-dynamics -o " + page).code == 0);
  for (const nlohmann::json& entry : nlohmann::json::parse(run.out)["entries"])
    if (entry["algorithm"] == "rnea" || entry["algorithm"] == "aba") {
      const nlohmann::json& raw = entry["raw"];
      const std::string flops =
          std::to_string(raw["mul"].get<long>() + raw["add"].get<long>() + raw["div"].get<long>() + raw["sqrt"].get<long>());
      const std::string written = flops.substr(0, flops.size() - 3) + narrow + flops.substr(flops.size() - 3);
      CHECK_THAT(lead_of(page), Contains("<b>" + entry["algorithm"].get<std::string>() + "</b> " + written));
    }
  CHECK_THAT(lead_of(page), Contains("in its plan's order 4" + narrow));
  REQUIRE(run_program("flops --chain 2..6 -o " + page).code == 0);
  CHECK_THAT(lead_of(page), Contains("chains of 2 to 6 revolute joints, the longest: ") && Contains(" Each joint more takes "));
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
  std::string kept = said.substr(opening.size(), said.find(" J") - opening.size());
  if (const std::size_t minus = kept.find("−"); minus != std::string::npos) kept.replace(minus, std::string("−").size(), "-");
  CHECK(std::stod(kept) == Approx(std::stod(unexplained)).epsilon(0.06));  // two digits are shown
}

TEST_CASE("the page of a motion whose steps are too long says that energy is not kept") {
  TemporaryFolder folder;
  const std::string page = folder / "page.html";
  REQUIRE(run_program("simulate " + robot("arm") + " --forward --rate 20 --seconds 1 -o " + (folder / "out.csv") +
                      " --report " + page)
              .code == 0);
  CHECK_THAT(lead_of(page), Contains("Energy is not kept: no work explains ") && Contains("; smaller steps keep it better.") &&
                                !Contains("too long"));
}

TEST_CASE("the page of a motion that steps too long make another one says so first") {
  TemporaryFolder folder;
  const std::string page = folder / "page.html";
  const Run run = run_program("simulate " + robot("arm") + " --forward --rate 8 --seconds 3 -o " + (folder / "out.csv") +
                              " --report " + page);
  const std::string lead = lead_of(page);
  INFO(run.out << run.err);
  CHECK(lead.rfind("Energy is not kept: ", 0) == 0);
  CHECK_THAT(lead, Contains("Steps of 125 ms are too long: this is not the robot's motion. Below z = 0, "));
}

TEST_CASE("the page of a motion says nothing of energy that is rounding, and something of a swing of a milliradian") {
  TemporaryFolder folder;
  const std::string pendulum = folder.file(
      "pendulum.urdf", R"(<robot name="pendulum"><link name="post"/><link name="bob"><inertial><origin xyz="0 0 -0.3"/>
      <mass value="1.7"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="post"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>)");
  const auto lead = [&](const std::string& angle) {
    const std::string from = folder.file("from.csv", "q.hinge,dq.hinge\n" + angle + ",0\n"), page = folder / "page.html";
    REQUIRE(run_program("simulate " + pendulum + " --forward --from " + from + " --seconds 3 --rate 100 -o " +
                        (folder / "out.csv") + " --report " + page)
                .code == 0);
    return lead_of(page);
  };
  CHECK_THAT(lead("1e-7"), !Contains("Energy is") && Contains("The robot moved for 2.99 s"));
  CHECK_THAT(lead("1e-3"), Contains("Energy is kept to "));
}
