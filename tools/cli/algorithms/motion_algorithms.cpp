// compute kinematics, compute energy, compute momentum.
#include "algorithm.hpp"
#include "sparsedyn/dynamics/momentum.hpp"

namespace sparsedyn::cli {
namespace {

std::vector<std::string> kinematics_columns(const Model& model) {
  std::vector<std::string> names;
  for (const Link& link : model.links) {
    for (const std::string& name : pose_columns(link.name)) names.push_back(name);
    for (const char* kind : {"vel.", "acc."})
      for (const char* part : {".wx", ".wy", ".wz", ".vx", ".vy", ".vz"}) names.push_back(kind + link.name + part);
  }
  return names;
}

double* put(const Vec3<double>& x, double* out) {
  for (int k = 0; k < 3; ++k) *out++ = x[k];
  return out;
}

/// One pass of forward kinematics, then what the derived class reads off it.
class AfterKinematics : public Evaluation {
 public:
  explicit AfterKinematics(const Model& model) : model_(model), work_(model) {}
  bool evaluate(const State& s, double* out) noexcept override {
    forward_kinematics(model_, work_, s.q, s.v, s.a);
    write(model_, work_, s, out);
    return true;
  }

 private:
  virtual void write(const Model& model, const Workspace<double>& work, const State& s, double* out) const noexcept = 0;
  const Model& model_;
  Workspace<double> work_;
};

class Kinematics : public AfterKinematics {
  using AfterKinematics::AfterKinematics;
  void write(const Model& model, const Workspace<double>& work, const State&, double* out) const noexcept override {
    for (int i = 0; i < static_cast<int>(model.links.size()); ++i) {
      const Pose<double> pose = link_pose(model, work, i);
      out = put(pose.d, out);
      for (double u : quaternion_from_rotation(pose.R)) *out++ = u;
      const Motion<double> v = link_velocity(model, work, i), a = link_acceleration(model, work, i);
      out = put(a.v, put(a.w, put(v.v, put(v.w, out))));
    }
  }
};

class Energy : public AfterKinematics {
  using AfterKinematics::AfterKinematics;
  void write(const Model& model, const Workspace<double>& work, const State& s, double* out) const noexcept override {
    out[0] = kinetic_energy(model, work, s.v);
    out[1] = potential_energy(model, work, s.q);
  }
};

class Momentum : public AfterKinematics {
  using AfterKinematics::AfterKinematics;
  void write(const Model& model, const Workspace<double>& work, const State&, double* out) const noexcept override {
    const Force<double> h = momentum(model, work);
    put(h.f, put(h.n, put(centre_of_mass(model, work), out)));
  }
};

Algorithm::Meaningless centre_without_mass(const Model& model) {
  if (moving_mass(model) > 0) return {{}, ""};
  return {{0, 1, 2}, "no mass moves, and nothing has no centre"};
}

template <class Kind>
std::unique_ptr<Evaluation> prepare(const Model& model) {
  return std::make_unique<Kind>(model);
}

}  // namespace

std::vector<std::string> pose_columns(const std::string& link) {
  std::vector<std::string> names;
  for (const char* part : {".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"}) names.push_back("pose." + link + part);
  return names;
}

const Algorithm kinematics_algorithm{"kinematics",
                                     "poses, velocities, accelerations of all links: q, dq, ddq -> pose, vel, acc",
                                     {true, true, false, false},
                                     kinematics_columns,
                                     prepare<Kinematics>};

const Algorithm energy_algorithm{"energy",
                                 "energy of all that moves: q, dq -> energy",
                                 {true, false, false, false},
                                 [](const Model&) {
                                   return std::vector<std::string>{"energy.kinetic", "energy.potential"};
                                 },
                                 prepare<Energy>};

const Algorithm momentum_algorithm{"momentum",
                                   "centre of mass of all that moves, and momentum about it: q, dq -> com, momentum",
                                   {true, false, false, false},
                                   [](const Model&) {
                                     return std::vector<std::string>{"com.x",       "com.y",       "com.z",
                                                                     "momentum.nx", "momentum.ny", "momentum.nz",
                                                                     "momentum.fx", "momentum.fy", "momentum.fz"};
                                   },
                                   prepare<Momentum>,
                                   false,
                                   nullptr,
                                   centre_without_mass};

}  // namespace sparsedyn::cli
