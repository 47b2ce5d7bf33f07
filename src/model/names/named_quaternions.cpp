#include "model/names/named_quaternions.hpp"

#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

const std::string& joint_of(const Model& model, int body) {
  for (const Joint& joint : model.joints)
    if (body < joint.first_body + joint.bodies) return joint.name;
  return model.joints.back().name;
}

}  // namespace

std::string joint_of_zero_quaternion(const Model& model, double* q) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int offset = quaternion_offset(model.bodies[i].joint);
    if (offset >= 0 && !normalise_quaternion(q + model.bodies[i].q + offset)) return joint_of(model, static_cast<int>(i));
  }
  return "";
}

}  // namespace sparsedyn
