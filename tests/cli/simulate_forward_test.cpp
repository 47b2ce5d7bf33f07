// simulate --forward: what damps at the velocity after the step, and the page on which the robot moves.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
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

/// The last number of a column.
double last_of(const std::string& path, const std::string& column) { return column_of_log(path, column).back(); }

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
  CHECK_THAT(run_program(common + " --integrator implicit").err, Contains("semi-implicit, implicit-velocity or runge-kutta"));
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
  const std::string page = text_of(path);
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

TEST_CASE("the ground of a page is the contacts' plane, and a trunk that sinks through it is named") {
  TemporaryFolder folder;
  const std::string common = " --forward --rate 500 --seconds 2 -o " + (folder / "out.csv") + " --report ";
  REQUIRE(run_program("simulate " + robot("quadruped") + " --floating --constraints " + example("constraints/quadruped.json") +
                      common + (folder / "fall.html"))
              .code == 0);
  const std::string page = text_of(folder / "fall.html");
  const nlohmann::json shown = shown_on(page);
  REQUIRE(shown["planes"].size() == 1);  // of four feet
  CHECK((shown["planes"][0]["point"][2] == -0.5 && shown["planes"][0]["normal"][2] == 1));
  CHECK_THAT(page, Contains("Below the plane of lf, rf, lh and rh (z = −0.5 m), from ") &&
                       Contains(" s at the earliest: the ") && Contains("trunk"));
  REQUIRE(run_program("simulate " + robot("arm") + common + (folder / "arm.html")).code == 0);
  const nlohmann::json arm = shown_on(text_of(folder / "arm.html"));
  CHECK((arm["planes"].size() == 1 && arm["planes"][0]["point"][2] == 0));
}

TEST_CASE("a page draws joints that move, and says which are zero in every row") {
  TemporaryFolder folder;
  const std::string page = folder / "page.html",
                    common = " --forward --rate 200 --seconds 0.2 -o " + (folder / "out.csv") + " --report " + page;
  const std::string said = "Zero in every row, but for rounding, and not drawn: ";
  REQUIRE(run_program("simulate " + robot("arm") + common).code == 0);
  CHECK_THAT(text_of(page), Contains(said + "all torques.</p>") && Contains("Positions: joint1 to ") && !Contains("Torques: "));
  REQUIRE(run_program("simulate " + robot("arm") + common + " --gravity 0 0 0").code == 0);
  CHECK_THAT(text_of(page), Contains(said + "all positions; all velocities; all torques.</p>"));
  std::ofstream(folder / "from.csv") << "q.joint1,q.joint2,q.joint3,q.joint4,q.joint5,q.joint6,q.joint7,q.left_finger_slide,"
                                        "q.right_finger_slide\n0,0,0,0,0,0,0,0.01,0\n";  // one finger is open, and stays so
  REQUIRE(
      run_program("simulate " + robot("arm") + common + " --gravity 0 0 0 --hold 10,1 --from " + (folder / "from.csv")).code ==
      0);
  CHECK_THAT(text_of(page),
             Contains(said + "positions of joint1 to joint7, right_finger_slide; all velocities; all torques.</p>"));
}

