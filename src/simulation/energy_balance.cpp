#include "energy_balance.hpp"

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

Model without_losses(Model model) {
  if (const auto map = model.coordinate_map) return coupled(without_losses(map->tree), map->couplings);
  for (JointPhysics& physics : model.physics) physics.damping = physics.friction = physics.offset = 0;
  return model;
}

}  // namespace

EnergyBalance::EnergyBalance(const Model& robot)
    : robot_(robot), bare_(without_losses(robot)), work_(bare_), all_(static_cast<std::size_t>(robot.nv)) {}

void EnergyBalance::at(const double* q, const double* v) noexcept {
  forward_kinematics(robot_, work_, q, v, static_cast<const double*>(nullptr));
  account_.kinetic = kinetic_energy(robot_, work_, v), account_.potential = potential_energy(robot_, work_, q);
  if (!started_) account_.first = account_.energy();
  started_ = true;
}

void EnergyBalance::add(double h, const double* mean, const double* q, const double* v, const double* a,
                        const JointForces& forces) noexcept {
  rnea(bare_, work_, q, v, a, static_cast<const Force<double>*>(nullptr), all_.data());
  for (std::size_t i = 0; i < all_.size(); ++i) {
    account_.torques += h * mean[i] * forces.tau[i];
    account_.losses -= h * mean[i] * forces.load[i];
    account_.constraints += h * mean[i] * (all_[i] - forces.tau[i] + forces.load[i]);
  }
}

}  // namespace sparsedyn
