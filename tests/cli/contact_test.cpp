// compute contact-dynamics, contact-inverse-dynamics: a block that slides on a plane, as textbooks have it, and what is
// refused.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using sparsedyn::CsvReader;

namespace {

const std::string sled = R"(<robot name="sled">
  <link name="sled"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
</robot>)";

/// Four corners pressed in alike; so stiff that they give way by 1e-4 of what would be without them.
const std::string corners = R"({"constraints": [{"name": "sole", "type": "contact", "link": "sled", "friction": 0.5,
  "points": [[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]],
  "solimp": [0.9999, 0.9999, 0.001, 0.5, 2]HARD}]})";

std::string text_with(const std::string& more) {
  std::string text = corners;
  return text.replace(text.find("HARD"), 4, more);
}

const std::string state =
    "q.base.x,q.base.y,q.base.z,q.base.qx,q.base.qy,q.base.qz,q.base.qw,"
    "dq.base.wx,dq.base.wy,dq.base.wz,dq.base.vx,dq.base.vy,dq.base.vz";

}  // namespace

TEST_CASE(
    "compute contact-dynamics: a sled that is pushed by less than friction takes stays, and its corners share weight and "
    "push") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("sled.urdf", sled), set = folder.file("c.json", text_with(""));
  const std::string log = folder.file("in.csv", state +
                                                    ",tau.base.nx,tau.base.ny,tau.base.nz,tau.base.fx,tau.base.fy,tau.base.fz\n"
                                                    "0,0,-1e-6,0,0,0,1,0,0,0,0,0,0,0,0,0,5.886,0,0\n");
  const std::string out = folder / "out.csv", common = urdf + " --floating --constraints " + set;
  const Run run = run_program("compute contact-dynamics " + common + " --log " + log + " -o " + out);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CsvReader csv(out);
  const auto at = [&](const std::string& name) { return csv.ask(name); };
  const int x = at("ddq.base.vx"), z = at("ddq.base.vz"), fx = at("lambda.sole.0.x"), fz = at("lambda.sole.3.z"),
            gap = at("gap.sole.2"), steps = at("iterations");
  REQUIRE(csv.next());
  CHECK(std::abs(csv.value(x)) < 1e-2);
  CHECK(std::abs(csv.value(z)) < 1e-2);
  CHECK(csv.value(fz) == Approx(2 * 9.81 / 4).epsilon(2e-3));
  CHECK(csv.value(fx) == Approx(-5.886 / 4).epsilon(2e-3));
  CHECK(csv.value(gap) == Approx(-1e-6));
  CHECK((csv.value(steps) >= 1 && csv.value(steps) < 20));
}

TEST_CASE("compute contact-derivatives: a sled that is pushed and slides, beside differences of contact-dynamics") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("sled.urdf", sled), set = folder.file("c.json", text_with(""));
  std::string rows = state + ",tau.base.nx,tau.base.ny,tau.base.nz,tau.base.fx,tau.base.fy,tau.base.fz\n";
  for (const char* push : {"12.001", "12", "11.999"})
    rows += "0,0,-1e-3,0,0,0,1,0,0,0,1.5,0.2,0,0,0,0," + std::string(push) + ",0,-3\n";
  const std::string log = folder.file("in.csv", rows), out = folder / "out.csv", slopes = folder / "slopes.csv";
  const std::string with = urdf + " --floating --constraints " + set + " --log " + log + " -o ";
  REQUIRE(run_program("compute contact-dynamics " + with + out).code == 0);
  const Run run = run_program("compute contact-derivatives " + with + slopes);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CsvReader found(out), derived(slopes);
  const int ddq = found.ask("ddq.base.vx"), force = found.ask("lambda.sole.0.x"), by_push = derived.ask("dddq_dtau.3.3"),
            force_by_push = derived.ask("dlambda_dtau.0.3"), force_by_height = derived.ask("dlambda_dq.2.5");
  double x[3], f[3], slope[3][3];
  for (int k = 0; k < 3; ++k) {
    REQUIRE((found.next() && derived.next()));
    x[k] = found.value(ddq), f[k] = found.value(force);
    slope[k][0] = derived.value(by_push), slope[k][1] = derived.value(force_by_push),
    slope[k][2] = derived.value(force_by_height);
  }
  CHECK(slope[1][0] == Approx((x[0] - x[2]) / 2e-3).epsilon(1e-6));
  CHECK(slope[1][1] == Approx((f[0] - f[2]) / 2e-3).margin(1e-6));
  CHECK((slope[1][0] > 0.2 && slope[1][0] < 0.5));  // 2 kg, held back by friction
  CHECK(slope[1][2] < -100);                        // deeper, firmer
  CHECK(run_program("compute contact-derivatives " + urdf + " --floating --log " + log + " -o -").code == 2);
}

