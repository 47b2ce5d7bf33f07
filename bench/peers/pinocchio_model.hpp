// A robot as Pinocchio reads it, and where our numbers stand in its vectors.
#pragma once

#include <console_bridge/console.h>

#include <Eigen/Core>
#include <pinocchio/parsers/urdf.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace peers {

struct PinocchioModel {
  PinocchioModel(const std::string& urdf, const sparsedyn::Model& ours) : model(load(urdf, ours.floating())) {
    if (model.nv != ours.nv) throw std::runtime_error(urdf + ": Pinocchio finds another number of freedoms");
    index_velocities(ours);
  }

  /// Coordinates by joint; continuous joints are (cos, sin) there.
  Eigen::VectorXd coordinates(const sparsedyn::Model& ours, const std::vector<double>& q) const {
    Eigen::VectorXd out(model.nq);
    for (const sparsedyn::Joint& joint : ours.joints) {
      const auto id = joint.name == "base" ? pinocchio::JointIndex(1) : model.getJointId(joint.name);
      double* entry = out.data() + model.idx_qs[id];
      if (joint.kind == sparsedyn::JointKind::continuous)
        entry[0] = std::cos(q[joint.q]), entry[1] = std::sin(q[joint.q]);
      else
        std::copy_n(q.begin() + joint.q, joint.nq, entry);
    }
    return out;
  }

  Eigen::VectorXd permuted(const std::vector<double>& x) const {
    Eigen::VectorXd out(model.nv);
    for (int i = 0; i < model.nv; ++i) out[theirs[i]] = x[i];
    return out;
  }

  pinocchio::Model model;
  std::vector<int> theirs;                    // [i]: where Pinocchio keeps the entry that is our velocity i
  std::vector<pinocchio::JointIndex> joints;  // of our joints

 private:
  static pinocchio::Model load(const std::string& urdf, bool floating) {
    console_bridge::noOutputHandler();  // urdfdom warns of elements that it passes over
    pinocchio::Model model;
    if (floating)
      pinocchio::urdf::buildModel(urdf, pinocchio::JointModelFreeFlyer(), model);
    else
      pinocchio::urdf::buildModel(urdf, model);
    return model;
  }

  /// Its floating base is linear first.
  void index_velocities(const sparsedyn::Model& ours) {
    for (const sparsedyn::Joint& joint : ours.joints) {
      const bool base = joint.name == "base";
      const auto id = base ? pinocchio::JointIndex(1) : model.getJointId(joint.name);
      if (id >= static_cast<pinocchio::JointIndex>(model.njoints)) throw std::runtime_error("Pinocchio lacks " + joint.name);
      joints.push_back(id);
      for (int k = 0; k < joint.nv; ++k) theirs.push_back(model.idx_vs[id] + (base ? (k + 3) % 6 : k));
    }
  }
};

}  // namespace peers
