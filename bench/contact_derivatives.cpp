// First derivatives through contacts, forces included: the generated function beside ConstrainedDynamics::derivatives and
// beside differences of generated contact dynamics, 3 nv + 1 warm calls. Processor time, the least of seven rounds in turn.
//   bench_contact_derivatives ROBOT.urdf …     50 states of each on a free base, half of its spheres in the ground
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "support/contact_robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr int rounds = 7;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What a call writes.
struct Answer {
  Answer(const ConstrainedDynamics& d, int nv) {
    const std::size_t n = static_cast<std::size_t>(nv), forces = d.force_columns().size();
    for (std::size_t size : {n, forces, d.gap_columns().size(), std::size_t{5000}, std::size_t{3}, n * n, n * n, n * n,
                             forces * n, forces * n, forces * n})
      vectors.emplace_back(size);
  }
  double* operator[](std::size_t k) { return vectors[k].data(); }
  std::vector<std::vector<double>> vectors;
};

/// `outputs`: how many of the function's vectors are asked for.
void call(const CompiledProgram& f, const ContactState& s, const std::vector<double>* start, std::size_t outputs, Answer& x) {
  const double* arg[] = {s.q.data(), s.v.data(), s.tau.data(), start ? start->data() : nullptr};
  double* res[11] = {};
  for (std::size_t k = 0; k < outputs; ++k) res[k] = x[k];
  f.call(arg, res);
}

void compare(const std::string& path) {
  LoadOptions load;
  load.floating = true;
  const Model model = load_urdf(path, load);
  const ConstraintSet set = spheres_on_leaves(model, {{0.8}});
  ContactCodeOptions slopes;
  slopes.derivatives = true;
  const ContactCode code = contact_dynamics_code(model, set, "f", slopes);
  const CompiledProgram f(code.files, "f"), forward(contact_dynamics_code(model, set, "g").files, "g");
  ConstraintOptions warm;
  warm.warm = true;
  ConstrainedDynamics reference(model, set, warm);
  Answer x(reference, model.nv);
  std::mt19937 rng(1);
  std::vector<ContactState> states;
  std::vector<std::vector<double>> starts;
  for (int k = 0; k < 50; ++k) {
    states.push_back(touching_state(model, set, rng));
    call(forward, states.back(), nullptr, 5, x);
    starts.push_back(x.vectors[3]);
  }
  double best[4] = {1, 1, 1, 1};
  const auto time = [&](int which, int repeats, const auto& each) {
    const double begin = cpu_seconds();
    for (int r = 0; r < repeats; ++r)
      for (std::size_t k = 0; k < states.size(); ++k) each(k);
    best[which] = std::min(best[which], (cpu_seconds() - begin) / repeats / static_cast<double>(states.size()));
  };
  for (int round = 0; round < rounds; ++round) {
    time(0, 10, [&](std::size_t k) { call(f, states[k], &starts[k], 11, x); });
    time(1, 10, [&](std::size_t k) { call(f, states[k], &starts[k], 8, x); });
    time(2, 10, [&](std::size_t k) { call(forward, states[k], &starts[k], 5, x); });
    time(3, 1, [&](std::size_t k) {
      const ContactState& s = states[k];
      reference.derivatives(s.q.data(), s.v.data(), s.tau.data(), nullptr,
                            {x[0], x[1], x[2], x[5], x[6], x[7], x[8], x[9], x[10]});
    });
  }
  std::printf(
      "%-18s flops of derivatives %6ld, us: generated %6.2f (of accelerations alone %6.2f; forward warm %5.2f), "
      "ConstrainedDynamics %7.2f, differences %7.1f\n",
      model.name.c_str(), code.derivatives.flops(), 1e6 * best[0], 1e6 * best[1], 1e6 * best[2], 1e6 * best[3],
      1e6 * best[2] * (3 * model.nv + 1));
}

}  // namespace

int main(int count, char** paths) {
  for (int k = 1; k < count; ++k) compare(paths[k]);
  return 0;
}