TEST_CASE(
    "compute contact-second-derivatives: a sled that slides, beside differences of contact-derivatives, and whole in NumPy "
    "files") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("sled.urdf", sled), set = folder.file("c.json", text_with(""));
  std::string rows = state +
                     ",tau.base.nx,tau.base.ny,tau.base.nz,tau.base.fx,tau.base.fy,tau.base.fz,multipliers.ddq.base.wx,"
                     "multipliers.ddq.base.wy,multipliers.ddq.base.wz,multipliers.ddq.base.vx,multipliers.ddq.base.vy,"
                     "multipliers.ddq.base.vz\n";
  for (const char* aside : {"0.2001", "0.2", "0.1999"})
    rows += "0,0,-1e-3,0,0,0,1,0,0,0,1.5," + std::string(aside) + ",0,0,0,0,12,0,-3,0,0,0,1,0,0\n";
  const std::string log = folder.file("in.csv", rows), out = folder / "out.csv", slopes = folder / "slopes.csv";
  const std::string with = urdf + " --floating --constraints " + set + " --log " + log + " -o ";
  REQUIRE(run_program("compute contact-derivatives " + with + slopes).code == 0);
  const Run run = run_program("compute contact-second-derivatives " + with + out);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CsvReader bent(out), derived(slopes);
  const int by_aside = bent.ask("H.10.10"), across = bent.ask("H.10.9"), by_push = bent.ask("H.15.10");
  const int of_aside = derived.ask("dddq_dv.3.4"), of_ahead = derived.ask("dddq_dv.3.3"),
            of_push = derived.ask("dddq_dtau.3.3");
  double slope[3][3], H[3];
  for (int k = 0; k < 3; ++k) {
    REQUIRE((bent.next() && derived.next()));
    slope[k][0] = derived.value(of_aside), slope[k][1] = derived.value(of_ahead), slope[k][2] = derived.value(of_push);
    if (k == 1) H[0] = bent.value(by_aside), H[1] = bent.value(across), H[2] = bent.value(by_push);
  }
  for (int k = 0; k < 3; ++k) CHECK(H[k] == Approx((slope[0][k] - slope[2][k]) / 2e-4).epsilon(1e-4));
  CHECK(std::abs(H[0]) > 0.1);
  REQUIRE(run_program("compute contact-second-derivatives --npy --json " + with + (folder / "npy")).code == 0);
  const std::string file = text_of(folder / "npy/H.npy");
  CHECK(file.find("(3, 18, 18,)") != std::string::npos);
  const auto entry = [&](int i, int k) {
    double x;
    std::memcpy(&x, file.data() + file.size() - 8 * (2 * 18 * 18 - i * 18 - k), 8);
    return x;
  };
  CHECK((entry(10, 9) == Approx(H[1]) && entry(9, 10) == entry(10, 9) && entry(10, 15) == entry(15, 10)));
  std::string pressed = rows;  // multipliers of one force alone
  pressed.insert(pressed.find('\n'), ",multipliers.lambda.sole.0.x");
  for (std::size_t at = 0; (at = pressed.find(",1,0,0\n", at)) != std::string::npos;) pressed.replace(at, 7, ",0,0,0,1\n");
  const Run of_force = run_program("compute contact-second-derivatives " + urdf + " --floating --constraints " + set +
                                   " --log " + folder.file("pressed.csv", pressed) + " -o " + out);
  CHECK_THAT(of_force.err, Contains("taken as zero") && Contains("multipliers.lambda.sole.0.y"));
  REQUIRE(of_force.code == 0);
  CsvReader bent_force(out), first(slopes);
  const int by_speed = bent_force.ask("H.10.10"), of_speed = first.ask("dlambda_dv.0.4");
  for (int k = 0; k < 3; ++k) {
    REQUIRE((bent_force.next() && first.next()));
    slope[k][0] = first.value(of_speed);
    if (k == 1) H[0] = bent_force.value(by_speed);
  }
  CHECK(H[0] == Approx((slope[0][0] - slope[2][0]) / 2e-4).epsilon(1e-4));
  CHECK(std::abs(H[0]) > 0.05);
  CHECK_THAT(run_program("compute contact-second-derivatives " + with + out + " --contract lambda").err,
             Contains("lambda.base.wx"));
  CHECK(run_program("compute contact-second-derivatives " + urdf + " --floating --log " + log + " -o -").code == 2);
}

