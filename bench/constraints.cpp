// Contact dynamics at random states: what fails, how well forces settle, how many steps it takes, and how long.
//   bench_constraints [STATES] ROBOT.urdf …     10000 states of each robot on a free base, half of its spheres on the ground
//   bench_constraints --states BEFORE.txt STATES.txt ROBOT.urdf CONSTRAINTS.json
//                                   states from files, q, v, tau, one after the other: us a call, cold, and warm from BEFORE
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>

#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

/// Of this process, so that other work on the machine counts less.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Two spheres on each of the first four links without children.
ConstraintSet spheres_on_tips(const Model& model) {
  ConstraintSet set;
  std::vector<char> carries(model.links.size(), 0);
  for (const Link& link : model.links)
    if (link.parent >= 0) carries[static_cast<std::size_t>(link.parent)] = 1;
  for (std::size_t l = 0; l < model.links.size() && set.constraints.size() < 4; ++l) {
    if (carries[l] || model.links[l].body < 0) continue;
    Constraint c;
    c.name = model.links[l].name, c.links = {c.name}, c.friction = {0.8}, c.radius = 0.02;
    c.points = {{{0.05, 0.02, -0.03}}, {{-0.04, 0.03, -0.02}}};
    set.constraints.push_back(c);
  }
  return set;
}

struct Draw {
  std::vector<double> q, v, tau;
};

/// Postures about the zero one, lowered until half of the spheres overlap the ground.
Draw draw(const Model& model, const ConstraintSet& set, Workspace<double>& ws, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Draw d{std::vector<double>(static_cast<std::size_t>(model.nq)), std::vector<double>(static_cast<std::size_t>(model.nv)), {}};
  d.tau = d.v;
  std::vector<double> zero(d.q), step(d.v);
  neutral(model, zero.data());
  for (double& x : step) x = 0.3 * normal(rng);
  for (int k = 3; k < 6; ++k) step[static_cast<std::size_t>(k)] = 0;
  integrate(model, zero.data(), step.data(), d.q.data());
  for (double& x : d.v) x = normal(rng);
  for (std::size_t k = 6; k < d.tau.size(); ++k) d.tau[k] = 5 * normal(rng);
  forward_kinematics<double>(model, ws, d.q.data(), nullptr, nullptr);
  std::vector<double> heights;
  for (const Constraint& c : set.constraints) {
    const Pose<double> pose = link_pose(model, ws, model.find_link(c.links[0]));
    for (const Vec3<double>& p : c.points) heights.push_back((pose.R * p + pose.d)[2] - c.radius);
  }
  std::sort(heights.begin(), heights.end());
  d.q[2] -= heights[heights.size() / 2] + 0.001;
  return d;
}

void run(const std::string& path, long states, bool warm, Cone cone) {
  LoadOptions load;
  load.floating = true;
  const Model model = load_urdf(path, load);
  ConstraintSet set = spheres_on_tips(model);
  set.parameters.cone = cone;
  ConstraintOptions options;
  options.warm = warm;
  ConstrainedDynamics dynamics(model, set, options);
  Workspace<double> ws(model);
  std::mt19937 rng(1);
  std::vector<double> a(static_cast<std::size_t>(model.nv)), lambda(dynamics.force_columns().size()),
      gap(dynamics.gap_columns().size());
  std::map<int, long> steps;
  long failed = 0, touching = 0;
  double worst = 0, seconds = 0;
  for (long k = 0; k < states; ++k) {
    const Draw d = draw(model, set, ws, rng);
    const auto once = [&] {
      return dynamics.forward(d.q.data(), d.v.data(), d.tau.data(), nullptr, a.data(), lambda.data(), gap.data());
    };
    if (warm) once();  // the state itself, as a control loop nearly has it
    const double start = cpu_seconds();
    const ConstraintStatus status = once();
    seconds += cpu_seconds() - start;
    if (!status.ok() && failed++ < 3) std::printf("  state %ld: %s\n", k, dynamics.describe(status).c_str());
    if (status.ok()) worst = std::max(worst, status.residual);
    ++steps[status.iterations];
    for (double g : gap) touching += g < 0;
  }
  std::printf("%-28s %-9s %-4s %7.2f us a call, %.1f contacts, residual %.0e, %ld of %ld failed, steps:", model.name.c_str(),
              cone == Cone::elliptic ? "elliptic" : "pyramidal", warm ? "warm" : "cold",
              1e6 * seconds / static_cast<double>(states), static_cast<double>(touching) / static_cast<double>(states), worst,
              failed, states);
  for (const auto& [n, count] : steps) std::printf(" %d:%ld", n, count);
  std::printf("\n");
}

std::vector<double> numbers_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istream_iterator<double>(in), std::istream_iterator<double>()};
}

/// The least of 21 rounds over all states, each asked ten times, warm after the state before. For bench/contacts-beside-mujoco.
int run_states(const std::string& before_file, const std::string& file, const std::string& urdf,
               const std::string& constraints) {
  LoadOptions load;
  load.floating = true;
  const Model model = load_urdf(urdf, load);
  const ConstraintSet set = load_constraint_set(constraints, model);
  const std::vector<double> before = numbers_of(before_file), numbers = numbers_of(file);
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv), width = nq + 2 * nv;
  const std::size_t states = numbers.size() / width;
  if (states == 0 || numbers.size() % width != 0 || before.size() != numbers.size())
    return std::fprintf(stderr, "%s: no states of %s\n", file.c_str(), urdf.c_str()), 1;
  ConstraintOptions options;
  options.warm = true;
  ConstrainedDynamics dynamics(model, set, options);
  std::vector<double> a(nv), lambda(dynamics.force_columns().size()), gap(dynamics.gap_columns().size());
  const auto solved = [&](const double* q) {
    const ConstraintStatus status = dynamics.forward(q, q + nq, q + nq + nv, nullptr, a.data(), lambda.data(), gap.data());
    if (!status.ok()) throw std::runtime_error(dynamics.describe(status));
  };
  constexpr int again = 10;
  double best[2] = {1e9, 1e9};
  for (int round = 0; round < 21; ++round) {
    double seconds[2] = {0, 0};
    for (std::size_t s = 0; s < states; ++s)
      for (const bool warm : {false, true})
        for (int k = 0; k < again; ++k) {
          dynamics.forget();
          if (warm) solved(before.data() + s * width);
          const double start = cpu_seconds();
          solved(numbers.data() + s * width);
          seconds[warm] += cpu_seconds() - start;
        }
    for (int warm = 0; warm < 2; ++warm)
      best[warm] = std::min(best[warm], 1e6 * seconds[warm] / (again * static_cast<double>(states)));
  }
  double clock = 1e9;  // what asking for the time takes
  for (int k = 0; k < 1000; ++k) {
    const double start = cpu_seconds();
    clock = std::min(clock, 1e6 * (cpu_seconds() - start));
  }
  std::printf("%.4f %.4f\n", best[0] - clock, best[1] - clock);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6 && std::string(argv[1]) == "--states") return run_states(argv[2], argv[3], argv[4], argv[5]);
  const long asked = argc > 1 ? std::atol(argv[1]) : 0;
  for (int k = asked > 0 ? 2 : 1; k < argc; ++k)
    for (const Cone cone : {Cone::elliptic, Cone::pyramidal})
      for (const bool warm : {false, true}) run(argv[k], asked > 0 ? asked : 10000, warm, cone);
}
