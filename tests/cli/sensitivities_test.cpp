// compute sensitivities: its files against other commands' derivatives, and what it refuses; state_sigma in solve --sd; info
// --base-parameters.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "io/text_file.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;

namespace {

/// The numbers of a .npy file of doubles, and its header.
struct Array {
  explicit Array(const std::string& path) {
    const std::string text = sparsedyn::text_of(path);
    std::uint16_t length = 0;
    std::memcpy(&length, text.data() + 8, 2);
    header = text.substr(10, length);
    values.resize((text.size() - 10 - length) / sizeof(double));
    std::memcpy(values.data(), text.data() + 10 + length, values.size() * sizeof(double));
  }
  std::string header;
  std::vector<double> values;
};

}  // namespace

TEST_CASE("compute sensitivities of torques with accelerations known: rnea-derivatives and the regressor") {
  TemporaryFolder folder;
  const std::string urdf = robot("arm"), log = robot_log("arm"), out = folder / "out", other = folder / "rnea",
                    Y = folder / "Y";
  const std::string io = " --log " + log;
  const Run run =
      run_program("compute sensitivities " + urdf + " --sensors inverse-dynamics --outputs tau --json" + io + " -o " + out);
  REQUIRE(run.code == 0);
  const auto summary = nlohmann::json::parse(run.out);
  const auto rows = summary["rows"].get<std::size_t>();
  CHECK(summary["rows_failed"] == 0);
  REQUIRE(run_program("compute rnea-derivatives " + urdf + io + " --npy -o " + other).code == 0);
  REQUIRE(run_program("compute regressor " + urdf + io + " --npy -o " + Y).code == 0);
  const auto names = nlohmann::json::parse(sparsedyn::text_of(out + "/names.json"));
  const auto info = nlohmann::json::parse(run_program("info " + urdf + " --json").out);
  CHECK(names["velocity"] == info["velocity_names"]);
  CHECK(names["parameters"] == info["parameter_names"]);
  REQUIRE(names["outputs"].size() == info["velocity_names"].size());
  CHECK(names["outputs"][0] == "tau." + info["velocity_names"][0].get<std::string>());
  const auto inputs = names["inputs"].size();
  CHECK(names["inputs"][0] == "ddq." + info["velocity_names"][0].get<std::string>());
  for (const auto& [mine, theirs] : {std::pair{out + "/dx_dq", other + "/dtau_dq"},
                                     std::pair{out + "/dx_dv", other + "/dtau_dv"}, std::pair{out + "/dx_dp", Y + "/Y"}}) {
    const Array a(mine + ".npy"), b(theirs + ".npy");
    INFO(mine);
    CHECK(a.header == b.header);
    REQUIRE(a.values.size() == b.values.size());
    double worst = 0;
    for (std::size_t k = 0; k < a.values.size(); ++k)
      worst = std::max(worst, std::abs(a.values[k] - b.values[k]) / std::max(1.0, std::abs(b.values[k])));
    CHECK(worst <= 1e-10);
  }
  CHECK(Array(out + "/dx_dy.npy").values.size() == rows * names["outputs"].size() * inputs);
}

TEST_CASE("compute sensitivities: rows that fail are NaN, and what cannot be is refused") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out";
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,tau.hinge\n0.7,0.003,-2\nnan,0,0\n");
  const std::string begin = "compute sensitivities " + urdf + " --log " + log + " -o " + out;
  REQUIRE(run_program(begin + " --sensors forward-dynamics").code == 4);
  const Array q(out + "/dx_dq.npy"), p(out + "/dx_dp.npy");
  CHECK(q.header.find("'shape': (2, 1, 1,), }") != std::string::npos);
  CHECK(p.header.find("'shape': (2, 1, 14,), }") != std::string::npos);
  CHECK(std::isfinite(q.values[0]));
  CHECK(std::isnan(q.values[1]));
  CHECK(run_program(begin).code == 2);
  CHECK(run_program(begin + " --sensors forward-dynamics --outputs taw").code == 2);
  CHECK(run_program("compute sensitivities " + urdf + " --log " + log + " -o - --sensors forward-dynamics").code == 2);
  CHECK(run_program("compute rnea " + urdf + " --log " + log + " -o " + out + " --sensors forward-dynamics").code == 2);
  CHECK(run_program("compute sensitivites " + urdf + " --log " + log + " -o " + out).err.find("sensitivities") !=
        std::string::npos);
}

TEST_CASE("state_sigma in a set enters solve --sd by the sensitivities") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out", csv = folder / "sd.csv";
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge\n0.7,0.5,-2\n");
  const auto set = [&](const std::string& more) {
    return folder.file("set.json",
                       R"({"sensors": [{"name": "a", "type": "joint_acceleration", "joint": "*", "sigma": 0.1},
                           {"name": "air", "type": "external_wrench", "link": "*", "value": 0}])" +
                           more + "}");
  };
  const auto deviation = [&](const std::string& more) {
    const Run run =
        run_program("solve " + urdf + " --sensors " + set(more) + " --log " + log + " --outputs tau --sd -o " + csv);
    INFO(run.err);
    REQUIRE(run.code == 0);
    sparsedyn::CsvReader reader(csv);
    const int slot = reader.ask("sd.tau.hinge");
    REQUIRE(reader.next());
    return reader.value(slot);
  };
  const double plain = deviation(""), with = deviation(R"(, "state_sigma": {"q": {"hinge": 0.02}, "dq": 0.3})");
  REQUIRE(run_program("compute sensitivities " + urdf + " --sensors " + set("") + " --log " + log + " --outputs tau -o " + out)
              .code == 0);
  const double dq = Array(out + "/dx_dq.npy").values[0], dv = Array(out + "/dx_dv.npy").values[0];
  CHECK(std::abs(dq) > 0.1);
  CHECK(with == Approx(std::sqrt(plain * plain + dq * dq * 0.02 * 0.02 + dv * dv * 0.3 * 0.3)).epsilon(1e-12));
  const Run wrong = run_program("solve " + urdf + " --sensors " + set(R"(, "state_sigma": {"q": {"hing": 0.02}})") + " --log " +
                                log + " --sd -o " + csv);
  CHECK(wrong.code == 3);
  CHECK(wrong.err.find("near: hinge") != std::string::npos);
  CHECK(run_program("solve " + urdf + " --sensors " + set(R"(, "state_sigma": {"v": 1})") + " --log " + log + " -o " + csv)
            .code == 3);
  CHECK(run_program("solve " + urdf + " --sensors " + set(R"(, "state_sigma": {"q": -1})") + " --log " + log + " -o " + csv)
            .code == 3);
}

TEST_CASE("info --base-parameters: a pendulum shows three numbers of its body, and its joint's") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const auto found = nlohmann::json::parse(run_program("info " + urdf + " --base-parameters --json").out);
  CHECK(found["found_by"] == "rules");
  CHECK(found["base_parameters"].size() == 6);  // moment, two first moments; damping, friction, offset; armature in the moment
  const std::string text = run_program("info " + urdf + " --base-parameters").out;
  CHECK(text.find("hinge.armature") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 6);
}
