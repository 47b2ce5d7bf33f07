// --effort-limits: two discs on axles of their own, whose motors can only do so much.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using sparsedyn::CsvReader;

namespace {

std::string discs(const std::string& left, const std::string& right) {
  std::string text = R"(<robot name="discs"><link name="post"/>)";
  for (const auto& [name, limit] : {std::pair("left", left), std::pair("right", right)})
    text += std::string("<link name=\"") + name +
            "\"><inertial><mass value=\"1\"/><inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.02\"/>"
            "</inertial></link><joint name=\"" +
            name + "_axle\" type=\"continuous\"><parent link=\"post\"/><child link=\"" + name + "\"/><axis xyz=\"0 0 1\"/>" +
            limit + "</joint>";
  return text + "</robot>";
}
const std::string two = "<limit effort=\"2\" velocity=\"1\"/>", none = "<limit effort=\"0\" velocity=\"1\"/>";
const std::string set = R"({"constraints": [{"name": "rub", "type": "dry_friction", "joint": "left_axle", "loss": 0}]})";
const std::string header = "q.left_axle,q.right_axle,dq.left_axle,dq.right_axle";

std::vector<double> column_of(const std::string& path, const std::string& column) {
  CsvReader log(path);
  const int at = log.ask(column);
  std::vector<double> found;
  while (log.next()) found.push_back(log.value(at));
  return found;
}

}  // namespace

TEST_CASE("compute contact-dynamics and its derivatives take torques within the URDF's limits, and say which they cut off") {
  TemporaryFolder folder;
  const std::string robot = folder.file("discs.urdf", discs(two, none)), constraints = folder.file("c.json", set),
                    log = folder.file("in.csv",
                                      header + ",tau.left_axle,tau.right_axle\n0,0,0,0,5,5\n0,0,0,0,-3,5\n0,0,0,0,1,5\n"),
                    out = folder / "out.csv", rest = robot + " --constraints " + constraints + " --log " + log + " -o " + out;
  REQUIRE(run_program("compute contact-dynamics " + rest).code == 0);
  CHECK(column_of(out, "ddq.left_axle")[0] == Approx(5 / 0.02));
  Run run = run_program("compute contact-dynamics --effort-limits " + rest);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.err, Contains("effort limits cut torques off in 2 rows: tau.left_axle (2)\n"));
  const std::vector<double> left = column_of(out, "ddq.left_axle"), right = column_of(out, "ddq.right_axle");
  REQUIRE(left.size() == 3);
  CHECK((left[0] == Approx(2 / 0.02) && left[1] == Approx(-2 / 0.02) && left[2] == Approx(1 / 0.02)));
  for (double a : right) CHECK(a == Approx(5 / 0.02));
  CHECK(run_program("compute contact-dynamics --effort-limits --quiet " + rest).err.empty());

  run = run_program("compute contact-derivatives --effort-limits " + rest);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.err, Contains("tau.left_axle (2)"));
  const std::vector<double> slope = column_of(out, "dddq_dtau.0.0");
  CHECK((slope[0] == 0 && slope[1] == 0 && slope[2] == Approx(1 / 0.02)));
  CHECK(column_of(out, "dddq_dtau.1.1")[0] == Approx(1 / 0.02));
}

TEST_CASE("compute contact-inverse-dynamics writes what the motion takes, and says where that is beyond the limits") {
  TemporaryFolder folder;
  const std::string robot = folder.file("discs.urdf", discs(two, two)), constraints = folder.file("c.json", set),
                    log = folder.file("in.csv", header + ",ddq.left_axle,ddq.right_axle\n0,0,0,0,250,101\n0,0,0,0,99,99\n"),
                    out = folder / "out.csv";
  const Run run = run_program("compute contact-inverse-dynamics --effort-limits " + robot + " --constraints " + constraints +
                              " --log " + log + " -o " + out);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(column_of(out, "tau.left_axle")[0] == Approx(5));
  CHECK_THAT(run.err, Contains("takes more than the effort limits in 1 row: tau.left_axle (1), tau.right_axle (1)\n"));
}

TEST_CASE("simulate --effort-limits: the log's torques are those within the limits, and drive the robot") {
  TemporaryFolder folder;
  const std::string robot = folder.file("discs.urdf", discs(two, none)), constraints = folder.file("c.json", set),
                    from = folder.file("from.csv", "q.left_axle,q.right_axle\n1,1\n"),
                    targets = folder.file("targets.csv", "time,q.left_axle,q.right_axle\n0,0,0\n1,0,0\n"),
                    out = folder / "out.csv";
  for (const char* how : {"--forward", "--constraints"})
    for (const char* integrator : {"semi-implicit", "runge-kutta"}) {
      const std::string under = how == std::string("--forward") ? how : "--constraints " + constraints;
      const Run run =
          run_program("simulate " + robot + " " + under + " --from " + from + " --targets " + targets +
                      " --hold 5,0.2 --effort-limits --seconds 0.5 --rate 1000 --integrator " + integrator + " -o " + out);
      INFO(run.err);
      REQUIRE(run.code == 0);
      const std::vector<double> tau = column_of(out, "tau.left_axle"), q = column_of(out, "q.left_axle"),
                                dq = column_of(out, "dq.left_axle"), ddq = column_of(out, "ddq.left_axle"),
                                other = column_of(out, "tau.right_axle");
      CHECK((tau[0] == -2 && other[0] == Approx(-5)));
      int at_limit = 0;
      for (std::size_t k = 0; k < tau.size(); ++k) {
        const double wished = -5 * q[k] - 0.2 * dq[k];
        CHECK(tau[k] == Approx(std::max(-2.0, std::min(wished, 2.0))).margin(1e-12));
        CHECK(ddq[k] == Approx(tau[k] / 0.02).margin(1e-9));
        at_limit += std::abs(tau[k]) == 2;
      }
      CHECK((at_limit > 20 && at_limit < 480));
    }
}

TEST_CASE("commands that --effort-limits says nothing to refuse it") {
  TemporaryFolder folder;
  const std::string robot = folder.file("discs.urdf", discs(two, "")), free = folder.file("free.urdf", discs("", none)),
                    constraints = folder.file("c.json", set),
                    log = folder.file("in.csv", header + ",tau.left_axle,tau.right_axle\n0,0,0,0,5,5\n"),
                    out = folder / "out.csv";
  const auto refused = [&](const std::string& command, const std::string& why) {
    const Run run = run_program(command + " --effort-limits -o " + out);
    CHECK(run.code == 2);
    CHECK_THAT(run.err, Contains("--effort-limits") && Contains(why));
  };
  refused("compute rnea " + robot + " --log " + log,
          "contact-inverse-dynamics, contact-derivatives or contact-second-derivatives");
  refused("compute sensitivities " + robot + " --sensors forward-dynamics --log " + log, "sensitivities");
  refused("simulate " + robot, "--forward or --constraints");
  const Run implicit =
      run_program("simulate " + robot + " --forward --hold 5,1 --integrator implicit-velocity --effort-limits -o " + out);
  CHECK(implicit.code == 3);
  CHECK_THAT(implicit.err, Contains("KD") && Contains("expected another integrator"));
  CHECK(run_program("simulate " + robot +
                    " --forward --hold 5,0 --integrator implicit-velocity --effort-limits --seconds 0.1 -o " + out)
            .code == 0);
  const Run run = run_program("compute contact-dynamics --effort-limits " + free + " --constraints " + constraints + " --log " +
                              log + " -o " + out);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("no joint's <limit> has an effort above 0"));
}
