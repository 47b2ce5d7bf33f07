// identify: from the log of a robot that differs from its URDF to a URDF that does not.
#include "sparsedyn/identification/identify.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "io/csv_reader.hpp"
#include "program.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// The arm that ships with other parameters, and the log of its torques.
struct Robot {
  Robot() : model(load_urdf(robot("arm"))), pi(parameters(model)) {
    const ParameterIndex index(model);
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      for (int k = 0; k < 10; ++k) pi[10 * j + static_cast<std::size_t>(k)] *= 1.1;  // of denser stuff
      if (index.of_joints[j] < 0) continue;
      double* const own = &pi[static_cast<std::size_t>(index.of_joints[j])];
      own[0] = 0.05, own[1] = 0.3, own[2] = 0.4, own[3] = -0.2;
    }
  }
  std::string log(unsigned seed, int rows, double noise) const {
    std::string text;
    const std::vector<std::string> names = velocity_names(model);
    for (const char* kind : {"q.", "dq.", "ddq.", "tau."})
      for (const std::string& name : names) text += (text.empty() ? "" : ",") + (kind + name);
    std::mt19937 rng(seed);
    std::normal_distribution<double> normal;
    RegressorWorkspace<double> work(model);
    const auto n = static_cast<std::size_t>(model.nv);
    std::vector<double> q(n), v(n), a(n), tau(n);
    for (int row = 0; row < rows; ++row) {
      for (auto* x : {&q, &v, &a})
        for (double& e : *x) e = normal(rng);
      regressor_times(model, work, q.data(), v.data(), a.data(), pi.data(), tau.data());
      for (double& e : tau) e += noise * normal(rng);
      text += '\n';
      for (const auto* x : {&q, &v, &a, &tau})
        for (double e : *x) {
          char number[32];
          std::snprintf(number, sizeof number, "%.17g", e);
          text += (text.back() == '\n' ? "" : ",") + std::string(number);
        }
    }
    return text + "\n";
  }
  Model model;
  std::vector<double> pi;
};

}  // namespace

TEST_CASE("identify names what overran its prior, by how much it is pulled, and the prior that would do") {
  TemporaryFolder folder;
  Robot arm;
  const std::size_t loaded = static_cast<std::size_t>(arm.model.joint("joint7"));
  for (std::size_t k = 0; k < 10; ++k) arm.pi[10 * loaded + k] *= 15;  // a load that the file does not know
  const std::string log = folder.file("log.csv", arm.log(3, 600, 0.05));
  const Run run = run_program("identify --json " + robot("arm") + " --log " + log + " -o " + (folder / "fit.json"));
  INFO(run.err);
  REQUIRE(run.code == 0);
  const auto fit = nlohmann::json::parse(run.out);
  REQUIRE(fit["overrun"].size() > 0);
  const double wider = fit["sufficient_prior"];
  CHECK(wider > 0.3);
  for (const auto& one : fit["overrun"]) CHECK(one["prior_deviations"].get<double>() > 5);
  CHECK_THAT(run.err, Contains("warning: ") && Contains("prior"));
  CHECK_THAT(run.err, Contains(fit["overrun"][0]["name"].get<std::string>()));
  std::ostringstream said;
  said << "--prior " << wider;
  CHECK_THAT(run.err, Contains(said.str()));
  const Run again =
      run_program("identify --json " + robot("arm") + " --log " + log + " -o " + (folder / "wider.json") + " " + said.str());
  REQUIRE(again.code == 0);
  CHECK(nlohmann::json::parse(again.out).count("overrun") == 0);
  CHECK(again.err.find(fit["overrun"][0]["name"].get<std::string>()) == std::string::npos);
}

