// Times sparsedyn beside its peers in one process, on the same states, turn by turn.
//   bench_peers race ROBOT.urdf[:fixed]...    ns a call and the ratio ours / peer
//   bench_peers generated ROBOT.urdf[:fixed]...    the same of programs generated for the robot, compiled by $CC with $CFLAGS
//   bench_peers agree ROBOT.urdf[:fixed]...   largest difference from the peers, relative; exit 1 where it is above
//                                              1e-11 (values) or 1e-9 (derivatives) of Pinocchio's
// Robots float unless :fixed is appended.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "contender.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace peers {
namespace {

constexpr int race_states = 512;
constexpr int race_rounds = 41;

struct Robot {
  std::string path;
  bool floating;
  std::string title() const { return std::filesystem::path(path).stem().string() + (floating ? ", floating" : ", fixed"); }
};

Robot parse_robot(std::string argument) {
  const std::string suffix = ":fixed";
  const bool fixed = argument.size() > suffix.size() && argument.substr(argument.size() - suffix.size()) == suffix;
  if (fixed) argument.resize(argument.size() - suffix.size());
  return {argument, !fixed};
}

/// snap 0 keeps the URDF's own digits, as the peers do.
sparsedyn::Model load(const Robot& robot) {
  sparsedyn::LoadOptions options;
  options.floating = robot.floating;
  options.snap = 0;
  return sparsedyn::load_urdf(robot.path, options);
}

/// Processor time, so that other work on the machine disturbs little.
double nanoseconds_a_call(Contender& contender, Algorithm algorithm) {
  const std::clock_t start = std::clock();
  for (int s = 0; s < race_states; ++s) contender.run(algorithm, s);
  return 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / race_states;
}

/// Of all rounds: what caches and cores shared with other programs add is left out.
double least(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }

using Maker = std::unique_ptr<Contender> (*)(const sparsedyn::Model&, const std::vector<State>&);

void race(const Robot& robot, Maker ours_of) {
  const sparsedyn::Model model = load(robot);
  const std::vector<State> states = random_states(model, race_states, 1);
  std::vector<std::unique_ptr<Contender>> contenders;
  contenders.push_back(ours_of(model, states));
  contenders.push_back(pinocchio_contender(robot.path, model, states, false));
  contenders.push_back(pinocchio_contender(robot.path, model, states, true));
  for (auto make : {mujoco_contender, kdl_contender})
    if (auto contender = make(model, states)) contenders.push_back(std::move(contender));

  std::printf("\n%s (nv = %d)\n  %-18s %12s", robot.title().c_str(), model.nv, "ns a call", contenders[0]->label().c_str());
  for (std::size_t c = 1; c < contenders.size(); ++c) std::printf(" %22s", contenders[c]->label().c_str());
  std::printf("\n");
  for (Algorithm algorithm : algorithms) {
    if (!contenders[0]->offers(algorithm)) continue;
    std::vector<std::vector<double>> times(contenders.size());
    for (int round = 0; round < race_rounds; ++round)
      for (std::size_t c = 0; c < contenders.size(); ++c)
        if (contenders[c]->offers(algorithm)) times[c].push_back(nanoseconds_a_call(*contenders[c], algorithm));
    const double ours = least(times[0]);
    std::printf("  %-18s %12.0f", name(algorithm), ours);
    for (std::size_t c = 1; c < contenders.size(); ++c) {
      if (times[c].empty())
        std::printf(" %22s", "-");
      else
        std::printf(" %12.0f (x %5.2f)", least(times[c]), ours / least(times[c]));
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

/// Largest |x − r| / max(1, |r|∞) over random states.
double difference(Contender& ours, Contender& theirs, Algorithm algorithm, int states) {
  double worst = 0;
  for (int s = 0; s < states; ++s) {
    const std::vector<double> x = ours.result(algorithm, s), r = theirs.result(algorithm, s);
    double scale = 1, distance = x.size() == r.size() ? 0 : INFINITY;
    for (double entry : r) scale = std::max(scale, std::abs(entry));
    for (std::size_t k = 0; k < x.size() && k < r.size(); ++k) distance = std::max(distance, std::abs(x[k] - r[k]));
    worst = std::max(worst, std::isfinite(distance) ? distance / scale : INFINITY);
  }
  return worst;
}

bool agree(const Robot& robot, Maker ours_of) {
  const sparsedyn::Model model = load(robot);
  const std::vector<State> states = random_states(model, 100, 2);
  const auto ours = ours_of(model, states), theirs = pinocchio_contender(robot.path, model, states, false);
  std::printf("%-26s", robot.title().c_str());
  bool good = true;
  for (Algorithm algorithm : algorithms) {
    if (!ours->offers(algorithm)) continue;
    const bool derivative = algorithm == Algorithm::rnea_derivatives || algorithm == Algorithm::aba_derivatives;
    const bool second = algorithm == Algorithm::rnea_second_derivatives;
    const double worst = difference(*ours, *theirs, algorithm, second ? 10 : static_cast<int>(states.size()));
    good = good && worst <= (derivative ? 1e-9 : 1e-11);
    std::printf(" %s %.1e ", name(algorithm), worst);
  }
  std::printf("%s\n", good ? "" : " DISAGREE");
  for (auto make : {mujoco_contender, kdl_contender}) {
    const auto other = make(model, states);
    if (!other) continue;
    std::printf("  and %-20s", other->label().c_str());
    for (Algorithm algorithm : {Algorithm::rnea, Algorithm::aba})
      if (other->offers(algorithm))
        std::printf(" %s %.1e ", name(algorithm), difference(*ours, *other, algorithm, static_cast<int>(states.size())));
    std::printf("\n");
  }
  return good;
}

int main(int count, char** arguments) {
  const std::string mode = count > 2 ? arguments[1] : "";
  if (mode != "race" && mode != "generated" && mode != "agree") {
    std::fprintf(stderr, "usage: bench_peers race|generated|agree ROBOT.urdf[:fixed]...\n");
    return 2;
  }
  bool good = true;
  for (int i = 2; i < count; ++i) {
    const Robot robot = parse_robot(arguments[i]);
    if (mode == "race") race(robot, sparsedyn_contender);
    if (mode == "agree") good = agree(robot, sparsedyn_contender) && good;
    if (mode == "generated") good = agree(robot, generated_contender) && good, race(robot, generated_contender);
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace peers

int main(int count, char** arguments) { return peers::main(count, arguments); }