TEST_CASE("compute contact-derivatives: a four-bar linkage that floats and turns, beside differences along its motion") {
  TemporaryFolder folder;
  const std::string with = robot("four-bar") + " --floating --constraints " + example("constraints/four-bar.json") + " ";
  const std::string start =
                        folder.file("start.csv", state + ",q.crank,q.coupler,q.rocker,dq.crank,dq.coupler,dq.rocker\n" +
                                                     "0,0,0,0.6,0,0,0.8,1,-2,0.5,0.1,0,0.2,0,0,0,12,-14.4,2.742857142857143\n"),
                    log = folder / "log.csv", out = folder / "slopes.csv", unused = folder / "unused.csv";
  Run run = run_program("simulate " + with + "--from " + start + " --project --rate 10000 --seconds 0.0005 -o " + log);
  INFO(run.err);
  REQUIRE(run.code == 0);
  run = run_program("compute contact-dynamics " + with + "--log " + log + " -o " + unused);
  REQUIRE(run.code == 0);
  run = run_program("compute contact-derivatives " + with + "--log " + log + " -o " + out);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CsvReader moving(log), answers(unused), slopes(out);
  constexpr int nv = 9;
  const char* const freedoms[nv] = {"base.wx", "base.wy", "base.wz", "base.vx", "base.vy",
                                    "base.vz", "crank",   "coupler", "rocker"};
  std::vector<int> v, a, by_q, by_v;
  for (int i = 0; i < nv; ++i) {
    v.push_back(moving.ask("dq." + std::string(freedoms[i]))), a.push_back(answers.ask("ddq." + std::string(freedoms[i])));
    for (int k = 0; k < nv; ++k) {
      const std::string entry = "." + std::to_string(i) + "." + std::to_string(k);
      by_q.push_back(slopes.ask("dddq_dq" + entry)), by_v.push_back(slopes.ask("dddq_dv" + entry));
    }
  }
  std::vector<std::vector<double>> dq, ddq;
  std::vector<double> middle_q, middle_v;
  while (moving.next() && answers.next() && slopes.next()) {
    dq.emplace_back(), ddq.emplace_back();
    for (int i = 0; i < nv; ++i) dq.back().push_back(moving.value(v[i])), ddq.back().push_back(answers.value(a[i]));
    if (dq.size() != 3) continue;
    for (int e = 0; e < nv * nv; ++e) middle_q.push_back(slopes.value(by_q[e])), middle_v.push_back(slopes.value(by_v[e]));
  }
  REQUIRE(dq.size() == 5);
  for (int i = 0; i < nv; ++i) {
    double sum = 0, size = 1;
    for (int k = 0; k < nv; ++k) {
      const double change = (8 * (dq[3][k] - dq[1][k]) - (dq[4][k] - dq[0][k])) / 12e-4;
      const double terms[] = {middle_q[nv * i + k] * dq[2][k], middle_v[nv * i + k] * change};
      for (double term : terms) sum += term, size = std::max(size, std::abs(term));
    }
    CAPTURE(freedoms[i]);
    CHECK(std::abs(sum - (8 * (ddq[3][i] - ddq[1][i]) - (ddq[4][i] - ddq[0][i])) / 12e-4) <= 1e-4 * size);
  }
}

