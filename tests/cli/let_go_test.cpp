// simulate --forward: what damps at the velocity after the step, and the page on which the robot moves.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using sparsedyn::CsvReader;

namespace {

constexpr double wheel_inertia = 0.02;
const std::string braked_wheel = R"(<robot name="wheel"><link name="post"/>
  <link name="disc"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.02"/></inertial></link>
  <joint name="axle" type="continuous"><parent link="post"/><child link="disc"/><axis xyz="0 0 1"/></joint></robot>)";

std::vector<double> column_of_log(const std::string& path, const std::string& column) {
  CsvReader log(path);
  const int at = log.ask(column);
  std::vector<double> found;
  while (log.next()) found.push_back(log.value(at));
  return found;
}

std::string text_of_page(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Signed numbers of 16 bits, low byte first.
std::vector<int> words_of(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<int> words;
  std::uint32_t bits = 0;
  int count = 0;
  std::vector<std::uint8_t> bytes;
  for (char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c)), count += 6;
    if (count >= 8) count -= 8, bytes.push_back(static_cast<std::uint8_t>(bits >> count & 255u));
  }
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    words.push_back(static_cast<std::int16_t>(static_cast<std::uint16_t>(bytes[i] | bytes[i + 1] << 8)));
  return words;
}

/// The JSON in a page's figure.
nlohmann::json shown_on(const std::string& page) {
  const std::string opening = "<script type=\"application/json\">";
  const std::size_t begin = page.find(opening) + opening.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

}  // namespace

TEST_CASE("implicit-velocity: a wheel that is braked harder than a step can take slows down as J v' = J v - h D v' says") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("wheel.urdf", braked_wheel), from = folder.file("from.csv", "q.axle,dq.axle\n0,3\n"),
                    joints = folder.file("joints.json", R"({"joints": {"axle": {"damping": 1.5}}})"), out = folder / "out.csv";
  const std::string common = "simulate " + urdf + " --joints " + joints + " --forward --from " + from +
                             " --hold 0,2 --rate 100 --seconds 0.2 -o " + out;
  REQUIRE(run_program(common + " --integrator implicit-velocity").code == 0);
  const std::vector<double> slowed = column_of_log(out, "dq.axle");
  REQUIRE(slowed.size() == 20);
  for (std::size_t k = 0; k < slowed.size(); ++k) {
    const double expected = 3 / std::pow(1 + 0.01 * (1.5 + 2) / wheel_inertia, static_cast<double>(k));
    CHECK(std::abs(slowed[k] - expected) <= 1e-10 * std::max(1.0, expected));
  }
  REQUIRE(run_program(common).code == 0);  // the default at such a step: each overshoots
  const std::vector<double> thrown = column_of_log(out, "dq.axle");
  CHECK(thrown[1] == Approx(3 * (1 - 0.01 * 3.5 / wheel_inertia)));
  CHECK_THAT(run_program(common + " --integrator implicit").err, Contains("semi-implicit or implicit-velocity"));
  CHECK(run_program(common + " --integrator implicit").code == 2);
}

TEST_CASE("the page of a motion shows the log's states") {
  TemporaryFolder folder;
  const std::string log = folder / "out.csv", path = folder / "page.html";
  const std::string urdf = robot("quadruped");
  const std::string constraints = urdf.substr(0, urdf.rfind("robots/")) + "examples/constraints/quadruped.json";
  const Run run =
      run_program("simulate " + urdf + " --floating --constraints " + constraints +
                  " --hold 60,2 --integrator implicit-velocity --rate 500 --seconds 4 -o " + log + " --report " + path);
  INFO(run.err);
  REQUIRE(run.code == 0);
  const std::string page = text_of_page(path);
  CHECK(page.size() < 1000000);
  CHECK_THAT(page, !Contains("http://") && !Contains("https://") && !Contains("src="));
  const nlohmann::json shown = shown_on(page);
  CHECK((shown["bodies"].size() == 13 && shown["forces"].size() == 4 && shown["bodies"][0]["corners"].size() == 8));
  const std::vector<int> words = words_of(shown["frames"]);
  const std::size_t numbers = 13 * 7 + 4 * 6, frames = shown["times"].size();
  REQUIRE((frames > 200 && words.size() == frames * numbers));
  const double length = shown["length"], force = shown["force"];
  const std::vector<double> time = column_of_log(log, "time"), z = column_of_log(log, "q.base.z"),
                            qx = column_of_log(log, "q.base.qx"), qw = column_of_log(log, "q.base.qw"),
                            pressed = column_of_log(log, "lambda.rh.0.z");
  std::size_t row = 0;
  for (std::size_t k = 0; k < frames; ++k) {
    while (row + 1 < time.size() && time[row] < shown["times"][k].get<double>() - 1e-6) ++row;
    const int* frame = &words[k * numbers];
    const double sign = frame[6] * qw[row] < 0 ? -1 : 1;
    CHECK(std::abs(frame[2] * length - z[row]) <= length);
    CHECK(std::abs(frame[3] / 32767.0 - sign * qx[row]) < 1e-4);
    CHECK(std::abs(frame[13 * 7 + 3 * 6 + 5] * force - pressed[row]) <= force);
  }
}

TEST_CASE("a motion that grows without bound ends with a word") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("wheel.urdf", braked_wheel), from = folder.file("from.csv", "q.axle,dq.axle\n0,3\n"),
                    out = folder / "out.csv";
  const Run run =
      run_program("simulate " + urdf + " --forward --from " + from + " --hold 0,9 --rate 100 --seconds 9 -o " + out);
  CHECK(run.code == 4);
  CHECK_THAT(run.err, Contains("grows without bound: dq.axle is") && Contains("--integrator implicit-velocity"));
  for (double v : column_of_log(out, "dq.axle")) CHECK(std::abs(v) < 1e8);
}

TEST_CASE("a page of a motion that is not simulated forward, or over the log, is refused") {
  TemporaryFolder folder;
  const std::string log = folder / "out.csv";
  CHECK(run_program("simulate " + robot("arm") + " --seconds 1 --report " + (folder / "p.html") + " -o " + log).code == 2);
  CHECK(run_program("simulate " + robot("arm") + " --forward --seconds 1 --report " + log + " -o " + log).code == 2);
}
