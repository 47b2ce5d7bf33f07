#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "io/csv_reader.hpp"
#include "io/csv_writer.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using sparsedyn::CsvReader;
using sparsedyn::CsvWriter;

namespace {

const std::string hinge_columns = "q.hinge,dq.hinge,ddq.hinge";

}  // namespace

TEST_CASE("rnea row by row, time copied as it stands") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const std::string log = folder.file("log.csv", "dq.hinge,time,ddq.hinge,q.hinge\n0,0.100,0,0\n7,0.2000,2,0\n");
  const Run run = run_program("compute rnea " + urdf + " --log " + log + " -o " + (folder / "tau.csv"));
  CHECK(run.code == 0);
  CHECK(text_of(folder / "tau.csv") == "time,tau.hinge\n0.100,-9.81\n0.2000,-8.81\n");
  CHECK_THAT(run.out, Contains("2 rows, 0 failed"));
}

TEST_CASE("a pipe in, a pipe out, the summary on stderr") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const Run run = run_program("compute rnea " + urdf + " --log - -o -", "printf '" + hinge_columns + "\\n0,0,0\\n' | ");
  CHECK(run.code == 0);
  CHECK(run.out == "tau.hinge\n-9.81\n");
  CHECK_THAT(run.err, Contains("1 row,"));
}

TEST_CASE("rows that fail keep their line, are named, and the rest is written: exit 4") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const std::string log = folder.file("log.csv", hinge_columns + "\n0,0,0\nnan,0,0\n0,,0\n\n0,0,1e999\n0,1e-400,+0\n");
  const Run run = run_program("compute rnea " + urdf + " --json --log " + log + " -o " + (folder / "tau.csv"));
  CHECK(run.code == 4);
  CHECK(text_of(folder / "tau.csv") == "tau.hinge\n-9.81\n\"\"\n\"\"\n\"\"\n-9.81\n");
  CHECK(run.err == log + ":3: q.hinge: not finite\n" + log + ":4: dq.hinge: empty\n" + log + ":6: ddq.hinge: not finite\n");
  CHECK_THAT(run.out, Contains("\"rows_failed\": 3"));
}

TEST_CASE("ten failures are told, then a count, --quiet or not") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  std::string text = hinge_columns + "\n";
  for (int i = 0; i < 25; ++i) text += "nan,0,0\n";
  const Run run = run_program("compute rnea " + urdf + " --quiet --log " + folder.file("log.csv", text) + " -o /dev/null");
  CHECK(run.code == 4);
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 11);
  CHECK_THAT(run.err, Contains("25 rows failed"));
}

TEST_CASE("bad logs exit 3 with file and line, and write nothing") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const auto check = [&](const std::string& text, const std::string& said) {
    const std::string log = folder.file("log.csv", text);
    const Run run = run_program("compute rnea " + urdf + " --json --log " + log + " -o " + (folder / "tau.csv"));
    INFO(text);
    CHECK(run.code == 3);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, Contains(log + said));
    CHECK(folder.entries() == 2);
  };
  check("", ": header: nothing");
  check("q.hinge,ddq.hinge\n0,0\n", ":1: header: no column dq.hinge");
  check(hinge_columns + "\n0,0,0\n0,0\n", ":3: 2 cells");
  check(hinge_columns + "\n0,0,0\n0,zero,0\n", ":3: column dq.hinge: 'zero'; expected a number");
  check(hinge_columns + ",dq.hinge\n0,0,0,0\n", ":1: column dq.hinge: there twice");
  CHECK(run_program("compute rnea " + urdf + " --log /no/log.csv -o -").code == 3);
  CHECK(run_program("compute rnea " + urdf + " --log - -o /dev/full", "printf '" + hinge_columns + "\\n0,0,0\\n' | ").code ==
        3);
  CHECK(run_program("compute rnea " + urdf + " --log - -o /no/folder/x", "printf '" + hinge_columns + "\\n0,0,0\\n' | ").code ==
        3);
}

TEST_CASE("external wrenches: none is zero, some components are zero with a warning") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const std::string log = folder.file("log.csv", hinge_columns + ",fx.rod.ny,fx.rod.nx,colour\n0,0,0,3,5,red\n");
  const Run run = run_program("compute rnea " + urdf + " --log " + log + " -o -");
  CHECK(run.out == "tau.hinge\n-12.81\n");
  CHECK_THAT(run.err, Contains("taken as zero: fx.rod.nz, fx.rod.fx, fx.rod.fy, fx.rod.fz"));
  CHECK_THAT(run.err, Contains("columns passed over: colour"));
  const Run quiet = run_program("compute rnea " + urdf + " --quiet --log " + log + " -o /dev/null");
  CHECK(quiet.err.empty());
}

TEST_CASE("a floating base: its tau may be absent, its quaternion is normalised, a zero one fails its row") {
  TemporaryFolder folder;
  const std::string brick = folder.file("brick.urdf", R"(<robot name="brick"><link name="b"><inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>)");
  const std::string log =
      folder.file("log.csv",
                  "q.base.x,q.base.y,q.base.z,q.base.qx,q.base.qy,q.base.qz,q.base.qw,dq.base.wx,dq.base.wy,dq.base.wz,"
                  "dq.base.vx,dq.base.vy,dq.base.vz\n0,0,0,0,0,0,2,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0,0,0,0,0\n");
  const Run run = run_program("compute aba " + brick + " --floating --log " + log + " -o -");
  CHECK(run.code == 4);
  CHECK_THAT(run.out, Contains("\n0,0,0,0,0,-9.81\n,,,,,\n"));
  CHECK_THAT(run.err, Contains(log + ":3: q.base: a quaternion of zero length"));
}

