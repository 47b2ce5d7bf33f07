// compute regressor, and the names of its parameters.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using sparsedyn::CsvReader;

TEST_CASE("compute regressor: a pendulum's row, by the names that info lists") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out.csv";
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge\n0.7,0.003,-2\n");
  REQUIRE(run_program("compute regressor " + urdf + " --log " + log + " -o " + out).code == 0);
  const auto names = nlohmann::json::parse(run_program("info " + urdf + " --json").out)["parameter_names"];
  CsvReader csv(out);
  std::vector<int> slots;
  for (std::size_t k = 0; k < names.size(); ++k) slots.push_back(csv.ask("Y.0." + std::to_string(k)));
  REQUIRE(csv.next());
  const auto value = [&](const std::string& name) {
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] == name) return csv.value(slots[k]);
    FAIL(name);
    return 0.0;
  };
  REQUIRE(names.size() == 14);
  CHECK(value("hinge.armature") == -2);
  CHECK(value("hinge.damping") == 0.003);
  CHECK(value("hinge.friction") == Approx(std::tanh(0.3)).epsilon(1e-14));
  CHECK(value("hinge.offset") == 1);
  // tau = I ddq + g sin q m c, so that the inertia's diagonal about the axis has ddq
  double diagonal = 0, weights = 0;
  for (const auto& name : names) {
    const std::string text = name;
    const std::string part = text.substr(text.rfind('.'));
    if (part == ".Ixx" || part == ".Iyy" || part == ".Izz") diagonal += value(text);
    if (part == ".mx" || part == ".my" || part == ".mz") weights += value(text) * value(text);
  }
  CHECK(diagonal == Approx(-2).epsilon(1e-13));
  CHECK(std::sqrt(weights) == Approx(9.81).epsilon(1e-13));
}

TEST_CASE("compute regressor --npy: a matrix that is not square") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "arrays";
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge\n0.7,3,1\n0,0,0\n");
  REQUIRE(run_program("compute regressor " + urdf + " --log " + log + " --npy -o " + out).code == 0);
  CHECK(text_of(out + "/Y.npy").find("'shape': (2, 1, 14,), }") != std::string::npos);
}
