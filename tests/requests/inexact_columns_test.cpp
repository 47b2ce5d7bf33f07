// Columns of generated code that lose digits are refined, or named: what a program gives in double beside what the same program
// gives in extended precision, of sets whose sigmas span 12 decades.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "codegen/ir/health_states.hpp"
#include "requests/digits/refined_program.hpp"
#include "requests/plan_source.hpp"
#include "requests/recorded_rows.hpp"
#include "runtime/mixed_sets.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/evaluated.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Each sigma of the set times a power of ten between 1e-6 and 1e6.
SensorSet over_12_decades(SensorSet set, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> power(-6, 6);
  for (Sensor& sensor : set.sensors)
    for (double& sigma : sensor.sigma) sigma *= std::pow(10, power(rng));
  return set;
}

/// A set's solver, its program with and without refinement, and what is said of it.
struct Recorded {
  explicit Recorded(const Model& model, const SensorSet& set, bool refine = false, bool innovations = false,
                    const std::vector<std::string>& outputs = {"tau", "ddq"})
      : solver(model, set, options(innovations, outputs)) {
    read = ReadInputs(solver.system().inputs().size(), true);
    const auto record = [this](const RefinementSteps& steps) { return recorded(solver, read, false, {}, {}, steps).value(); };
    if (refine) {
      RefinedProgram found = refined_program(solver, read, record);
      program = std::move(found.program), refined = std::move(found.refined), lost = std::move(found.lost);
    } else {
      program = record({});
      lost = inexact_columns(solver, with_health(program, health_states(model, program)), read);
    }
    for (const InexactColumn& each : lost) named.insert(each.column);
  }
  static SensorSolverOptions options(bool innovations, const std::vector<std::string>& outputs) {
    SensorSolverOptions wanted;
    wanted.outputs = outputs, wanted.deviations = true, wanted.innovations = innovations, wanted.plans = plans_for_the_user();
    return wanted;
  }

  SensorSolver solver;
  ReadInputs read;
  Program program;
  RefinementSteps refined;
  std::vector<InexactColumn> lost;
  std::set<std::string> named;
};

template <class S>
std::vector<std::vector<S>> at(const Program& program, const std::vector<std::vector<double>>& in) {
  std::vector<std::vector<S>> inputs;
  for (const std::vector<double>& x : in) inputs.emplace_back(x.begin(), x.end());
  return evaluated_as<S>(program, inputs);
}

/// Right angles of other mixes than those that inexact_columns tries, and random postures.
std::vector<State> other_states(const Model& model, int each) {
  std::mt19937 rng(77);
  std::vector<State> states = special_states(model, rng, each);
  for (int k = 0; k < each; ++k) states.push_back(random_state(model, rng));
  return states;
}

/// Columns of the program that are off, and how many of these are not named.
struct Wrong {
  long looked_at = 0, off = 0, unnamed = 0;
  std::string of;
};

void look(const Recorded& set, const State& s, Estimator& estimator, Wrong& wrong) {
  const std::vector<double> y(set.solver.system().inputs().size(), 0.3);
  std::vector<double> estimate(estimator.output_columns().size()), moved = s.q;
  if (!estimator.estimate(s.q.data(), s.v.data(), y.data(), estimate.data()).ok()) return;
  for (std::size_t k = 0; k < moved.size(); ++k)
    moved[k] += (k % 2 == 0 ? 4 : -4) * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(moved[k]));
  const auto found = at<double>(set.program, {s.q, s.v, y});
  const auto truth = at<long double>(set.program, {s.q, s.v, y}), beside = at<long double>(set.program, {moved, s.v, y});
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::string& port = set.program.outputs()[k].name;
    if (port == "chi2") continue;
    std::map<std::string, double> largest;
    const auto kind = [&](std::size_t e) {
      return set.program.outputs()[k].elements[e].substr(0, port == "sd" ? 6 : 3);
    };  // sd.tau, ddq
    for (std::size_t e = 0; e < found[k].size(); ++e)
      largest[kind(e)] = std::max(largest[kind(e)], static_cast<double>(std::abs(truth[k][e])));
    for (std::size_t e = 0; e < found[k].size(); ++e) {
      const double expected = static_cast<double>(truth[k][e]),
                   own_move = static_cast<double>(std::abs(beside[k][e] - truth[k][e]));
      const double off = std::abs(found[k][e] - expected);
      ++wrong.looked_at;
      const double size = port == "sd"           ? expected + 1e-8 * largest[kind(e)]
                          : port == "innovation" ? std::max(1.0, std::abs(expected))
                                                 : largest[kind(e)];
      // other numbers than deviations may be a few times as far off as at the postures that were tried
      const double most = port == "sd" ? 1e-6 : 1e-5;
      if (off <= most * size || off <= 10 * own_move) continue;
      ++wrong.off;
      if (set.named.count(set.program.outputs()[k].elements[e]) == 0)
        ++wrong.unnamed, wrong.of = set.program.outputs()[k].elements[e] + " off by " + std::to_string(off / expected);
    }
  }
}