TEST_CASE("a motion that grows without bound ends with an error") {
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

TEST_CASE("a four-bar turns for a minute, --project keeps its loop closed, and what no work explains shrinks with the step") {
  TemporaryFolder folder;
  const std::string out = folder / "out.csv";
  const std::string common = "simulate " + robot("four-bar") + " --constraints " + example("constraints/four-bar.json") +
                             " --from " + example("motions/four-bar.csv") + " --json -o " + out;
  const auto run = [&](const std::string& options) {
    const Run made = run_program(common + options);
    INFO(made.err);
    REQUIRE(made.code == 0);
    return nlohmann::json::parse(made.out);
  };
  const nlohmann::json minute = run(" --project --integrator runge-kutta --rate 1000 --seconds 60");
  CHECK((minute["rows"] == 60000 && minute["loops"]["gap"] < 1e-12 && minute["loops"]["constraint"] == "pin"));
  const double first = minute["energy"]["first"];
  CHECK((first > 10 && minute["energy"]["unexplained"] < 3e-5 * first));
  CHECK(std::abs(minute["energy"]["constraints"].get<double>()) < 5e-5 * first);  // loops do no work
  CHECK(minute["energy"]["torques"] == 0);
  CHECK(last_of(out, "q.crank") == Approx(993.62).margin(0.02));  // 158 turns; DOP853 in python/tests/test_motion.py
  const double coarse = run(" --project --rate 500 --seconds 2")["energy"]["unexplained"];
  const double fine = run(" --project --rate 2000 --seconds 2")["energy"]["unexplained"];
  CHECK((fine < 0.35 * coarse && coarse > 1e-4));
  CHECK(run(" --rate 500 --seconds 2")["loops"]["gap"] > 1e-4);  // held on accelerations alone
  const Run open = run_program("simulate " + robot("four-bar") + " --constraints " + example("constraints/quadruped.json") +
                               " --project --seconds 1 -o " + out);
  CHECK(open.code == 3);
}

TEST_CASE("torques, damping and constraints: the work that went in is the energy that came out") {
  TemporaryFolder folder;
  const std::string out = folder / "out.csv", from = folder.file("from.csv", "q.axle,dq.axle\n0,3\n"),
                    urdf = folder.file("wheel.urdf", braked_wheel),
                    joints = folder.file("joints.json", R"({"joints": {"axle": {"damping": 0.01, "friction": 0.002}}})"),
                    targets = folder.file("targets.csv", "time,q.axle\n0,0\n1,2\n"),
                    stop = folder.file("rub.json", R"({"constraints": [{"name": "rub", "type": "dry_friction", "joint": "axle",
                                                    "loss": 0.01}]})");
  for (const std::string integrator : {"semi-implicit", "implicit-velocity", "runge-kutta"}) {
    const Run run =
        run_program("simulate " + urdf + " --joints " + joints + " --constraints " + stop + " --from " + from + " --targets " +
                    targets + " --hold 2,0.05 --rate 1000 --seconds 1.5 --json --integrator " + integrator + " -o " + out);
    INFO(integrator << run.err);
    REQUIRE(run.code == 0);
    const nlohmann::json energy = nlohmann::json::parse(run.out)["energy"];
    const double v = last_of(out, "dq.axle");
    CHECK(energy["first"].get<double>() == Approx(0.5 * wheel_inertia * 9));
    CHECK(energy["last"].get<double>() == Approx(0.5 * wheel_inertia * v * v));
    CHECK((energy["losses"] < -1e-3 && energy["constraints"] < -1e-3));
    // M is constant: the work of each step of Euler's is exact
    CHECK(energy["unexplained"].get<double>() < (integrator == "runge-kutta" ? 1e-4 : 1e-12));
    CHECK(std::abs(last_of(out, "q.axle") - 2) < 0.1);  // where the set points end
  }
}

TEST_CASE("the quadruped trots open loop, straight on and upright") {
  TemporaryFolder folder;
  const std::string out = folder / "out.csv", gait = example("motions/quadruped-trot.csv");
  const std::string common = "simulate " + robot("quadruped") + " --floating --constraints " +
                             example("constraints/quadruped.json") + " --from " + gait + " --targets " + gait +
                             " --hold 100,2 --integrator implicit-velocity --rate 500 --seconds 5 -o " + out;
  const Run run = run_program(common + " --repeat");
  INFO(run.err);
  REQUIRE(run.code == 0);
  const std::vector<double> z = column_of_log(out, "q.base.z"), qx = column_of_log(out, "q.base.qx"),
                            qy = column_of_log(out, "q.base.qy");
  for (std::size_t k = 0; k < z.size(); ++k) {
    CHECK((z[k] > -0.25 && z[k] < -0.12));   // 0.28 m above the floor, ± 7 cm; not NaN
    CHECK(std::hypot(qx[k], qy[k]) < 0.15);  // within 0.3 rad of upright
  }
  CHECK((last_of(out, "q.base.x") > 2 && std::abs(last_of(out, "q.base.y")) < 0.5));  // 0.6 m/s were asked of the feet
  for (const std::string foot : {"lf", "rf", "lh", "rh"}) {  // each foot leaves the floor and comes back
    const std::vector<double> gap = column_of_log(out, "gap." + foot + ".0");
    CHECK((*std::max_element(gap.begin(), gap.end()) > 0.005 && *std::min_element(gap.begin(), gap.end()) > -0.02));
  }
  REQUIRE(run_program(common).code == 0);  // once: it stops where the gait ends
  CHECK(last_of(out, "q.base.x") < 0.5);
}

TEST_CASE("the humanoid lands on its feet and stands") {
  TemporaryFolder folder;
  const std::string out = folder / "out.csv";
  const Run run = run_program("simulate " + robot("humanoid") + " --floating --constraints " +
                              example("constraints/humanoid.json") + " --from " + example("motions/humanoid.csv") +
                              " --hold 2000,200 --integrator implicit-velocity --rate 500 --seconds 4 --json -o " + out);
  INFO(run.err);
  REQUIRE(run.code == 0);
  const std::vector<double> z = column_of_log(out, "q.base.z"), gap = column_of_log(out, "gap.left.0");
  CHECK((gap.front() > 0.04 && z.back() < z.front() - 0.04));  // it fell 5 cm
  for (double height : z) CHECK((height > -0.15 && height < 0));
  for (const char* c : {"qx", "qy"}) CHECK(std::abs(last_of(out, std::string("q.base.") + c)) < 0.02);
  for (const char* c : {"wx", "wy", "wz", "vx", "vy", "vz"}) CHECK(std::abs(last_of(out, std::string("dq.base.") + c)) < 2e-3);
  double pressed = 0;
  for (const char* side : {"left", "right"})
    for (int k = 0; k < 4; ++k) pressed += last_of(out, std::string("lambda.") + side + "." + std::to_string(k) + ".z");
  CHECK(pressed == Approx(79.36 * 9.81).epsilon(5e-3));  // its weight
}

