// --joints and --urdf-dynamics.
#include <catch2/catch.hpp>
#include <cmath>

#include "io/csv_reader.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using sparsedyn::CsvReader;

namespace {

const std::string geared =
    R"({"joints": {"hinge": {"armature": 0.25, "damping": 0.5, "friction": 0.75, "offset": -0.125, "smoothing": 2}}})";
const std::string sprung =
    R"({"joints": {"hinge": {"friction": 0.75, "smoothing": 2, "stribeck": 0.4, "stribeck_velocity": 0.5, "stiffness": 3}}})";

/// The numbers of the one row of a log.
std::vector<double> only_row(const std::string& path) {
  CsvReader log(path);
  std::vector<int> slots;
  for (const std::string& column : log.columns()) slots.push_back(log.ask(column));
  REQUIRE(log.next());
  std::vector<double> x;
  for (int slot : slots) x.push_back(log.value(slot));
  return x;
}

std::string with_dynamics(const std::string& inside) {
  std::string text = pendulum;
  const std::string axis = "<axis xyz=\"0 1 0\"/>";
  return text.insert(text.find(axis) + axis.size(), inside);
}

}  // namespace

TEST_CASE("the pendulum with a rotor and a bearing that rubs, against its closed form") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), joints = folder.file("joints.json", geared);
  const double q = 0.3, v = 1.5, a = -2.0, load = 0.5 * v + 0.75 * std::tanh(v / 2) - 0.125;
  const double tau = 0.75 * a - 9.81 * std::cos(q) + load;
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge,tau.hinge\n0.3,1.5,-2,1.25\n");
  const auto computed = [&](const std::string& algorithm) {
    const std::string out = folder / (algorithm + ".csv");
    REQUIRE(run_program("compute " + algorithm + " " + urdf + " --joints " + joints + " --log " + log + " -o " + out).code ==
            0);
    return only_row(out);
  };
  CHECK(computed("rnea")[0] == Approx(tau).epsilon(1e-14));
  CHECK(computed("aba")[0] == Approx((1.25 + 9.81 * std::cos(q) - load) / 0.75).epsilon(1e-14));
  CHECK(computed("crba")[0] == Approx(0.75));
  CHECK(computed("minverse")[0] == Approx(1 / 0.75));
  CHECK(computed("energy")[0] == Approx(0.5 * 0.75 * v * v));
  const double slope = 0.5 + 0.75 / 2 / (std::cosh(v / 2) * std::cosh(v / 2));
  CHECK(computed("rnea-derivatives")[1] == Approx(slope).epsilon(1e-13));
  CHECK(computed("aba-derivatives")[1] == Approx(-slope / 0.75).epsilon(1e-13));
}

TEST_CASE("the pendulum with a spring, whose friction falls as it slides, against its closed form") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), joints = folder.file("joints.json", sprung);
  const double q = 0.3, v = 1.5, a = -2.0, x = v / 0.5;
  const double taken = 0.75 * std::tanh(v / 2) * (1 - 0.4 * x * x / (1 + x * x)) + 3 * q, inertia = 0.5;
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge,tau.hinge\n0.3,1.5,-2,1.25\n");
  const auto computed = [&](const std::string& algorithm, const std::string& with = "") {
    const std::string out = folder / (algorithm + ".csv");
    const std::string of_joints = " --joints " + joints;
    REQUIRE(
        run_program("compute " + algorithm + " " + urdf + (with.empty() ? of_joints : with) + " --log " + log + " -o " + out)
            .code == 0);
    return only_row(out);
  };
  const std::string plain = " --quiet";
  CHECK(computed("rnea")[0] == Approx(inertia * a - 9.81 * std::cos(q) + taken).epsilon(1e-14));
  CHECK(computed("aba")[0] == Approx((1.25 + 9.81 * std::cos(q) - taken) / inertia).epsilon(1e-14));
  CHECK(computed("crba")[0] == Approx(inertia));
  CHECK(computed("energy")[1] - computed("energy", plain)[1] == Approx(0.5 * 3 * q * q).epsilon(1e-13));
  CHECK(computed("rnea-derivatives")[0] == Approx(9.81 * std::sin(q) + 3).epsilon(1e-13));
  const double by_tanh = 0.75 / 2 / (std::cosh(v / 2) * std::cosh(v / 2)) * (1 - 0.4 * x * x / (1 + x * x));
  const double by_share = -0.75 * std::tanh(v / 2) * 0.4 * 2 * x / ((1 + x * x) * (1 + x * x)) / 0.5;
  CHECK(computed("rnea-derivatives")[1] == Approx(by_tanh + by_share).epsilon(1e-13));
  // Y: ten numbers of the body, armature, damping, friction, offset, stiffness
  const std::vector<double> Y = computed("regressor");
  REQUIRE(Y.size() == 15);
  CHECK(Y[12] == Approx(std::tanh(v / 2) * (1 - 0.4 * x * x / (1 + x * x))).epsilon(1e-14));
  CHECK(Y[14] == q);
  const Run info = run_program("info " + urdf + " --joints " + joints);
  CHECK_THAT(info.out, Contains("share lost in sliding 0.4, half of it at 0.5, stiffness 3"));
  const Run names = run_program("info " + urdf + " --json --joints " + joints);
  CHECK_THAT(names.out, Contains("\"hinge.stiffness\"") && Contains("\"stribeck\": 0.4") && Contains("\"stiffness\": 3"));
}

