// The rows of all blocks at a state: J, what j = J a − a* aims at, and the laws of their forces.
#pragma once

#include <algorithm>
#include <array>

#include "blocks.hpp"
#include "sparsedyn/dynamics/workspace.hpp"

namespace sparsedyn {

/// A block at a state.
struct RowBlockState {
  bool active = false;            // otherwise its rows count for nothing
  double gap = 0;                 // of contacts, m
  Vec3<double> point{};           // of contacts that count: half-way between the surfaces
  Mat3<double> axes{};            // of contacts, by rows: normal, t1, t2
  bool unusable = false;          // of link_contact: what its finder gave is no contact point
  std::array<double, 6> error{};  // φ: of connect m; of weld m, then a quaternion's vector part; of joint rad or m
  LawNumbers law;
};

/// Whether n numbers are all finite.
inline bool finite(const double* x, int n) noexcept {
  double poison = 0;
  for (int i = 0; i < n; ++i) poison += 0 * x[i];
  return poison == 0;
}

/// The force along each of a contact's directions, from those of its rows (of a pyramid its edges).
std::array<double, 6> forces_along(const RowBlock& contact, const double* f) noexcept;
/// Of a contact that counts, multipliers of its force as it is written as those of the force along each direction.
std::array<double, 6> multipliers_along(const RowBlock& contact, const RowBlockState& s, const double* of_written) noexcept;

/// All memory is taken by the constructor.
class ConstraintRows {
 public:
  ConstraintRows(const Model& model, std::vector<RowBlock> blocks);

  /// Where bodies are and how fast: fills everything below. Leaves ws with forward_kinematics of (q, v, 0). Contacts between
  /// links are asked for, or, with `found`, taken from the same constraints at the same state.
  void at(Workspace<double>& ws, const double* q, const double* v, const ConstraintRows* found = nullptr) noexcept;
  /// What a contact between links was found to be.
  const ContactPoint& found(const RowBlock& b) const noexcept { return found_[static_cast<std::size_t>(b.found)]; }
  /// The first block whose finder gave what is no contact point, or -1.
  int unusable() const noexcept;
  /// The first contact between links that counts and of which it is not known how it moves, or -1.
  int of_unknown_motion() const noexcept;

  /// The tree's q, the robot's where no joint follows another: valid as long as the caller's.
  const double* tree_q() const noexcept { return q_; }
  const std::vector<RowBlock>& blocks() const noexcept { return blocks_; }
  std::vector<RowBlockState>& states() noexcept { return states_; }
  const std::vector<RowBlockState>& states() const noexcept { return states_; }
  int rows() const noexcept { return rows_; }
  int forces() const noexcept { return forces_; }
  int gaps() const noexcept { return gaps_; }
  /// Row r of J, nv numbers; of active blocks, within their freedoms.
  const double* row(int r) const noexcept { return J_.data() + static_cast<std::size_t>(r) * nv_; }
  /// By row.
  const std::vector<double>& aim() const noexcept { return aim_; }

  /// j = J a − a* of active blocks.
  void miss(const double* a, double* j) const noexcept;
  /// J x of active blocks, zero in all others; of W columns side by side, nv × W and rows × W.
  template <int W>
  void times(const double* x, double* Jx) const noexcept {
    for_each_row([&](int r, const RowBlock& b, bool active) {
      std::array<double, W> sum{};
      for (std::size_t k = 0; active && k < b.freedoms.size(); ++k) {
        const int i = b.freedoms[k];
        for (int l = 0; l < W; ++l) sum[static_cast<std::size_t>(l)] += row(r)[i] * x[i * W + l];
      }
      std::copy_n(sum.data(), W, Jx + r * W);
    });
  }
  /// x += Jᵀ f over active blocks, likewise.
  template <int W>
  void add_columns_transposed(const double* f, double* x) const noexcept {
    for_each_row([&](int r, const RowBlock& b, bool active) {
      std::array<double, W> of_row;
      std::copy_n(f + r * W, W, of_row.data());
      for (std::size_t k = 0; active && k < b.freedoms.size(); ++k) {
        const int i = b.freedoms[k];
        for (int l = 0; l < W; ++l) x[i * W + l] += row(r)[i] * of_row[static_cast<std::size_t>(l)];
      }
    });
  }
  /// x += Jᵀ f over active blocks.
  void add_transposed(const double* f, double* x) const noexcept;
  /// H += Jᵀ h J of a block, h symmetric, rows × rows: the lower triangle within its freedoms. H: nv × nv.
  void add_product(const RowBlock& b, const double* h, double* H) noexcept;
  /// What the user sees of the forces f of the rows. lambda: forces(); gap: gaps().
  void write(const double* f, double* lambda, double* gap) const noexcept;
  /// The transpose: of multipliers of what is written (forces()) those of the rows' own forces; zero of blocks that count for
  /// nothing.
  void gather(const double* of_written, double* of_rows) const noexcept;

