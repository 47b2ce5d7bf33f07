// The same assembly in other scalars: float to its precision, complex numbers to all digits.
#include <catch2/catch.hpp>
#include <complex>

#include "dense.hpp"
#include "system/assemble.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

template <class S>
std::vector<S> in(const std::vector<double>& x) {
  return std::vector<S>(x.begin(), x.end());
}

template <class S>
void compare_with_double(double tolerance) {
  for (bool floating : {false, true}) {
    TreeOptions options;
    options.floating = floating;
    options.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::spherical, JointKind::planar, JointKind::helical};
    const Model model = random_tree(6, 4, options);
    SensorSet set;
    set.sensors = {sensor("joint_torque"), sensor("external_wrench"), sensor("accelerometer"), sensor("momentum_rate")};
    set.sensors[3].all = false;
    const System system(model, set);
    std::mt19937 rng(2);
    const State state = random_state(model, rng);
    const std::vector<double> y(system.inputs().size(), 0.5);
    std::vector<double> values(system.pattern().entries()), rhs(system.pattern().rows);
    SystemWorkspace<double> work(system);
    system.assemble(state.q.data(), state.v.data(), y.data(), values.data(), rhs.data(), work);
    const std::vector<S> q = in<S>(state.q), v = in<S>(state.v), z = in<S>(y);
    std::vector<S> other(values.size()), other_rhs(rhs.size());
    SystemWorkspace<S> other_work(system);
    system.assemble(q.data(), v.data(), z.data(), other.data(), other_rhs.data(), other_work);
    for (std::size_t k = 0; k < values.size(); ++k)
      CHECK(std::abs(std::complex<double>(other[k]) - values[k]) <= tolerance * std::max(1.0, std::abs(values[k])));
    for (std::size_t r = 0; r < rhs.size(); ++r)
      CHECK(std::abs(std::complex<double>(other_rhs[r]) - rhs[r]) <= 10 * tolerance * std::max(1.0, std::abs(rhs[r])));
  }
}

}  // namespace

TEST_CASE("assembly in float and in complex numbers") {
  compare_with_double<float>(2e-5);
  compare_with_double<std::complex<double>>(1e-13);
}