TEST_CASE("identify: the fitted URDF and joints give the torques of logs that were not fitted to") {
  TemporaryFolder folder;
  const Robot arm;
  const std::string log = folder.file("log.csv", arm.log(1, 600, 0.05)),
                    other = folder.file("other.csv", arm.log(2, 300, 0.05));
  const std::string out = folder / "out.json", urdf = folder / "fitted.urdf", joints = folder / "joints.json";
  const Run run = run_program("identify " + robot("arm") + " --log " + log + " --holdout " + other + " -o " + out +
                              " --urdf-out " + urdf + " --joints-out " + joints);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, Contains("held out"));
  const auto fit_json = nlohmann::json::parse(text_of(out));
  CHECK(fit_json["parameters"].size() == arm.pi.size());
  CHECK(fit_json["rows"] == 600 * arm.model.nv);
  CHECK(fit_json["rank"] == fit_json["base_parameters"].size());
  for (const std::string& name : force_names(arm.model)) {
    INFO(name);
    CHECK(fit_json["torque_rms"]["before"][name] > 0.2);
    CHECK(fit_json["torque_rms"]["holdout_after"][name] < 1.05 * 0.05 * 1.1);
    CHECK(fit_json["noise"][name] == Approx(0.05).epsilon(0.1));
  }
  for (std::size_t k = 0; k < arm.pi.size(); ++k) {
    const auto& parameter = fit_json["parameters"][k];
    INFO(parameter);
    if (parameter["determined"])
      CHECK(std::fabs(parameter["value"].get<double>() - arm.pi[k]) < 5 * parameter["sd"].get<double>());
  }

  // What the new URDF says is what was fitted.
  const Model fitted = load_urdf(urdf);
  const std::vector<double> pi = parameters(fitted);
  for (std::size_t k = 0; k < 10 * fitted.joints.size(); ++k)
    CHECK(pi[k] == Approx(fit_json["parameters"][k]["value"].get<double>()).epsilon(1e-9).margin(1e-12));
  const auto rub = nlohmann::json::parse(text_of(joints))["joints"];
  for (const Joint& joint : arm.model.joints) {
    CHECK(rub[joint.name]["damping"] == Approx(0.3).epsilon(0.05));
    CHECK(rub[joint.name]["friction"] == Approx(0.4).epsilon(0.1));
    CHECK(rub[joint.name]["offset"] == Approx(-0.2).margin(0.05));
  }
}

TEST_CASE("identify --fit stiffness,stribeck: springs and what sliding takes from friction, as --joints reads them") {
  TemporaryFolder folder;
  Robot arm;
  for (const Joint& joint : arm.model.joints) {
    JointPhysics p;
    p.smoothing = 0.02, p.stribeck = 0.6, p.stribeck_velocity = 0.4, p.stiffness = 0;
    set_joint_physics(arm.model, joint.name, p);
  }
  const ParameterIndex index(arm.model);
  std::vector<double> pi(10 * arm.model.joints.size());
  std::copy_n(arm.pi.begin(), pi.size(), pi.begin());
  for (std::size_t j = 0; j < arm.model.joints.size(); ++j) pi.insert(pi.end(), {0.05, 0.3, 0.4, -0.2, 1.5});
  arm.pi = pi;
  const std::string log = folder.file("log.csv", arm.log(1, 4000, 0.01)),
                    other = folder.file("other.csv", arm.log(2, 500, 0.01));
  const std::string out = folder / "out.json", joints = folder / "joints.json", urdf = folder / "fitted.urdf";
  const std::string io = " --log " + log + " --holdout " + other + " -o " + out;
  const Run run = run_program("identify " + robot("arm") + io + " --joints-out " + joints + " --urdf-out " + urdf +
                              " --fit inertia,armature,damping,friction,offset,stiffness,smoothing,stribeck");
  INFO(run.err);
  REQUIRE(run.code == 0);
  const auto fit_json = nlohmann::json::parse(text_of(out));
  std::size_t told = 0;
  for (const auto& parameter : fit_json["parameters"]) {
    const std::string name = parameter["name"], part = name.substr(name.find('.'));
    const double true_number = part == ".stiffness" ? 1.5 : part == ".stribeck" ? 0.6 : part == ".stribeck_velocity" ? 0.4 : 0;
    if (true_number == 0) continue;
    INFO(parameter);
    ++told;
    CHECK(parameter["determined"]);
    CHECK(std::fabs(parameter["value"].get<double>() - true_number) < 5 * parameter["sd"].get<double>());
    CHECK(parameter["sd"].get<double>() < 0.1 * true_number);
  }
  CHECK(told == 3 * arm.model.joints.size());
  for (const std::string& name : force_names(arm.model))
    CHECK(fit_json["torque_rms"]["holdout_after"][name] < 1.05 * 0.01 * 1.1);
  // what was written gives the torques of the fit
  const std::string tau = folder / "tau.csv";
  REQUIRE(run_program("compute rnea " + urdf + " --joints " + joints + " --log " + other + " -o " + tau).code == 0);
  CHECK(worst_difference(tau, other) < 0.1);
  // without a spring or Stribeck's effect the fit is worse, and says nothing of them
  REQUIRE(run_program("identify " + robot("arm") + io).code == 0);
  const auto plain = nlohmann::json::parse(text_of(out));
  CHECK(plain["parameters"].size() == fit_json["parameters"].size() - 4 * arm.model.joints.size());
  for (const std::string& name : force_names(arm.model)) CHECK(plain["torque_rms"]["holdout_after"][name] > 0.05);
  // a robot without joints of one freedom has no springs
  const Run refused = run_program("identify " + robot("arm") + io + " --fit stifness");
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("stiffness"));
}

