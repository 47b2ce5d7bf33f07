// compute coriolis, christoffel, hamilton of two point masses on rods, one hung on the other, as textbooks have them.
#include <catch2/catch.hpp>
#include <cmath>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using sparsedyn::CsvReader;

namespace {

// 2 kg on 0.5 m, 3 kg on 0.4 m, hinges about y; both hang down at q = 0.
const std::string double_pendulum = R"(<robot name="double">
  <link name="world"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 -0.4"/><mass value="3"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="a" type="continuous"><parent link="world"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="b" type="continuous"><origin xyz="0 0 -0.5"/><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/></joint>
</robot>)";
const double q1 = 0.3, q2 = 0.7, v1 = 1.1, v2 = -0.6, tau1 = 2.0, tau2 = -1.0;
const double h = -3 * 0.5 * 0.4 * std::sin(q2);

/// Runs the algorithm on one row; its values by column.
class OneRow {
 public:
  explicit OneRow(const std::string& algorithm) : out_(folder_ / "out.csv") {
    const std::string log = folder_.file("log.csv", "q.a,q.b,dq.a,dq.b,tau.a,tau.b\n0.3,0.7,1.1,-0.6,2,-1\n");
    const std::string urdf = folder_.file("double.urdf", double_pendulum);
    const Run run = run_program("compute " + algorithm + " " + urdf + " --log " + log + " -o " + out_ + " --quiet");
    INFO(run.err);
    REQUIRE(run.code == 0);
  }
  double operator[](const std::string& column) const {
    CsvReader csv(out_);
    const int slot = csv.ask(column);
    INFO(column);
    REQUIRE(slot >= 0);
    REQUIRE(csv.next());
    return csv.value(slot);
  }

 private:
  TemporaryFolder folder_;
  std::string out_;
};

}  // namespace

TEST_CASE("compute coriolis: the textbook's matrix of a double pendulum") {
  const OneRow C("coriolis");
  CHECK(C["C.0.0"] == Approx(h * v2).epsilon(1e-13));
  CHECK(C["C.0.1"] == Approx(h * (v1 + v2)).epsilon(1e-13));
  CHECK(C["C.1.0"] == Approx(-h * v1).epsilon(1e-13));
  CHECK(C["C.1.1"] == Approx(0).margin(1e-14));
}

TEST_CASE("compute christoffel: the symbols of a double pendulum") {
  const OneRow Gamma("christoffel");
  const double expected[2][2][2] = {{{0, h}, {h, h}}, {{-h, 0}, {0, 0}}};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 2; ++k)
        CHECK(Gamma["Gamma." + std::to_string(i) + '.' + std::to_string(j) + '.' + std::to_string(k)] ==
              Approx(expected[i][j][k]).epsilon(1e-13).margin(1e-14));
}

TEST_CASE("compute hamilton: momenta, their rates, and the energy of a double pendulum") {
  const OneRow x("hamilton");
  const double a = 5 * 0.25 + 3 * 0.16 + 2 * 3 * 0.2 * std::cos(q2), b = 3 * 0.16 + 3 * 0.2 * std::cos(q2), c = 3 * 0.16;
  const double p1 = a * v1 + b * v2, p2 = b * v1 + c * v2;
  CHECK(x["p.a"] == Approx(p1).epsilon(1e-13));
  CHECK(x["p.b"] == Approx(p2).epsilon(1e-13));
  // ∂L/∂q: M depends on q2 alone; T = ½ (a v1² + 2 b v1 v2 + c v2²), V = −g (5 · 0.5 cos q1 + 3 · 0.4 cos(q1 + q2))
  const double g = 9.81, V1 = g * (2.5 * std::sin(q1) + 1.2 * std::sin(q1 + q2)), V2 = g * 1.2 * std::sin(q1 + q2);
  const double T2 = -0.6 * std::sin(q2) * (v1 * v1 + v1 * v2);
  CHECK(x["dp.a"] == Approx(tau1 - V1).epsilon(1e-13));
  CHECK(x["dp.b"] == Approx(tau2 + T2 - V2).epsilon(1e-13));
  CHECK(x["energy"] == Approx(0.5 * (p1 * v1 + p2 * v2) - g * (2.5 * std::cos(q1) + 1.2 * std::cos(q1 + q2))).epsilon(1e-13));
}

TEST_CASE("compute christoffel: what has no coordinates of its own is refused, by name") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("double.urdf", double_pendulum), log = folder.file("log.csv", "q.a,q.b\n0,0\n");
  const Run run = run_program("compute christoffel " + urdf + " --floating --log " + log + " -o -");
  CHECK(run.code == 3);
  CHECK(run.out.empty());
  CHECK(run.err.find("double.urdf: joint base: several freedoms in one; expected a fixed base and joints of one freedom") !=
        std::string::npos);
}