TEST_CASE("compute contact-inverse-dynamics gives back the torques that contact-dynamics was given") {
  TemporaryFolder folder;
  const std::string set = folder.file("c.json", R"({"constraints": [
    {"name": "tip", "type": "contact", "link": "link7", "points": [[0, 0, 0.1]], "friction": 0.7, "plane": {"xyz": [0, 0, 5]}},
    {"name": "rub", "type": "dry_friction", "joint": "*", "loss": 0.2}, {"name": "stops", "type": "limit", "joint": "*"}]})");
  const std::string with = robot("arm") + " --constraints " + set, out = folder / "out.csv", back = folder / "back.csv";
  REQUIRE(run_program("compute contact-dynamics " + with + " --log " + robot_log("arm") + " -o " + out).code == 0);
  // the log's q and dq with the accelerations found
  CsvReader log(robot_log("arm")), found(out);
  std::vector<int> from_log, from_found, tau;
  std::string text;
  for (const std::string& name : log.columns()) {
    if (name.rfind("q.", 0) == 0 || name.rfind("dq.", 0) == 0) from_log.push_back(log.ask(name)), text += "," + name;
    if (name.rfind("tau.", 0) == 0) tau.push_back(log.ask(name));
  }
  std::vector<std::string> forces;
  for (const std::string& name : found.columns()) {
    if (name.rfind("ddq.", 0) == 0)
      from_found.push_back(found.ask(name)), text += "," + name, forces.push_back("tau." + name.substr(4));
  }
  text = text.substr(1) + "\n";
  const int tip = found.ask("lambda.tip.0.z");
  std::vector<std::vector<double>> given;
  double pressed = 0;
  while (log.next() && found.next() && given.size() < 30) {
    std::string row;
    char number[40];
    for (int slot : from_log) std::snprintf(number, sizeof number, ",%.17g", log.value(slot)), row += number;
    for (int slot : from_found) std::snprintf(number, sizeof number, ",%.17g", found.value(slot)), row += number;
    text += row.substr(1) + "\n";
    given.emplace_back();
    for (int slot : tau) given.back().push_back(log.value(slot));
    pressed = std::max(pressed, std::abs(found.value(tip)));
  }
  CHECK(pressed > 1);
  REQUIRE(tau.size() == forces.size());
  const Run run =
      run_program("compute contact-inverse-dynamics " + with + " --log " + folder.file("in.csv", text) + " -o " + back);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CsvReader result(back);
  std::vector<int> slots;
  for (const std::string& name : forces) slots.push_back(result.ask(name));
  for (std::size_t row = 0; result.next(); ++row)
    for (std::size_t k = 0; k < slots.size(); ++k) {
      CAPTURE(row, forces[k]);
      CHECK(std::abs(result.value(slots[k]) - given.at(row)[k]) <= 1e-8 * std::max(1.0, pressed));
    }
}