Wrong wrong_columns(const Recorded& set, int states) {
  const AnswerPlan from = set.solver.plan().value();
  Estimator estimator(set.solver.shared_system(),
                      std::shared_ptr<const EstimatorPlan>(std::shared_ptr<void>(), from.estimator_plan), {});
  Wrong wrong;
  for (const State& s : other_states(set.solver.system().model(), states)) look(set, s, estimator, wrong);
  return wrong;
}

Model shipped(const EquippedRobot& robot) {
  LoadOptions load;
  load.floating = robot.floating;
  return load_urdf(source_folder() + "/robots/" + robot.file + ".urdf", load);
}

const MixedSet& set_of(const std::string& begin) {
  return *std::find_if(std::begin(mixed_sets), std::end(mixed_sets),
                       [&](const MixedSet& each) { return std::string(each.title).rfind(begin, 0) == 0; });
}

}  // namespace

TEST_CASE("a program's deviations over 12 decades of sigmas are right to 1e-6, or named") {
  const EquippedRobot& robot = equipped_shipped[0];
  const Model model = shipped(robot);
  long off = 0, looked_at = 0;
  for (const char* begin : {"load cells", "accelerometers", "the centre of mass"}) {
    const Recorded set(model, over_12_decades(parse_sensor_set(set_text(set_of(begin), robot), "mixed"), 2));
    const Wrong wrong = wrong_columns(set, 24);
    CAPTURE(begin, wrong.looked_at, wrong.off, wrong.of, in_words(set.lost));
    CHECK(wrong.unnamed == 0);
    CHECK((set.lost.empty() || set.lost.front().off > 1e-6));
    off += wrong.off, looked_at += wrong.looked_at;
  }
  CHECK(off > 50);
  CHECK(looked_at > 3000);
}

TEST_CASE("refined programs keep the digits that plain ones lose") {
  struct Tried {
    const char* set;
    unsigned seed;
    bool innovations;
    std::vector<std::string> outputs;
    long off, named;  // at least
  };
  const Tried tried[] = {{"accelerometers", 2, false, {"tau.joint2", "tau.joint5"}, 3, 2},
                         {"force/torque", 3, true, {"tau.joint2"}, 1, 10}};
  const EquippedRobot& robot = equipped_shipped[0];
  const Model model = shipped(robot);
  long innovations = 0;
  for (const Tried& each : tried) {
    const SensorSet mixed = over_12_decades(parse_sensor_set(set_text(set_of(each.set), robot), "mixed"), each.seed);
    const Recorded plain(model, mixed, false, each.innovations, each.outputs),
        set(model, mixed, true, each.innovations, each.outputs);
    const Wrong wrong = wrong_columns(plain, 12), left = wrong_columns(set, 12);
    CAPTURE(each.set, each.seed, wrong.off, left.off, left.of, in_words(plain.lost), in_words(set.lost));
    CHECK(wrong.off >= each.off);
    CHECK(left.off == 0);
    CHECK(static_cast<long>(plain.lost.size()) >= each.named);
    CHECK(set.lost.empty());
    CHECK(set.program.counts().flops() > plain.program.counts().flops());
    innovations += std::count_if(plain.lost.begin(), plain.lost.end(),
                                 [](const InexactColumn& c) { return c.column.rfind("innovation.", 0) == 0; });
  }
  CHECK(innovations > 10);
}

TEST_CASE("a program's columns are not named where its sigmas are ordinary") {
  for (const EquippedRobot* robot : {&equipped_shipped[0], &equipped_shipped[1]}) {
    const Model model = shipped(*robot);
    for (const MixedSet& mixed : mixed_sets) {
      if (robot->floating && std::string(mixed.title).rfind("priors", 0) != 0) continue;
      const Recorded set(model, parse_sensor_set(set_text(mixed, *robot), "mixed"));
      CAPTURE(robot->file, mixed.title);
      CHECK(in_words(set.lost) == "");
      CHECK(wrong_columns(set, 4).off == 0);
    }
  }
}

TEST_CASE("the words for lost digits name the worst column, the posture and the number of others") {
  CHECK(in_words({}) == "");
  const InexactColumn worst{"sd.tau.knee", 4e-4, 400, 3, "all joints at 90°", 2e-5},
      other{"tau.hip", 2e-6, 2, 1, "a mix of right angles", 1e-3};
  CHECK(in_words({worst}) == "the deviation of tau.knee loses digits at all joints at 90° (off by 4e-04, health 2e-05)");
  CHECK(in_words({other, worst}) ==
        "tau.hip loses digits at a mix of right angles (off by 2e-06, health 1e-03), and so does one other");
}
