// compute rnea-derivatives and aba-derivatives on a pendulum whose derivatives are known in closed form.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "io/csv_reader.hpp"
#include "pendulum.hpp"
#include "program.hpp"

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

TEST_CASE("aba-second-derivatives of a pendulum: -2 9.81 cos q alone is not zero") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out.csv";
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,tau.hinge\n0.7,3,-2\n");
  CHECK(run_program("compute aba-second-derivatives " + urdf + " --log " + log + " -o " + out).code == 0);
  CsvReader csv(out);
  const int value = csv.ask("value");
  const double expected[] = {-2 * 9.81 * std::cos(0.7), 0, 0, 0};  // qq, qv, vv, qtau
  for (double r : expected) {
    REQUIRE(csv.next());
    CHECK(csv.value(value) == Approx(r).margin(1e-12));
  }
  CHECK_FALSE(csv.next());
}

TEST_CASE("second derivatives contracted with the multipliers of the log") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out.csv";
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge,tau.hinge,mult.hinge\n0.7,3,1,-2,5\n");
  const Run inverse = run_program("compute rnea-second-derivatives " + urdf + " --log " + log + " --contract mult -o " + out);
  CHECK(inverse.code == 0);
  CHECK(inverse.err == "");
  CHECK(only_value(out, "d2tau_dqdq.0.0") == Approx(5 * 9.81 * std::cos(0.7)).epsilon(1e-13));
  CHECK(only_value(out, "dM_dq.0.0") == Approx(0).margin(1e-13));
  CHECK(run_program("compute aba-second-derivatives " + urdf + " --log " + log + " --contract mult -o " + out).code == 0);
  CHECK(only_value(out, "d2ddq_dqdq.0.0") == Approx(-5 * 2 * 9.81 * std::cos(0.7)).epsilon(1e-13));
  CHECK(only_value(out, "d2ddq_dqdtau.0.0") == Approx(0).margin(1e-13));
}

TEST_CASE("tensors as NumPy files: one a tensor, rows first, a failed row NaN") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "arrays";
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge\n0.7,3,1\nnan,0,0\n0,0,0\n");
  CHECK(run_program("compute rnea-second-derivatives " + urdf + " --log " + log + " --npy -o " + out).code == 4);
  const std::string text = text_of(out + "/d2tau_dqdq.npy");
  CHECK(text.substr(0, 6) == "\x93NUMPY");
  CHECK(text.find("'fortran_order': False, 'shape': (3, 1, 1, 1,), }") != std::string::npos);
  const std::size_t header = 10 + static_cast<unsigned char>(text[8]);
  CHECK(header % 64 == 0);
  REQUIRE(text.size() == header + 3 * sizeof(double));
  double x[3];
  std::memcpy(x, text.data() + header, sizeof x);
  CHECK(x[0] == Approx(9.81 * std::cos(0.7)).epsilon(1e-13));
  CHECK(std::isnan(x[1]));
  CHECK(x[2] == Approx(9.81).epsilon(1e-13));
  for (const char* tensor : {"d2tau_dqdv", "d2tau_dvdv", "dM_dq"})
    CHECK(text_of(out + "/" + tensor + ".npy").size() == text.size());
}

TEST_CASE("NumPy files and contractions where they have no meaning, and multipliers that the log lacks") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out";
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge\n0.7,3,1\n"), io = " --log " + log + " -o " + out;
  const Run vector = run_program("compute rnea " + urdf + io + " --npy");
  CHECK(vector.code == 2);
  CHECK(vector.err.find("--npy: tau.hinge is not the entry of a matrix") != std::string::npos);
  CHECK(run_program("compute rnea-derivatives " + urdf + io + " --contract mult").code == 2);
  CHECK(run_program("compute rnea-second-derivatives " + urdf + " --log " + log + " --npy -o -").code == 2);
  const Run missing = run_program("compute rnea-second-derivatives " + urdf + io + " --contract mult");
  CHECK(missing.code == 3);
  CHECK(missing.err.find("mult.hinge") != std::string::npos);
  const std::string file = folder.file("file", "");
  CHECK(run_program("compute crba " + urdf + " --log " + log + " --npy -o " + file).code == 3);
}