TEST_CASE("constraints that are missing, superfluous, or do not suit are refused") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("sled.urdf", sled), good = folder.file("c.json", text_with("")),
                    bad = folder.file("bad.json", text_with(", \"radus\": 1")),
                    hard = folder.file("hard.json", R"({"constraints": [
  {"name": "rod", "type": "connect", "links": ["sled", "world"], "hard": true}]})");
  const std::string log = folder.file("in.csv", state + "\n0,0,0,0,0,0,1,0,0,0,0,0,0\n"), out = " -o " + (folder / "out.csv");
  const std::string rest = urdf + " --floating --log " + log + out;
  CHECK(run_program("compute contact-dynamics " + rest).code == 2);
  CHECK(run_program("compute aba " + rest + " --constraints " + good).code == 2);
  const Run typo = run_program("compute contact-dynamics " + rest + " --constraints " + bad);
  CHECK(typo.code == 3);
  CHECK_THAT(typo.err, Contains("bad.json:3: ") && Contains("radius"));
  const Run inverse = run_program("compute contact-inverse-dynamics " + rest + " --constraints " + hard);
  CHECK(inverse.code == 3);
  CHECK_THAT(inverse.err, Contains("hard.json:2: ") && Contains("soft constraints alone"));
  CHECK(run_program("compute contact-dynamics " + rest + " --constraints " + (folder / "none.json")).code == 3);
}

TEST_CASE("generate --algorithm contact-dynamics writes what the function reads and gives, and names what it does not know") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("sled.urdf", sled), good = folder.file("c.json", text_with("")),
                    rod = folder.file("rod.json", R"({"constraints": [
  {"name": "rod", "type": "connect", "links": ["sled", "world"]}]})");
  const std::string begin = "generate " + urdf + " --floating --name sled -o " + (folder / "code");
  const Run run = run_program(begin + " --json --algorithm contact-dynamics --constraints " + good);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(nlohmann::json::parse(run.out)["flops_of_a_step"]["mul"] > 0);
  const nlohmann::json manifest = nlohmann::json::parse(text_of(folder / "code/sled.json"));
  CHECK(manifest["inputs"][3]["name"] == "start");
  CHECK(manifest["outputs"][1]["elements"][2] == "lambda.sole.0.z");
  CHECK(manifest["constraints"] == nlohmann::json::parse(R"(["sole.0", "sole.1", "sole.2", "sole.3"])"));
  CHECK(run_program(begin + " --algorithm contact-dynamics").code == 2);
  CHECK(run_program(begin + " --algorithm aba --constraints " + good).code == 2);
  const Run slopes = run_program(begin + " --json --algorithm contact-derivatives --constraints " + good);
  REQUIRE(slopes.code == 0);
  CHECK(nlohmann::json::parse(slopes.out)["flops_of_derivatives"]["mul"] > 0);
  const nlohmann::json ports = nlohmann::json::parse(text_of(folder / "code/sled.json"))["outputs"];
  CHECK((ports[5]["name"] == "dddq_dq" && ports[5]["elements"].size() == 36));
  CHECK((ports[10]["name"] == "dlambda_dtau" && ports[10]["elements"][7] == "dlambda_dtau.1.1"));
  CHECK(run_program(begin + " --algorithm contact-derivatives").code == 2);
  REQUIRE(run_program(begin + " --algorithm contact-second-derivatives --constraints " + good).code == 0);
  const nlohmann::json second = nlohmann::json::parse(text_of(folder / "code/sled.json"));
  CHECK((second["inputs"][3]["name"] == "multipliers" && second["inputs"][3]["elements"].size() == 6));
  CHECK((second["outputs"][11]["name"] == "H" && second["outputs"][11]["elements"].size() == 171));
  REQUIRE(run_program(begin + " --all-inputs --algorithm contact-second-derivatives --constraints " + good).code == 0);
  const nlohmann::json whole = nlohmann::json::parse(text_of(folder / "code/sled.json"))["inputs"];
  CHECK((whole[4]["name"] == "multipliers" && whole[5]["name"] == "force_multipliers" && whole[6]["name"] == "start"));
  CHECK(whole[5]["elements"][2] == "multipliers.lambda.sole.0.z");
  REQUIRE(run_program(begin + " --algorithm contact-second-derivatives --constraints " + rod).code == 0);
  CHECK(nlohmann::json::parse(text_of(folder / "code/sled.json"))["outputs"][11]["name"] == "H");
  const Run inverse = run_program(begin + " --json --algorithm contact-inverse-dynamics --constraints " + good);
  REQUIRE(inverse.code == 0);
  CHECK(nlohmann::json::parse(inverse.out)["flops"]["mul"] > 0);
  const nlohmann::json back = nlohmann::json::parse(text_of(folder / "code/sled.json"));
  CHECK(
      (back["inputs"].size() == 3 && back["inputs"][2]["name"] == "ddq" && back["outputs"][0]["elements"][0] == "tau.base.nx"));
  const Run hard =
      run_program(begin + " --algorithm contact-inverse-dynamics --constraints " + folder.file("hard.json", R"({"constraints": [
  {"name": "rod", "type": "connect", "links": ["sled", "world"], "hard": true}]})"));
  CHECK(hard.code == 3);
  CHECK_THAT(hard.err, Contains("hard.json:2: ") && Contains("soft constraints alone"));
  const Run loop = run_program(begin + " --algorithm contact-dynamics --constraints " + rod);
  CHECK(loop.code == 0);
  CHECK_THAT(text_of(folder / "code/sled.json"), Contains("\"lambda.rod.x\""));
  CHECK(run_program(begin + " --algorithm contact-derivatives --constraints " + rod).code == 0);
  CHECK_THAT(text_of(folder / "code/sled.json"), Contains("\"dlambda_dq.2.5\""));
}