TEST_CASE("solve, simulate and generated code know what joints add") {
  TemporaryFolder folder;
  const std::string joints =
      folder.file("joints.json", R"({"joints": {"joint2": {"armature": 0.2, "damping": 1, "friction": 2, "offset": 0.5},
    "joint3": {"friction": 1, "stribeck": 0.5, "stribeck_velocity": 0.2, "stiffness": 4},
    "joint5": {"armature": 0.1, "friction": 0.3}}})");
  const std::string arm = robot("arm") + " --quiet", file = joints;
  const std::string log = folder / "log.csv";
  const Run simulated = run_program("simulate " + arm + " --joints " + file + " --seconds 2 --rate 20 -o " + log);
  INFO(simulated.err);
  REQUIRE(simulated.code == 0);
  const auto differs = [&](const std::string& command) {
    const std::string out = folder / "out.csv";
    const Run run = run_program(command + " -o " + out);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return worst_difference(out, log);
  };
  const std::string id = "solve " + arm + " --sensors inverse-dynamics --outputs tau --log " + log;
  const std::string fd = "solve " + arm + " --sensors forward-dynamics --outputs ddq --log " + log;
  for (const char* option : {"", " --compiled"}) {
    CHECK(differs(id + " --joints " + file + option) < 1e-10);
    CHECK(differs(fd + " --joints " + file + option) < 1e-10);
    CHECK(differs(id + option) > 0.1);  // without them the log is another robot's
  }
  CHECK(differs("compute rnea " + arm + " --joints " + file + " --log " + log) < 1e-10);
  CHECK(differs("compute aba " + arm + " --joints " + file + " --log " + log) < 1e-10);
}

TEST_CASE("option --urdf-dynamics takes damping and friction, and a file wins joint by joint") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("p.urdf", with_dynamics("<dynamics damping=\"2\" friction=\"0.5\"/>"));
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge\n0,1,0\n");
  const auto torque = [&](const std::string& options) {
    const std::string out = folder / "out.csv";
    REQUIRE(run_program("compute rnea " + urdf + options + " --quiet --log " + log + " -o " + out).code == 0);
    return only_row(out)[0];
  };
  CHECK(torque("") == Approx(-9.81));
  CHECK(torque(" --urdf-dynamics") == Approx(-9.81 + 2 + 0.5));
  const std::string file = " --joints " + folder.file("j.json", R"({"joints": {"hinge": {"damping": 3}}})");
  CHECK(torque(file) == Approx(-9.81 + 3));
  CHECK(torque(" --urdf-dynamics" + file) == Approx(-9.81 + 3));

  const Run info = run_program("info " + urdf + " --urdf-dynamics");
  CHECK_THAT(info.out, Contains("hinge: damping 2, friction 0.5"));
  CHECK_THAT(run_program("info " + urdf).out, Contains("elements that do not enter: dynamics"));
  const std::string bad = folder.file("bad.urdf", with_dynamics("<dynamics damping=\"-2\"/>"));
  const Run refused = run_program("info " + bad + " --urdf-dynamics");
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("bad.urdf:5: ") && Contains("damping=\"-2\"; expected a number >= 0"));
  CHECK(run_program("info " + bad).code == 0);
}

TEST_CASE("files of joints are strict: exit 3, with the line and near names") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const auto refused = [&](const std::string& text, const std::string& options = "") {
    const Run run = run_program("info " + urdf + options + " --joints " + folder.file("j.json", text));
    CHECK(run.code == 3);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK_THAT(refused("{\"joints\": {\n\"hinga\": {}}}"), Contains("j.json:2: ") && Contains("hinge"));
  CHECK_THAT(refused("{\"joints\": {\n\"hinge\": {\n\"dampening\": 1}}}"), Contains("j.json:3: ") && Contains("damping"));
  CHECK_THAT(refused(R"({"joints": {"hinge": {"damping": -1}}})"), Contains("-1; expected a number >= 0"));
  CHECK_THAT(refused(R"({"joints": {"hinge": {"smoothing": 0}}})"), Contains("0; expected a speed"));
  CHECK_THAT(refused(R"({"joints": {"hinge": {"offset": "1"}}})"), Contains("expected a number"));
  CHECK_THAT(refused(R"({"joints": {"hinge": {"stiffness": -3}}})"), Contains("-3; expected a number >= 0"));
  CHECK_THAT(refused(R"({"joints": {"hinge": {"stribeck": 1.5}}})"), Contains("1.5; expected a share from 0 to 1"));
  CHECK_THAT(refused(R"({"joints": {"hinge": {"stribeck_velocity": 0}}})"), Contains("0; expected a speed"));
  CHECK_THAT(refused(R"({"joints": {"base": {"damping": 1}}})", " --floating"), Contains("6 freedoms"));
  CHECK_THAT(refused(R"({"joint": {}})"), Contains("joints"));
  CHECK(run_program("info " + urdf + " --joints /nowhere.json").code == 3);

  const std::string of_locked = folder.file("locked.json", R"({"joints": {"hinge": {"damping": 1}}})");
  CHECK(run_program("info " + urdf + " --lock hinge --joints " + of_locked).code == 0);
  CHECK(run_program("info " + urdf + " --cut rod --joints " + of_locked).code == 0);
}

TEST_CASE("info --json shows what joints add, and their limits") {
  TemporaryFolder folder;
  const std::string urdf =
      folder.file("p.urdf", with_dynamics("<limit lower=\"-1\" upper=\"2\" velocity=\"3\" effort=\"oops\"/>"));
  const Run run = run_program("info " + urdf + " --json --joints " + folder.file("j.json", geared));
  CHECK(run.code == 0);
  CHECK_THAT(run.out, Contains("\"joint_physics\"") && Contains("\"armature\": 0.25") && Contains("\"smoothing\": 2"));
  CHECK_THAT(run.out,
             Contains("\"velocity\": 3.0") && !Contains("\"lower\"") && !Contains("\"effort\""));  // it turns without end
  CHECK_THAT(run.err, Contains("effort=\"oops\" is passed over"));
}
