#include <cmath>
#include <random>

#include "contender.hpp"

namespace peers {
namespace {

using sparsedyn::Measure;

void random_coordinates(std::mt19937& rng, const sparsedyn::Body& body, double* q) {
  std::uniform_real_distribution<double> angle(-M_PI, M_PI), displacement(-1.0, 1.0);
  std::normal_distribution<double> normal;
  const auto quaternion = [&](double* u) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) u[k] = normal(rng), sum += u[k] * u[k];
    for (int k = 0; k < 4; ++k) u[k] /= std::sqrt(sum);
  };
  for (int k = 0; k < coordinates(body.joint); ++k) {
    const Measure measure = coordinate_of(body.joint, k).measure;
    if (measure == Measure::quaternion) return quaternion(q + k);
    q[k] = measure == Measure::length ? displacement(rng) : angle(rng);
  }
}

}  // namespace

const char* name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::rnea: return "RNEA";
    case Algorithm::aba: return "ABA";
    case Algorithm::crba: return "CRBA";
    case Algorithm::minverse: return "M inverse";
    case Algorithm::direct_minverse: return "M inverse, direct";
    case Algorithm::coriolis: return "Coriolis matrix";
    case Algorithm::rnea_derivatives: return "ID derivatives";
    case Algorithm::aba_derivatives: return "FD derivatives";
    case Algorithm::rnea_second_derivatives: break;
  }
  return "ID 2nd order";
}

std::vector<State> random_states(const sparsedyn::Model& model, int count, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::vector<State> states(count);
  for (State& state : states) {
    state.q.resize(model.nq);
    for (const sparsedyn::Body& body : model.bodies) random_coordinates(rng, body, state.q.data() + body.q);
    for (std::vector<double>* x : {&state.v, &state.a, &state.tau}) {
      x->resize(model.nv);
      for (double& entry : *x) entry = unit(rng);
    }
  }
  return states;
}

}  // namespace peers