TEST_CASE("identify: two logs are one log in two files") {
  TemporaryFolder folder;
  const Robot arm;
  const std::string whole = arm.log(1, 400, 0.05), header = whole.substr(0, whole.find('\n') + 1);
  std::size_t middle = whole.size() / 2;
  middle = whole.find('\n', middle) + 1;
  const std::string all = folder.file("all.csv", whole), first = folder.file("first.csv", whole.substr(0, middle)),
                    second = folder.file("second.csv", header + whole.substr(middle));
  REQUIRE(run_program("identify " + robot("arm") + " --log " + all + " -o " + (folder / "one.json")).code == 0);
  REQUIRE(
      run_program("identify " + robot("arm") + " --log " + second + " --log " + first + " -o " + (folder / "two.json")).code ==
      0);
  const auto one = nlohmann::json::parse(text_of(folder / "one.json")),
             two = nlohmann::json::parse(text_of(folder / "two.json"));
  CHECK(one["chi_square"].get<double>() == Approx(two["chi_square"].get<double>()).epsilon(1e-9));
  for (std::size_t k = 0; k < arm.pi.size(); ++k)
    CHECK(std::fabs(one["parameters"][k]["value"].get<double>() - two["parameters"][k]["value"].get<double>()) <
          1e-4 * one["parameters"][k]["sd"].get<double>() + 1e-12);
}

TEST_CASE("identify --cross-validate: each log against a fit to the others, as --holdout has it") {
  TemporaryFolder folder;
  const Robot arm;
  const std::vector<std::string> logs{folder.file("a.csv", arm.log(1, 300, 0.02)), folder.file("b.csv", arm.log(2, 200, 0.05)),
                                      folder.file("c.csv", arm.log(3, 250, 0.1))};
  const std::string program = "identify " + robot("arm"), out = " -o " + (folder / "out.json");
  std::string all;
  for (const std::string& log : logs) all += " --log " + log;
  const auto found = [&](const std::string& options) {
    const Run run = run_program(program + options + out);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return nlohmann::json::parse(text_of(folder / "out.json"));
  };
  const auto validated = found(all + " --cross-validate")["cross_validation"];
  CHECK_FALSE(found(all).contains("cross_validation"));
  REQUIRE(validated["logs"].size() == 3);
  std::map<std::string, double> squares;
  const std::vector<double> rows{300, 200, 250};
  for (std::size_t k = 0; k < 3; ++k) {
    std::string others = " --holdout " + logs[k];
    for (std::size_t l = 0; l < 3; ++l)
      if (l != k) others += " --log " + logs[l];
    const auto held = found(others)["torque_rms"]["holdout_after"];
    CHECK(validated["logs"][k]["log"] == logs[k]);
    for (const std::string& name : force_names(arm.model)) {
      const double rms = validated["logs"][k]["rms"][name];
      CHECK(rms == Approx(held[name].get<double>()).epsilon(1e-6));
      squares[name] += rows[k] * rms * rms / 750;
    }
  }
  for (const auto& [name, square] : squares)
    CHECK(validated["rms"][name].get<double>() == Approx(std::sqrt(square)).epsilon(1e-12));
  CHECK(run_program(program + " --log " + logs[0] + " --cross-validate" + out).code == 2);
  const std::string few = folder.file("few.csv", arm.log(4, 20, 0.1));
  const Run refused = run_program(program + " --log " + few + " --log " + logs[0] + " --cross-validate" + out);
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("a.csv: cross-validation: 20 rows of joint1 in the other logs; expected more than the"));
}

