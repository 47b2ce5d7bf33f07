// excite: a log within the limits that identify reads.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "pendulum.hpp"
#include "program.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using sparsedyn::CsvReader;

TEST_CASE("excite: a log of consistent torques within the limits, repeated, the same again for the same seed") {
  TemporaryFolder folder;
  const std::string log = folder / "motion.csv", again = folder / "again.csv", fitted = folder / "fit.json",
                    options = "excite " + robot("arm") + " --seconds 12 --rate 50 --budget 100 --json -o ";
  const Run run = run_program(options + log);
  INFO(run.err);
  REQUIRE(run.code == 0);
  const auto told = nlohmann::json::parse(run.out);
  CHECK(told["rows"] == 600);
  CHECK(told["period"] == 6.0);
  CHECK(told["motions"] == 100);
  CHECK(told["condition"] < 0.6 * told["random_condition"].get<double>());
  REQUIRE(run_program(options + again).code == 0);
  CHECK(text_of(log) == text_of(again));

  const sparsedyn::Model model = sparsedyn::load_urdf(robot("arm"));
  CsvReader csv(log);
  std::vector<int> q, dq, tau;
  for (const sparsedyn::Joint& joint : model.joints) {
    q.push_back(csv.ask("q." + joint.name)), dq.push_back(csv.ask("dq." + joint.name));
    tau.push_back(csv.ask("tau." + joint.name));
  }
  std::vector<double> first;
  for (int row = 0; csv.next(); ++row)
    for (std::size_t j = 0; j < q.size(); ++j) {
      const sparsedyn::JointLimits& limits = model.limits[j];
      CHECK((csv.value(q[j]) >= limits.lower && csv.value(q[j]) <= limits.upper));
      CHECK(std::abs(csv.value(dq[j])) <= limits.velocity);
      CHECK(std::abs(csv.value(tau[j])) <= limits.effort);
      if (row == 0) first.push_back(csv.value(q[j]));
      if (row == 300) CHECK(csv.value(q[j]) == Approx(first[j]).margin(1e-9));
    }
  CHECK(worst_difference(log, again) == 0);
  const Run rnea = run_program("compute rnea " + robot("arm") + " --quiet --log " + log + " -o " + (folder / "tau.csv"));
  REQUIRE(rnea.code == 0);
  CHECK(worst_difference(folder / "tau.csv", log) < 1e-10);
  CHECK(run_program("identify " + robot("arm") + " --quiet --log " + log + " -o " + fitted).code == 0);
}

TEST_CASE("excite refuses robots and limits that it cannot serve, by name") {
  TemporaryFolder folder;
  const std::string to = " -o " + (folder / "out.csv"), arm = "excite " + robot("arm");
  CHECK(run_program(arm + " --harmonics 2" + to).code == 2);
  CHECK(run_program(arm + " --budget 0" + to).code == 2);
  CHECK(run_program(arm + " --criterion trace" + to).code == 2);
  CHECK(run_program(arm + " --seconds 0" + to).code == 2);
  CHECK(run_program(arm + " --fit masses" + to).code == 2);
  CHECK(run_program(arm + " -o -" + " --json").code == 2);
  const Run floating = run_program("excite " + robot("quadruped") + " --floating" + to);
  CHECK(floating.code == 3);
  CHECK_THAT(floating.err, Contains("joint base: several freedoms; expected joints with one"));
  const std::string weak = folder.file("weak.urdf", R"(<robot name="weak"><link name="a"/><link name="b"><inertial>
    <origin xyz="1 0 0"/><mass value="5"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
    <joint name="hinge" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <limit lower="-0.1" upper="0.1" velocity="1" effort="1"/></joint></robot>)");
  const Run heavy = run_program("excite " + weak + to);
  CHECK(heavy.code == 4);
  CHECK_THAT(heavy.err, Contains("keeps the limits of effort"));
}
