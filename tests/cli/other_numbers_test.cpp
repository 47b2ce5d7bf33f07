// A plan fits by structure; numbers that are not those it was made for are said so, and its health is sampled anew.
#include <catch2/catch.hpp>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

std::string pendulum_of(const std::string& mass) {
  return "<robot name=\"p\"><link name=\"root\"/><link name=\"bob\"><inertial><origin xyz=\"0.1 0 0\"/><mass value=\"" + mass +
         "\"/><inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/></inertial></link>\n"
         "<joint name=\"hinge\" type=\"revolute\"><parent link=\"root\"/><child link=\"bob\"/><axis xyz=\"0 1 "
         "0\"/></joint></robot>";
}

}  // namespace

TEST_CASE("a plan made for other numbers is used with a warning") {
  TemporaryFolder folder;
  const std::string light = folder.file("light.urdf", pendulum_of("1")), heavy = folder.file("heavy.urdf", pendulum_of("2"));
  const std::string log = folder.file("in.csv", "q.hinge,dq.hinge,tau.hinge\n0.1,0.2,0.3\n"), plan = folder / "plan.json";
  REQUIRE(run_program("optimise " + light + " --sensors forward-dynamics -o " + plan).code == 0);
  const std::string rest = " --sensors forward-dynamics --plan " + plan + " --log " + log + " -o " + (folder / "out.csv");
  const Run same = run_program("solve " + light + rest), other = run_program("solve " + heavy + rest);
  CHECK(same.code == 0);
  CHECK(same.err.empty());
  CHECK(other.code == 0);
  CHECK_THAT(other.err, Contains("plan.json: made for a robot of the same structure with other numbers"));
}