TEST_CASE("identify --report: a page that loads nothing, with every torque and parameter") {
  TemporaryFolder folder;
  const Robot arm;
  const std::string log = folder.file("log.csv", arm.log(1, 1500, 0.05)), page = folder / "page.html";
  const std::string io = " --log " + log + " -o " + (folder / "out.json") + " --report ";
  REQUIRE(run_program("identify " + robot("arm") + io + page).code == 0);
  const std::string html = text_of(page);
  for (const std::string& name : force_names(arm.model)) CHECK_THAT(html, Contains("tau." + name));
  for (const std::string& name : parameter_names(arm.model)) CHECK_THAT(html, Contains(">" + name + "<"));
  CHECK_THAT(html, Contains("1\u202f500 rows of logs") && Contains("condition"));
  CHECK_THAT(html, !Contains("http://") || Contains("www.w3.org"));
  CHECK_THAT(html, !Contains("src=") && !Contains("nan") && !Contains("inf\""));
  // dots of the samples kept: at 800 every other one goes, and of the rest, 700, every other one comes
  std::size_t dots = 0;
  for (std::size_t at = html.find("class=\"cloud"); at != std::string::npos; at = html.find("class=\"cloud", at + 1)) {
    const std::size_t end = html.find("/>", at);
    for (std::size_t dot = html.find("h0", at); dot < end; dot = html.find("h0", dot + 1)) ++dots;
  }
  CHECK(dots == 750 * force_names(arm.model).size());
  CHECK(run_program("identify " + robot("arm") + io + log).code == 2);
  CHECK(run_program("identify " + robot("arm") + " --log - -o " + (folder / "out.json") + " --report " + page).code == 2);
}

TEST_CASE("identify --robust huber: spikes are counted and do not move the fit, --fit smoothing finds friction's velocity") {
  TemporaryFolder folder;
  const Robot arm;
  std::string log = arm.log(1, 600, 0.05);
  // every 50th row's last torque is 40 off
  std::size_t at = log.find('\n') + 1;
  for (int row = 0; at < log.size(); ++row) {
    const std::size_t end = log.find('\n', at), comma = log.rfind(',', end);
    if (row % 50 == 0) log.replace(comma + 1, end - comma - 1, "40");
    at = log.find('\n', at) + 1;
  }
  const std::string path = folder.file("log.csv", log), plain = folder / "plain.json", out = folder / "out.json";
  const std::string identify = "identify " + robot("arm") + " --log " + path + " -o ";
  REQUIRE(run_program(identify + plain).code == 0);
  const Run run = run_program(identify + out + " --robust huber");
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, Contains("rows beyond 5 deviations") && Contains("passes"));
  const auto fit_json = nlohmann::json::parse(text_of(out)), without = nlohmann::json::parse(text_of(plain));
  const std::string last = force_names(arm.model).back();
  CHECK(fit_json["outliers"][last] == 12);
  CHECK(fit_json["settled"] == true);
  CHECK(fit_json["noise"][last] == Approx(0.05).epsilon(0.2));
  CHECK(without["noise"][last] > 1);
  for (std::size_t k = 0; k < arm.pi.size(); ++k) {
    const auto& p = fit_json["parameters"][k];
    INFO(p["name"]);
    if (p["determined"]) CHECK(std::fabs(p["value"].get<double>() - arm.pi[k]) < 5 * p["sd"].get<double>());
  }
  CHECK(fit_json["parameters"].size() == arm.pi.size());

  const std::string clean = folder.file("clean.csv", arm.log(2, 3000, 0.02)), joints = folder / "joints.json";
  REQUIRE(run_program("identify " + robot("arm") + " --log " + clean + " --holdout " + clean + " --fit smoothing -o " + out +
                      " --joints-out " + joints + " --report " + (folder / "page.html"))
              .code == 0);
  const auto smooth = nlohmann::json::parse(text_of(out));
  REQUIRE(smooth["parameters"].size() == arm.pi.size() + arm.model.joints.size());
  const auto rub = nlohmann::json::parse(text_of(joints))["joints"];
  for (std::size_t j = 0; j < arm.model.joints.size(); ++j) {
    const auto& p = smooth["parameters"][arm.pi.size() + j];
    INFO(p["name"] << " " << p["value"] << " +- " << p["sd"]);
    CHECK(p["name"] == arm.model.joints[j].name + ".smoothing");
    CHECK(p["urdf"] == 0.01);
    CHECK(std::fabs(p["value"].get<double>() - 0.01) < 4 * p["sd"].get<double>());
    CHECK(rub[arm.model.joints[j].name]["smoothing"] == p["value"]);
  }
  CHECK(smooth["torque_rms"]["after"] == smooth["torque_rms"]["holdout_after"]);
  CHECK_THAT(text_of(folder / "page.html"), Contains(arm.model.joints[0].name + ".smoothing<"));
}