TEST_CASE("generate --stage --constraints writes a step under contacts and loops") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("sled.urdf", sled), good = folder.file("c.json", text_with(""));
  const std::string begin =
      "generate " + urdf + " --floating --name step -o " + (folder / "code") + " --stage semi-implicit --constraints ";
  const auto ports = [&] {
    std::string names;
    const nlohmann::json manifest = nlohmann::json::parse(text_of(folder / "code/step.json"));
    for (const char* side : {"inputs", "outputs"})
      for (const nlohmann::json& port : manifest[side]) names += port["name"].get<std::string>() + " ";
    return names;
  };
  const Run usual = run_program(begin + good + " --json");
  INFO(usual.err);
  REQUIRE(usual.code == 0);
  CHECK(nlohmann::json::parse(usual.out)["flops_of_derivatives"]["mul"] > 0);
  CHECK(ports() == "x u dt start x_next A B next solver ");
  REQUIRE(run_program(begin + good + " --outputs gap,g,x_next,force --no-batch").code == 0);
  CHECK(ports() == "x u dt lambda start x_next g force gap next solver ");
  CHECK_THAT(text_of(folder / "code/step.c"), !Contains("_batch_status"));
  REQUIRE(run_program(begin + good + " --outputs x_next,H").code == 0);
  CHECK(ports() == "x u dt lambda start x_next H next solver ");
  const std::string loops = "generate " + robot("four-bar") + " --name step -o " + (folder / "code") +
                            " --stage semi-implicit --constraints " + example("constraints/four-bar.json");
  REQUIRE(run_program(loops + " --outputs H").code == 0);
  CHECK(ports() == "x u dt lambda start H next solver ");
  REQUIRE(run_program(loops + " --outputs x_next").code == 0);
  CHECK(ports() == "x u dt start x_next next solver ");
}

