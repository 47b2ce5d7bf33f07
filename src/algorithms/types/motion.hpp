// What is read off a pass of forward kinematics.
#pragma once

#include "algorithm_type.hpp"
#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn::catalogue {

/// Quaternions take branches, which programs have not: `generate --algorithm kinematics` gives rotation matrices.
struct Kinematics : AlgorithmDefaults {
  static constexpr const char *name = "kinematics",
                              *summary = "poses, velocities, accelerations of all links: q, dq, ddq -> pose, vel, acc";
  static constexpr bool recordable = false;
  static constexpr AlgorithmReads reads = of_accelerated_motion;
  static std::vector<AlgorithmOutput> outputs() {
    return {{"pose", {Axis::links, Axis::seven}}, {"vel", {Axis::links, Axis::six}}, {"acc", {Axis::links, Axis::six}}};
  }
  static AlgorithmColumns columns(const Model& model) {
    AlgorithmColumns columns;
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      const std::string& link = model.links[i].name;
      int entry = static_cast<int>(7 * i);
      for (const std::string& column : pose_columns(link)) columns.push_back({column, 0, entry++});
      for (int kind = 1; kind < 3; ++kind) {
        entry = static_cast<int>(6 * i);
        for (const char* part : {".wx", ".wy", ".wz", ".vx", ".vy", ".vz"})
          columns.push_back({(kind == 1 ? "vel." : "acc.") + link + part, kind, entry++});
      }
    }
    return columns;
  }
  static int evaluate(AlgorithmData<double>& data, const AlgorithmInputs<double>& in, double* const* out) {
    forward_kinematics(data.model, data.basic, in.q, in.dq, in.ddq);
    double *pose = out[0], *velocity = out[1], *acceleration = out[2];
    for (int i = 0; i < size_of(Axis::links, data.model); ++i) {
      const Pose<double> x = link_pose(data.model, data.basic, i);
      pose = put(x.d, pose);
      for (double u : quaternion_from_rotation(x.R)) *pose++ = u;
      const Motion<double> v = link_velocity(data.model, data.basic, i), a = link_acceleration(data.model, data.basic, i);
      velocity = put(v.v, put(v.w, velocity)), acceleration = put(a.v, put(a.w, acceleration));
    }
    return -1;
  }
};

struct Energy : AlgorithmDefaults {
  static constexpr const char *name = "energy", *summary = "energy of all moving bodies: q, dq -> energy";
  static constexpr AlgorithmReads reads = of_motion;
  static std::vector<AlgorithmOutput> outputs() { return {{"kinetic", {}}, {"potential", {}}}; }
  static AlgorithmColumns columns(const Model&) { return {{"energy.kinetic", 0, 0}, {"energy.potential", 1, 0}}; }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    forward_kinematics(data.model, data.basic, in.q, in.dq, static_cast<const S*>(nullptr));
    *out[0] = kinetic_energy(data.model, data.basic, in.dq);
    *out[1] = potential_energy(data.model, data.basic, in.q);
    return -1;
  }
};

/// Where no mass moves there is no centre, and no program that divides by the mass.
struct Momentum : AlgorithmDefaults {
  static constexpr const char *name = "momentum",
                              *summary = "centre of mass of all moving bodies, and momentum about it: q, dq -> com, momentum";
  static constexpr AlgorithmReads reads = of_motion;
  static std::vector<AlgorithmOutput> outputs() { return {{"com", {Axis::three}}, {"momentum", {Axis::six}}}; }
  static AlgorithmColumns columns(const Model&) {
    return vector_columns("com", {"x", "y", "z"}) + vector_columns("momentum", {"nx", "ny", "nz", "fx", "fy", "fz"}, 1);
  }
  static MeaninglessColumns meaningless(const Model& model) {
    if (moving_mass(model) > 0) return {};
    return {{0, 1, 2}, "no mass moves, and nothing has no centre"};
  }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    forward_kinematics(data.model, data.basic, in.q, in.dq, static_cast<const S*>(nullptr));
    put(centre_of_mass(data.model, data.basic), out[0]);
    const Force<S> h = momentum(data.model, data.basic);
    put(h.f, put(h.n, out[1]));
    return -1;
  }
};

/// Where no mass moves its linear rows are zero, and its angular rows the same about every point.
struct CentroidalMomentumMatrix : AlgorithmDefaults {
  static constexpr const char *name = "centroidal-momentum-matrix",
                              *summary = "A with momentum = A dq, about the centre of mass of all moving bodies: q -> A";
  static constexpr AlgorithmReads reads = of_configuration;
  static std::vector<AlgorithmOutput> outputs() { return {{"A", {Axis::six, Axis::nv}}}; }
  static AlgorithmColumns columns(const Model& model) { return matrix_columns({"A"}, 6, model.nv); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    forward_kinematics(data.model, data.basic, in.q, static_cast<const S*>(nullptr), static_cast<const S*>(nullptr));
    centroidal_momentum_matrix(data.model, data.basic, out[0]);
    return -1;
  }
};

struct CentreOfMassJacobian : AlgorithmDefaults {
  static constexpr const char *name = "centre-of-mass-jacobian",
                              *summary = "J with the velocity of the centre of mass of all moving bodies = J dq: q -> J";
  static constexpr AlgorithmReads reads = of_configuration;
  static std::vector<AlgorithmOutput> outputs() { return {{"J", {Axis::three, Axis::nv}}}; }
  static AlgorithmColumns columns(const Model& model) { return matrix_columns({"J"}, 3, model.nv); }
  static AlgorithmMisfit misfit(const Model& model) {
    if (moving_mass(model) > 0) return {};
    return {"robot " + model.name, "no mass that moves", "a robot whose links have mass"};
  }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    forward_kinematics(data.model, data.basic, in.q, static_cast<const S*>(nullptr), static_cast<const S*>(nullptr));
    centre_of_mass_jacobian(data.model, data.basic, out[0]);
    return -1;
  }
};

struct MomentumRate : AlgorithmDefaults {
  static constexpr const char *name = "momentum-rate",
                              *summary = "rate of the momentum about the centre of mass: q, dq, ddq -> momentum_rate";
  static constexpr AlgorithmReads reads = of_accelerated_motion;
  static std::vector<AlgorithmOutput> outputs() { return {{"momentum_rate", {Axis::six}}}; }
  static AlgorithmColumns columns(const Model&) {
    return vector_columns("momentum_rate", {"nx", "ny", "nz", "fx", "fy", "fz"});
  }
  static AlgorithmMisfit misfit(const Model& model) { return CentreOfMassJacobian::misfit(model); }
  template <class S>
  static int evaluate(AlgorithmData<S>& data, const AlgorithmInputs<S>& in, S* const* out) {
    forward_kinematics(data.model, data.basic, in.q, in.dq, in.ddq);
    const Force<S> rate = momentum_rate(data.model, data.basic);
    put(rate.f, put(rate.n, out[0]));
    return -1;
  }
};

}  // namespace sparsedyn::catalogue