namespace {

/// q and dq of the log `measured`, and the torques that compute rnea gives for it, make a log; compute aba of this log gives
/// the accelerations of `measured`. joint + 1 … joint + 7: names of the joints.
void check_that_aba_undoes_rnea(const std::string& options, const std::string& measured, const std::string& joint,
                                int expected_rows) {
  TemporaryFolder folder;
  REQUIRE(run_program("compute rnea " + options + " --log " + measured + " -o " + (folder / "tau.csv")).code == 0);

  std::vector<std::string> from_measured, from_computed;  // q, dq of one log and tau of the other make a third
  for (const char* prefix : {"q", "dq", "tau"})
    for (int j = 1; j <= 7; ++j)
      (prefix[0] == 't' ? from_computed : from_measured).push_back(prefix + ("." + joint) + std::to_string(j));
  CsvReader in(measured), tau(folder / "tau.csv");
  CsvWriter joined(folder / "joined.csv");
  std::vector<std::string> columns = from_measured;
  columns.insert(columns.end(), from_computed.begin(), from_computed.end());
  joined.header(columns);
  for (const std::string& name : from_measured) in.ask(name);
  for (const std::string& name : from_computed) tau.ask(name);
  while (in.next() && tau.next()) {
    for (int k = 0; k < 14; ++k) joined.number(in.value(k));
    for (int k = 0; k < 7; ++k) joined.number(tau.value(k));
    joined.end_row();
  }
  joined.commit();

  REQUIRE(run_program("compute aba " + options + " --log " + (folder / "joined.csv") + " -o " + (folder / "ddq.csv")).code ==
          0);
  CsvReader expected(measured), ddq(folder / "ddq.csv");
  int rows = 0;
  for (int j = 1; j <= 7; ++j) {
    expected.ask("ddq." + joint + std::to_string(j));
    ddq.ask("ddq." + joint + std::to_string(j));
  }
  double worst = 0;
  for (; expected.next() && ddq.next(); ++rows)
    for (int j = 0; j < 7; ++j) worst = std::max(worst, std::abs(ddq.value(j) - expected.value(j)));
  CHECK(rows == expected_rows);
  CHECK(worst < 1e-10);
}

}  // namespace

TEST_CASE("compute aba undoes compute rnea on the arm's log and on a measured one") {
  TemporaryFolder folder;
  const std::string options = robot("arm") + " --lock left_finger_slide --lock right_finger_slide --quiet";
  REQUIRE(run_program("simulate " + options + " --seconds 5 --rate 100 --seed 3 -o " + (folder / "log.csv")).code == 0);
  check_that_aba_undoes_rnea(options, folder / "log.csv", "joint", 500);
  if (shared_is_missing()) return;
  check_that_aba_undoes_rnea(shared("robots/panda.urdf") + " --cut panda_hand --quiet", shared("logs/panda_exciting.csv"),
                             "panda_joint", 5250);
}

TEST_CASE("compute jacobians gives J.LINK.i.j, with --npy an array by links, and regressor-times reads parameters") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge,lambda.hinge\n0.5,2,1,3\n");
  const std::string end = " " + urdf + " --log " + log + " -o ";
  REQUIRE(run_program("compute jacobians" + end + (folder / "J.csv")).code == 0);
  REQUIRE(run_program("compute kinematics" + end + (folder / "x.csv")).code == 0);
  CsvReader J(folder / "J.csv"), x(folder / "x.csv");
  const std::string parts[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  int J_slot[6], x_slot[6];
  for (int r = 0; r < 6; ++r) {
    J_slot[r] = J.ask("J.rod." + std::to_string(r) + ".0"), x_slot[r] = x.ask("vel.rod." + parts[r]);
    REQUIRE((J_slot[r] >= 0 && x_slot[r] >= 0));
  }
  REQUIRE((J.next() && x.next()));
  double turning = 0;
  for (int r = 0; r < 6; ++r) {
    CHECK(2 * J.value(J_slot[r]) == Approx(x.value(x_slot[r])));  // at dq = 2
    turning += std::abs(J.value(J_slot[r]));
  }
  CHECK(turning > 0.9);
  REQUIRE(run_program("compute jacobian-rates" + end + (folder / "arrays") + " --npy").code == 0);
  CHECK_THAT(text_of(folder / "arrays/dJ.npy"), Contains("'shape': (1, 2, 6, 1,)"));

  const Run missing = run_program("compute regressor-times" + end + (folder / "tau.csv"));
  CHECK(missing.code == 3);
  CHECK_THAT(missing.err, Contains("pi.rod.m"));
  CHECK(run_program("compute regressor-transposed-times" + end + (folder / "y.csv")).code == 0);
  CHECK_THAT(text_of(folder / "y.csv"), Contains("Yt_lambda.rod.m"));
}