TEST_CASE("identify --robust huber: a log without noise gives what the plain fit does") {
  TemporaryFolder folder;
  const Robot arm;
  const std::string log = folder.file("log.csv", arm.log(3, 400, 0)), out = folder / "out.json";
  const auto fit = [&](const std::string& options) {
    const Run run = run_program("identify " + robot("arm") + " --log " + log + options + " -o " + out);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return nlohmann::json::parse(text_of(out));
  };
  for (const char* kinds : {"", " --fit smoothing"}) {
    const auto plain = fit(kinds), robust = fit(std::string(kinds) + " --robust huber");
    CHECK(robust["settled"] == true);
    for (std::size_t k = 0; k < plain["parameters"].size(); ++k) {
      const auto &p = plain["parameters"][k], &r = robust["parameters"][k];
      INFO(p["name"]);
      CHECK(std::fabs(r["value"].get<double>() - p["value"].get<double>()) <= 1e-6 * p["sd"].get<double>());
      CHECK(r["sd"].get<double>() == Approx(p["sd"].get<double>()).epsilon(1e-6));
      CHECK(r["determined"] == p["determined"]);
    }
    for (const auto& [torque, count] : robust["outliers"].items()) {
      CHECK(count == 0);
      CHECK(robust["noise"][torque].get<double>() == Approx(plain["noise"][torque].get<double>()).epsilon(1e-9));
    }
  }
}

TEST_CASE("identify --sensors: a floating robot on its force sensors, the motion's own sensors say nothing, and that is said") {
  TemporaryFolder folder;
  const std::string robot_file = robot("quadruped"), log = folder / "log.csv", truth = folder / "truth.csv",
                    out = folder / "out.json";
  const Model model = load_urdf(robot_file, [] {
    LoadOptions options;
    options.floating = true;
    return options;
  }());
  const std::string foot = model.links.back().name;
  const std::string set = folder.file("set.json", R"({"sensors": [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.05},
        {"name": "held", "type": "joint_torque", "joint": "base", "sigma": 0.5},
        {"name": "imu", "type": "gyroscope", "link": ")" +
                                                      foot + R"("},
        {"name": "sole", "type": "external_wrench", "link": ")" +
                                                      foot + R"(", "sigma": 0.2},
        {"name": "air", "type": "external_wrench", "link": "*", "except": [")" +
                                                      foot + R"("], "value": 0}]})");
  REQUIRE(run_program("simulate " + robot_file + " --floating --sensors " + set + " --seconds 20 --rate 50 -o " + log).code ==
          0);
  const Run run = run_program("identify " + robot_file + " --floating --sensors " + set + " --log " + log + " -o " + out);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.err, Contains("imu: read the motion, which is given, and do not depend on parameters"));
  const auto fit_json = nlohmann::json::parse(text_of(out));
  CHECK(fit_json["chi_square"] == Approx(1).epsilon(0.05));  // with the deviations of the set
  int within = 0, determined = 0;
  for (const auto& p : fit_json["parameters"])
    if (p["determined"]) {
      ++determined;
      within += std::fabs(p["value"].get<double>() - p["urdf"].get<double>()) < 3 * p["sd"].get<double>();
    }
  CHECK(determined > 30);
  CHECK(within > 0.95 * determined);
  CHECK(fit_json["torque_rms"]["after"].contains(model.joints[1].name));

  const Run unknown = run_program("identify " + robot_file + " --floating --sensors " + folder.file("bad.json", R"({"sensors": [
        {"name": "wrist", "type": "force_torqe", "joint": "base"}]})") +
                                  " --log " + log + " -o " + out);
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.err, Contains("bad.json:2:") && Contains("near: force_torque"));
}