 private:
  /// A link as its points move. Axes of the world. At q̈ = 0, gravity apart: `turning` and `pushing` are the accelerations that
  /// velocities leave.
  struct Moving {
    Pose<double> pose = identity_pose<double>();
    Vec3<double> w = zero3<double>(), v = zero3<double>();  // of the origin
    Vec3<double> turning = zero3<double>(), pushing = zero3<double>();
    const double* jacobian = nullptr;  // 6 × nv, or nullptr for the world

    Vec3<double> acceleration_at(const Vec3<double>& arm) const {
      return pushing + cross(turning, arm) + cross(w, cross(w, arm));
    }
  };

  /// One of a block's links; computed anew where it is another than the last block's.
  const Moving& moving(int link, int side) noexcept;
  Moving moved(int link, double* jacobian) const noexcept;
  void find_contacts(const double* q) noexcept;
  void contact(const RowBlock& b, RowBlockState& s) noexcept;
  void link_contact(const RowBlock& b, RowBlockState& s) noexcept;
  void contact_rows(const RowBlock& b, RowBlockState& s) noexcept;
  void contact_law(const RowBlock& b, RowBlockState& s) noexcept;
  void pair(const RowBlock& b, RowBlockState& s) noexcept;
  void coupling(const RowBlock& b, RowBlockState& s) noexcept;
  void stop(const RowBlock& b, RowBlockState& s) noexcept;
  void rub(const RowBlock& b, RowBlockState& s) noexcept;
  void aim_equality(const RowBlock& b, RowBlockState& s, const double* error, const double* drift, int rows) noexcept;
  double* own_row(int r) noexcept { return J_.data() + static_cast<std::size_t>(r) * nv_; }
  template <class Use>
  void for_each_row(const Use& use) const noexcept {
    for (std::size_t k = 0; k < blocks_.size(); ++k)
      for (int r = blocks_[k].first_row; r < blocks_[k].first_row + blocks_[k].rows; ++r) use(r, blocks_[k], states_[k].active);
  }
  double along(const RowBlock& b, int r, const double* x) const noexcept;

  const Model& model_;
  std::vector<RowBlock> blocks_;
  std::vector<RowBlockState> states_;
  int nv_, rows_ = 0, forces_ = 0, gaps_ = 0;
  std::vector<double> J_, aim_;
  std::vector<double> jacobian_[2];           // 6 × nv, of a pair's links
  std::vector<double> own_, weighed_;         // J and h J of one block, freedom by freedom
  std::array<Moving, 2> moving_;              // by whose jacobian_
  std::array<int, 2> moving_link_{{-1, -1}};  // whose these are
  std::vector<double> turned_;                // nv: what spatial accelerations lack of classical ones, S c = ω × v_J
  std::vector<Mat3<double>> weld_;            // by block: row forces to the moment on the first link
  std::vector<ContactPoint> found_;           // between links
  const Workspace<double>* ws_ = nullptr;
  const double *q_ = nullptr, *v_ = nullptr;  // the tree's q, the robot's v
};

}  // namespace sparsedyn
