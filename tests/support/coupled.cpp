#include "coupled.hpp"

#include <algorithm>
#include <random>

namespace sparsedyn::test {
namespace {

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<double> listed(const Eigen::VectorXd& x) { return {x.data(), x.data() + x.size()}; }

const JointCoupling* coupling_of(const Model& model, const std::string& joint) {
  if (!model.coordinate_map) return nullptr;
  for (const JointCoupling& c : model.coordinate_map->couplings)
    if (c.joint == joint) return &c;
  return nullptr;
}

std::size_t index_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::vector<double> CoupledRobot::positions(const std::vector<double>& q) const {
  const std::vector<std::string> own = coordinate_names(model), all = coordinate_names(tree);
  std::vector<double> x;
  for (const std::string& name : all) {
    double multiplier = 1, offset = 0;
    std::string head = name;
    while (const JointCoupling* c = coupling_of(model, head))
      offset += multiplier * c->offset, multiplier *= c->multiplier, head = c->leader;
    x.push_back(multiplier * q[index_of(own, head)] + offset);
  }
  return x;
}

std::vector<double> CoupledRobot::rates(const std::vector<double>& x) const {
  return listed(G * Eigen::VectorXd::Map(x.data(), static_cast<Eigen::Index>(x.size())));
}

std::vector<double> CoupledRobot::gathered(const std::vector<double>& x) const {
  return listed(G.transpose() * Eigen::VectorXd::Map(x.data(), static_cast<Eigen::Index>(x.size())));
}

std::vector<double> CoupledRobot::gathered_matrix(const std::vector<double>& X) const {
  const Square Y = G.transpose() * Square::Map(X.data(), G.rows(), G.rows()) * G;
  return {Y.data(), Y.data() + Y.size()};
}

std::vector<double> CoupledRobot::gathered_tensor(const std::vector<double>& X) const {
  const Eigen::Index n = G.rows(), m = G.cols();
  const Square rows = G.transpose() * Square::Map(X.data(), n, n * n);
  std::vector<double> Y;
  for (Eigen::Index a = 0; a < m; ++a) {
    const Square slice = G.transpose() * Square::Map(rows.data() + a * n * n, n, n) * G;
    Y.insert(Y.end(), slice.data(), slice.data() + slice.size());
  }
  return Y;
}

State CoupledRobot::state(const State& s) const {
  return {positions(s.q), rates(s.v), rates(s.a), std::vector<double>(static_cast<std::size_t>(tree.nv), 0.0), s.fx};
}

CoupledRobot coupled_robot(const Model& tree, const std::vector<JointCoupling>& couplings) {
  CoupledRobot robot{tree, coupled(tree, couplings), {}};
  robot.G = Eigen::MatrixXd::Zero(tree.nv, robot.model.nv);
  const std::vector<std::string> own = velocity_names(robot.model), all = velocity_names(tree);
  for (std::size_t k = 0; k < all.size(); ++k) {
    double multiplier = 1;
    std::string head = all[k];
    while (const JointCoupling* c = coupling_of(robot.model, head)) multiplier *= c->multiplier, head = c->leader;
    robot.G(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(index_of(own, head))) = multiplier;
  }
  return robot;
}

CoupledRobot random_coupled_robot(const Model& tree, unsigned seed) {
  std::vector<std::string> joints;
  for (const Joint& joint : tree.joints)
    if (joint.nv == 1) joints.push_back(joint.name);
  std::mt19937 rng(seed);
  std::shuffle(joints.begin(), joints.end(), rng);
  const double multipliers[] = {-1, 0.5, 2, 1, -0.3}, offsets[] = {0, 0.4, -1.1};
  std::vector<JointCoupling> couplings;
  for (std::size_t k = 1; k < joints.size(); ++k)
    if (k == 1 || rng() % 2) couplings.push_back({joints[k], joints[rng() % k], multipliers[rng() % 5], offsets[rng() % 3]});
  return coupled_robot(tree, couplings);
}

}  // namespace sparsedyn::test