TEST_CASE("identify --sensors --report: readings and errors row by row, of all rows beside unknown wrenches in one") {
  TemporaryFolder folder;
  const Robot arm;
  const std::string log = folder / "log.csv", page = folder / "page.html", out = folder / "out.json";
  const std::string set = folder.file("set.json", R"({"sensors": [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.05},
        {"name": "flange", "type": "force_torque", "joint": "left_finger_slide", "sigma": 0.05},
        {"name": "pair", "type": "torque_combination", "coefficients": {"left_finger_slide": 1, "joint1": 0}, "sigma": 0.1},
        {"name": "tip", "type": "external_wrench", "link": "right_finger", "sigma": 0.2},
        {"name": "air", "type": "external_wrench", "link": "*", "except": ["right_finger"], "value": 0}]})");
  REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + set + " --seconds 15 --rate 100 -o " + log).code == 0);
  const Run run = run_program("identify " + robot("arm") + " --sensors " + set + " --log " + log + " --log " + log + " -o " +
                              out + " --report " + page);
  INFO(run.err);
  REQUIRE(run.code == 0);
  const std::string html = text_of(page);
  const auto fit_json = nlohmann::json::parse(text_of(out));
  for (const auto& [row, rms] : fit_json["torque_rms"]["after"].items()) {
    INFO(row);
    CHECK_THAT(html, Contains((arm.model.find_joint(row) >= 0 ? ">tau." : ">") + row + "<"));
  }
  CHECK_THAT(html, Contains(">tau.left_finger_slide<") && Contains(">y.flange.nz<") && Contains(">beside unknown wrenches<"));
  for (const std::string& name : parameter_names(arm.model)) CHECK_THAT(html, Contains(">" + name + "<"));
  CHECK_THAT(html, Contains("3\u202f000 rows of logs") && Contains("condition") && Contains("The readings of"));
  CHECK_THAT(html, Contains("root mean square of a sample") && Contains("N m"));
  CHECK_THAT(html, !Contains("src=") && !Contains("nan") && !Contains("inf\""));
  // against velocity only what is one freedom's: at 800 samples every other one goes
  std::size_t clouds = 0;
  for (std::size_t at = html.find("class=\"cloud"); at != std::string::npos; at = html.find("class=\"cloud", at + 1)) {
    ++clouds;
    const std::size_t end = html.find("/>", at);
    std::size_t dots = 0;
    for (std::size_t dot = html.find("h0", at); dot < end; dot = html.find("h0", dot + 1)) ++dots;
    CHECK(dots == 750);
  }
  CHECK(clouds == 1);
}