TEST_CASE("optimise --constraints: a plan that compute, simulate and generate follow, and nothing else does") {
  TemporaryFolder folder;
  const std::string urdf = robot("quadruped"), set = example("constraints/quadruped.json");
  const std::string plan = folder / "plan.json", common = urdf + " --floating --constraints " + set;
  const Run found = run_program("optimise " + common + " -o " + plan + " --json");
  INFO(found.err);
  REQUIRE(found.code == 0);
  CHECK(nlohmann::json::parse(found.out)["healthy"] == true);
  nlohmann::json text = nlohmann::json::parse(text_of(plan));
  CHECK(text["rows"] == text["columns"]);
  CHECK(text["fill"] == 0);

  // Another order, with fill, gives the same answers but for rounding.
  const std::string log = robot_log("quadruped");
  const auto accelerations = [&](const std::string& more, const std::string& to) {
    const Run run = run_program("compute contact-dynamics " + common + " --log " + log + " -o " + (folder / to) + more);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return text_of(folder / to);
  };
  const std::string without = accelerations("", "a.csv"), with = accelerations(" --plan " + plan, "b.csv");
  CHECK(with == without);  // the tips first: no order is cheaper here
  const std::string motion = "simulate " + common + " --seconds 0.1 --rate 500 -o ";
  REQUIRE(run_program(motion + (folder / "m.csv") + " --plan " + plan).code == 0);
  CHECK(run_program("generate " + common + " --algorithm contact-dynamics --no-batch --name f -o " + (folder / "code") +
                    " --plan " + plan)
            .code == 0);

  const std::string other = folder.file("other.json", R"({"constraints": [{"name": "rub", "type": "dry_friction", "joint": "*",
    "loss": 0.1}]})");
  const std::string misfit = "compute contact-dynamics " + urdf + " --floating --log " + log + " -o " + (folder / "c.csv") +
                             " --plan " + plan + " --constraints " + other;
  const Run refused = run_program(misfit);
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, Contains("a plan made for"));
  CHECK(run_program(misfit + " --json").out.find("\"fits\": false") != std::string::npos);
  CHECK(run_program("simulate " + urdf + " --floating --constraints " + other + " --seconds 0.1 -o " + (folder / "c.csv") +
                    " --plan " + plan)
            .code == 1);
  CHECK(run_program("compute contact-dynamics " + common + " --log " + log + " -o " + (folder / "c.csv") + " --plan " + set)
            .code == 3);
  CHECK(
      run_program("compute aba " + urdf + " --floating --log " + log + " -o " + (folder / "c.csv") + " --plan " + plan).code ==
      2);
  CHECK(run_program("simulate " + urdf + " --forward --seconds 0.1 -o " + (folder / "c.csv") + " --plan " + plan).code == 2);
  CHECK(run_program("optimise " + urdf + " -o " + (folder / "p.json")).code == 2);
  CHECK(run_program("optimise " + common + " --outputs ddq -o " + (folder / "p.json")).code == 2);
}

TEST_CASE("check --constraints: rank and redundant rows of hard constraints") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("sled.urdf", sled), set = folder.file("c.json", R"({"constraints": [
    {"name": "rod", "type": "connect", "links": ["sled", "world"], "hard": true},
    {"name": "frame", "type": "weld", "links": ["sled", "world"], "hard": true}]})");
  const Run run = run_program("check " + urdf + " --floating --json --constraints " + set);
  INFO(run.err);
  REQUIRE(run.code == 0);
  const nlohmann::json report = nlohmann::json::parse(run.out);
  CHECK((report["rows"] == 9 && report["rank"] == 6 && report["freedoms"] == 0));
  CHECK(report["redundant"] == nlohmann::json{"frame.fx", "frame.fy", "frame.fz"});
  CHECK(run_program("check " + urdf + " --floating").code == 2);
  // held in the world and told its acceleration: exact rows that say the same
  CHECK(run_program("check " + urdf + " --floating --sensors inverse-dynamics --constraints " + set).code == 1);
}

