// compute rnea-derivatives and aba-derivatives on a pendulum whose derivatives are known in closed form.
#include <catch2/catch.hpp>
#include <cmath>

#include "pendulum.hpp"
#include "program.hpp"
#include "sparsedyn/io/csv_reader.hpp"

using namespace sparsedyn::test;
using sparsedyn::CsvReader;

namespace {

/// The one row's value of a column.
double only_value(const std::string& path, const std::string& column) {
  CsvReader csv(path);
  const int slot = csv.ask(column);
  REQUIRE(slot >= 0);
  REQUIRE(csv.next());
  return csv.value(slot);
}

}  // namespace

TEST_CASE("rnea-derivatives of a pendulum: 9.81 sin q, 0, 0.5") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out.csv";
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge\n0.7,3,-2\n");
  CHECK(run_program("compute rnea-derivatives " + urdf + " --log " + log + " -o " + out).code == 0);
  CHECK(only_value(out, "dtau_dq.0.0") == Approx(9.81 * std::sin(0.7)).epsilon(1e-13));
  CHECK(only_value(out, "dtau_dv.0.0") == Approx(0).margin(1e-13));
  CHECK(only_value(out, "M.0.0") == Approx(0.5).epsilon(1e-13));
}

TEST_CASE("aba-derivatives of a pendulum: -2 9.81 sin q, 0, 2") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out.csv";
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,tau.hinge\n0.7,3,-2\n");
  CHECK(run_program("compute aba-derivatives " + urdf + " --log " + log + " -o " + out).code == 0);
  CHECK(only_value(out, "dddq_dq.0.0") == Approx(-2 * 9.81 * std::sin(0.7)).epsilon(1e-13));
  CHECK(only_value(out, "dddq_dv.0.0") == Approx(0).margin(1e-12));
  CHECK(only_value(out, "dddq_dtau.0.0") == Approx(2).epsilon(1e-13));
}

TEST_CASE("rnea-second-derivatives of a pendulum, in long form: 9.81 cos q, and the time of each row") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out.csv";
  const std::string log = folder.file("log.csv", "time,q.hinge,dq.hinge,ddq.hinge\n0.5,0.7,3,-2\n0.6,nan,0,0\n");
  CHECK(run_program("compute rnea-second-derivatives " + urdf + " --log " + log + " -o " + out).code == 4);
  CsvReader csv(out);
  CHECK(csv.columns() == std::vector<std::string>{"time", "row", "tensor", "i", "j", "k", "value"});
  const int time = csv.ask("time"), row = csv.ask("row"), value = csv.ask("value");
  const double expected[] = {9.81 * std::cos(0.7), 0, 0, 0};  // qq, qv, vv, Mq
  for (double r : expected) {
    REQUIRE(csv.next());
    CHECK(csv.value(time) == 0.5);
    CHECK(csv.value(row) == 0);
    CHECK(csv.value(value) == Approx(r).margin(1e-12));
  }
  REQUIRE(csv.next());
  CHECK(csv.value(row) == 1);
  CHECK(csv.state(value) == sparsedyn::CellState::empty);
  CHECK_FALSE(csv.next());
}