TEST_CASE("identify --sensors --report: what it draws of torques is what the page without a set draws") {
  TemporaryFolder folder;
  const Robot arm;
  const std::string log = folder.file("log.csv", arm.log(1, 900, 0.05)), out = folder / "out.json";
  const std::string set = folder.file("set.json", R"({"sensors": [
        {"name": "motors", "type": "joint_torque", "joint": "*"},
        {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
  const std::string command = "identify " + robot("arm") + " --log " + log + " --fit damping,friction -o " + out + " --report ";
  REQUIRE(run_program(command + (folder / "torques.html")).code == 0);
  REQUIRE(run_program(command + (folder / "set.html") + " --sensors " + set).code == 0);
  const auto section = [&](const std::string& page) {
    const std::string html = text_of(folder / page);
    const std::size_t from = html.find(">tau.joint1<");
    REQUIRE(from != std::string::npos);
    return html.substr(from, html.find(">Parameters<") - from);
  };
  CHECK(section("torques.html") == section("set.html"));
}

TEST_CASE("identify: base wrenches that were computed and not measured are set apart") {
  TemporaryFolder folder;
  const std::string quadruped = robot("quadruped"), motion = folder / "motion.csv", log = folder / "log.csv",
                    out = folder / "out.json";
  const std::string joints = folder.file("joints.json", [&] {
    const Model model = load_urdf(quadruped);
    std::string text = "{\"joints\": {";
    for (const Joint& joint : model.joints)
      text += (text.back() == '{' ? "\"" : ", \"") + joint.name + "\": {\"damping\": 0.5}";
    return text + "}}";
  }());
  REQUIRE(run_program("simulate " + quadruped + " --floating --seconds 10 --rate 50 -o " + motion).code == 0);
  // the joints rub, which the base's wrench does not show: it is what the URDF gives
  const std::string torques = folder / "torques.csv";
  REQUIRE(run_program("compute rnea " + quadruped + " --floating --joints " + joints + " --log " + motion + " -o " + torques)
              .code == 0);
  std::string text = text_of(motion), more = text_of(torques), both;
  std::size_t at = 0, from = 0;
  bool header = true;
  std::vector<char> keep;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at), until = more.find('\n', from);
    std::string cells;
    std::size_t k = 0, cell = at;
    for (; cell <= end; ++k) {
      const std::size_t next = std::min(text.find(',', cell), end);
      const std::string word = text.substr(cell, next - cell);
      if (header) keep.push_back(word.rfind("tau.", 0) != 0 && word != "time");
      if (keep[k]) cells += word + ",";
      cell = next + 1;
    }
    both += cells + more.substr(from, until - from) + "\n";
    at = end + 1, from = until + 1, header = false;
  }
  folder.file("log.csv", both);
  const Run run = run_program("identify " + quadruped + " --floating --log " + log + " --holdout " + log + " -o " + out);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.err, Contains("tau.base.nx") && Contains("computed, not measured, and left out"));
  const auto fit_json = nlohmann::json::parse(text_of(out));
  CHECK(fit_json["torque_rms"]["holdout_after"]["base.fz"].is_null());
  CHECK_THAT(run.out, Contains("-> not measured\n"));
}

TEST_CASE("identify refuses what it cannot fit, by name") {
  TemporaryFolder folder;
  const Robot arm;
  const std::string log = folder.file("log.csv", arm.log(1, 20, 0.05)), io = " --log " + log + " -o " + (folder / "out.json");
  const Run few = run_program("identify " + robot("arm") + io);
  CHECK(few.code == 3);
  CHECK_THAT(few.err, Contains("log.csv: rows: 20 that can be used; expected more than"));
  const Run unknown = run_program("identify " + robot("arm") + io + " --fit inertias");
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("(near: inertia)"));
  CHECK(run_program("identify " + robot("arm") + io + " --prior 0").code == 2);
  const Run tukey = run_program("identify " + robot("arm") + io + " --robust hubert");
  CHECK(tukey.code == 2);
  CHECK_THAT(tukey.err, Contains("--robust hubert: unknown (near: huber)"));
  CHECK(run_program("identify " + robot("arm") + " --log - -o " + (folder / "out.json") + " --robust huber").code == 2);
  CHECK(run_program("identify " + robot("arm") + io + " --urdf-out " + log).code == 2);
  std::string far = arm.log(1, 300, 0.05);
  far.replace(far.rfind(','), std::string::npos, ",1e200\n");
  const std::string path = folder.file("far.csv", far);
  for (const char* options : {"", " --robust huber", " --fit smoothing"}) {
    const Run beyond = run_program("identify " + robot("arm") + " --log " + path + " -o " + (folder / "out.json") + options);
    CHECK(beyond.code == 4);
    CHECK_THAT(beyond.err, Contains("identify: the squares of " + force_names(arm.model).back() + "'s rows overflow"));
  }
}