TEST_CASE("a free base that tumbles keeps its energy in fourth order") {
  TemporaryFolder folder;
  const std::string link =
      R"(<inertial><origin xyz="0.1 0.2 -0.1"/><mass value="1"/><inertia ixx="0.05" ixy="0" ixz="0.01" iyy="0.06"
                              iyz="0" izz="0.03"/></inertial></link>)";
  const std::string urdf = folder.file(
      "tumbler.urdf",
      R"(<robot name="tumbler"><link name="trunk">)" + link + R"(<link name="arm">)" + link +
          R"(<joint name="hinge" type="continuous"><parent link="trunk"/><child link="arm"/><origin xyz="0 0.1 0"/><axis xyz="0.6 0 0.8"/>
         </joint></robot>)");
  const std::string out = folder / "out.csv",
                    from = folder.file("from.csv",
                                       "q.base.x,q.base.y,q.base.z,q.base.qx,q.base.qy,q.base.qz,q.base.qw,q.hinge,dq.base.wx,"
                                       "dq.base.wy,dq.base.wz,dq.base.vx,dq.hinge\n0,0,0,0.5,0.5,-0.5,0.5,0.3,6,-5,7,1,2\n");
  double drift[2];
  for (int k = 0; k < 2; ++k) {
    const Run run =
        run_program("simulate " + urdf + " --floating --forward --integrator runge-kutta --seconds 0.5 --json --rate " +
                    std::to_string(400 << k) + " --from " + from + " -o " + out);
    INFO(run.err);
    REQUIRE(run.code == 0);
    drift[k] = nlohmann::json::parse(run.out)["energy"]["unexplained"];
  }
  CHECK((drift[0] > 1e-9 && drift[0] < 1e-2));
  CHECK((drift[0] / drift[1] > 11 && drift[0] / drift[1] < 60));
}

TEST_CASE("outputs with the same path are refused, and a page on the standard output is the only text there") {
  TemporaryFolder folder;
  const std::string wheel = folder.file("wheel.urdf", braked_wheel), out = folder / "out.csv";
  const std::string simulate = "simulate " + wheel + " --forward --seconds 0.1 -o " + out + " --report ";
  const std::string same = out.substr(0, out.rfind('/')) + "/./out.csv";
  const std::string arm = robot("arm");
  CHECK(run_program(simulate + same).code == 2);
  CHECK(run_program("solve " + robot("arm") + " --sensors inverse-dynamics --log " + arm.substr(0, arm.size() - 4) + "csv -o " +
                    out + " --report " + same)
            .code == 2);
  CHECK(run_program(simulate + "- --json").code == 2);
  const Run page = run_program(simulate + "-");
  CHECK(page.code == 0);
  CHECK((page.out.rfind("<!DOCTYPE html>", 0) == 0 &&
         page.out.find("energy: ") == page.out.rfind("energy: ")));  // in the page alone
  CHECK_THAT(page.err, Contains("energy: "));
}

TEST_CASE("set points that cannot be followed are refused with their place") {
  TemporaryFolder folder;
  const std::string out = folder / "out.csv", urdf = folder.file("wheel.urdf", braked_wheel);
  const auto refused = [&](const std::string& text, const std::string& options, int code, const std::string& why) {
    const std::string file = folder.file("targets.csv", text);
    const Run run = run_program("simulate " + urdf + " --forward --seconds 1 -o " + out + " --targets " + file + options);
    INFO(run.err);
    CHECK(run.code == code);
    CHECK_THAT(run.err, Contains(why));
  };
  refused("time,q.axle\n0,0\n", "", 2, "expected --hold KP,KD");
  refused("time,q.wheel\n0,0\n", " --hold 1,0", 3, "targets.csv:1: header: no set point of a joint");
  refused("q.axle\n0\n", " --hold 1,0", 3, "no column time");
  refused("time,q.axle\n0,0\n0,1\n", " --hold 1,0", 3, "targets.csv:3: time: not later than the row before");
  refused("time,q.axle\n0,0\n1,\n", " --hold 1,0", 3, "q.axle: empty");
  refused("time,q.axle\n0,0\n", " --hold 1,0 --repeat", 3, "expected two rows or more");
  CHECK(run_program("simulate " + urdf + " --forward --repeat --seconds 1 -o " + out).code == 2);
  CHECK(run_program("simulate " + urdf + " --forward --project --seconds 1 -o " + out).code == 2);
  refused("time,tau.axle\n0,0.02\n2,0.02\n", "", 0, "");  // a torque alone needs no gains: 1 rad/s²
  CHECK(last_of(out, "dq.axle") == Approx(1 - 1.0 / 250));
}