TEST_CASE("solve --constraints: hard rows join a sensor set, and their forces are outputs") {
  TemporaryFolder folder;
  const std::string bar = R"("><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>)";
  const auto hinge = [](const std::string& name, const std::string& parent, const std::string& child, const std::string& x) {
    return "<joint name=\"" + name + "\" type=\"continuous\"><parent link=\"" + parent + "\"/><child link=\"" + child +
           "\"/><origin xyz=\"" + x + " 0 0\"/><axis xyz=\"0 1 0\"/></joint>";
  };
  const std::string urdf =
      folder.file("bars.urdf", "<robot name=\"bars\"><link name=\"ground\"/><link name=\"crank" + bar + "<link name=\"coupler" +
                                   bar + "<link name=\"rocker" + bar + hinge("a", "ground", "crank", "0") +
                                   hinge("b", "crank", "coupler", "0.3") + hinge("c", "ground", "rocker", "0.5") + "</robot>");
  const std::string loop = folder.file("loop.json", R"({"constraints": [{"name": "rod", "type": "connect",
    "links": ["coupler", "rocker"], "xyz": [[0.6, 0, 0], [0.4, 0, 0]], "hard": true}, {"name": "stops", "type": "limit", "joint": "*"}]})");
  const std::string log = folder.file("in.csv",
                                      "q.a,q.b,q.c,dq.a,dq.b,dq.c,tau.a,tau.b,tau.c\n"
                                      "0.3,-0.4,1.1,0.5,-0.7,0.2,1,0,-0.5\n-1.2,0.8,0.1,0.1,0.3,-1,0,0.4,2\n");
  const std::string robot = urdf + " --constraints " + loop, moved = folder / "moved.csv", solved = folder / "solved.csv";
  const Run reference = run_program("compute contact-dynamics " + robot + " --log " + log + " -o " + moved);
  INFO(reference.err);
  REQUIRE(reference.code == 0);
  const std::string plan = folder / "plan.json";
  const Run planned = run_program("optimise " + robot + " --sensors forward-dynamics -o " + plan);
  INFO(planned.err);
  REQUIRE(planned.code == 0);
  for (const std::string& by : {std::string(), " --plan " + plan}) {
    const Run run = run_program("solve " + robot + " --sensors forward-dynamics --log " + log + " -o " + solved + by);
    INFO(run.err);
    REQUIRE(run.code == 0);
    CsvReader one(moved), other(solved);
    for (const char* name : {"ddq.a", "ddq.b", "ddq.c", "lambda.rod.x", "lambda.rod.z"}) one.ask(name), other.ask(name);
    while (one.next()) {
      REQUIRE(other.next());
      for (int k = 0; k < 5; ++k) CHECK(other.value(k) == Approx(one.value(k)).epsilon(1e-8).margin(1e-8));
    }
  }
  // without the loop the plan is for another set
  CHECK(run_program("solve " + urdf + " --sensors forward-dynamics --log " + log + " -o " + solved + " --plan " + plan).code ==
        1);

  // measured accelerations beside: all three are redundant, and what contact-dynamics says fits them
  const std::string set = folder.file("set.json", R"({"sensors": [{"name": "push", "type": "joint_torque", "joint": "*"},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
    {"name": "rates", "type": "joint_acceleration", "joint": "*", "sigma": 0.1}]})");
  const Run check = run_program("check " + robot + " --json --sensors " + set);
  INFO(check.err);
  const nlohmann::json report = nlohmann::json::parse(check.out);
  CHECK((report["verdict"] == "redundant" && report["redundant_rows"] == 3));
  const Run fit = run_program("solve " + robot + " --sensors " + set + " --innovations --log " + folder.file("both.csv", [&] {
    CsvReader one(moved);
    for (const char* name : {"ddq.a", "ddq.b", "ddq.c"}) one.ask(name);
    std::string text = "q.a,q.b,q.c,dq.a,dq.b,dq.c,tau.a,tau.b,tau.c,ddq.a,ddq.b,ddq.c\n";
    for (const char* instant : {"0.3,-0.4,1.1,0.5,-0.7,0.2,1,0,-0.5", "-1.2,0.8,0.1,0.1,0.3,-1,0,0.4,2"}) {
      REQUIRE(one.next());
      text += instant;
      for (int k = 0; k < 3; ++k) text += "," + std::to_string(one.value(k));
      text += "\n";
    }
    return text;
  }()) + " -o " + solved);
  INFO(fit.err);
  REQUIRE(fit.code == 0);
  CsvReader estimates(solved);
  const int chi = estimates.ask("chi2");
  while (estimates.next()) CHECK(estimates.value(chi) < 1e-6);
}
