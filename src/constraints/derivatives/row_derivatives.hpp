// How rows and their forces move with q and v while the accelerations stay.
//
// Motions are about the world's origin, in its axes: s_i the column of freedom i, V_b and A_b velocity and acceleration of body
// b, λ the parent of the body that i leads. A change of q_i on the right moves all that i carries by s_i, so that there
//   ∂s_k/∂q_i = s_i × s_k      ∂V_b/∂q_i = s_i × (V_b − V_λ)      ∂A_b/∂q_i = s_i × (A_b − A_λ) + (V_λ × s_i) × (V_b − V_λ)
//                              ∂V_b/∂v_i = s_i                    ∂A_b/∂v_i = s_i × (V_b − V_λ) + V_i × s_i
// (Carpentier & Mansard 2018 in the bodies' frames).
#pragma once

#include <vector>

#include "constraints/rows.hpp"

namespace sparsedyn {

/// All memory is taken by the constructor.
class RowDerivatives {
 public:
  RowDerivatives(const Model& model, const ConstraintRows& rows);

  /// After rows.at(ws, q, v): at the accelerations a, with the forces f of the rows.
  void at(const Workspace<double>& ws, const double* q, const double* v, const double* a, const double* f) noexcept;

  /// By row r, nv numbers each: ∂j/∂q, ∂j/∂v, and ∂ ln D/∂q.
  const double* miss_by_q(int r) const noexcept { return miss_q_.data() + place(r); }
  const double* miss_by_v(int r) const noexcept { return miss_v_.data() + place(r); }
  const double* stiffness_by_q(int r) const noexcept { return stiffness_q_.data() + place(r); }
  /// ∂(Jᵀf)/∂q, nv × nv.
  const std::vector<double>& push_by_q() const noexcept { return push_q_; }
  /// What ∂λ/∂q has where f stays, forces × nv: the axes of a weld's moment and of contacts between links turn.
  const std::vector<double>& written_by_q() const noexcept { return written_q_; }

 private:
  struct Side;     // a link of a pair
  struct Parting;  // both
  struct Shift;    // of a contact
  std::size_t place(int r) const noexcept { return static_cast<std::size_t>(r) * nv_; }
  void move_bodies(const Workspace<double>& ws, const double* v, const double* a) noexcept;
  const Motion<double>& of_parent(const std::vector<Motion<double>>& motion, int body) const noexcept;
  bool carries(int freedom, int body) const noexcept;
  /// ∂Q/∂q_i with Q_k = s_k · F for all freedoms k that move the body, where F itself changes by dF.
  void add_push(int body, int i, const Force<double>& F, const Force<double>& dF) noexcept;
  Shift shift(const RowBlock& b, const RowBlockState& s, const Motion<double>& past,
              const Motion<double>& second) const noexcept;
  void contact(const RowBlock& b, const RowBlockState& s, const double* f) noexcept;
  void contact_rows(const RowBlock& b, int i, const double* along_q, const double* along_v, double stiffness) noexcept;
  void pair(const RowBlock& b, const RowBlockState& s, const double* f) noexcept;
  Side side(const RowBlock& b, int k, int i, bool by_q) const noexcept;
  void pair_rows(const RowBlock& b, const RowBlockState& s, const Parting& parting, int i, bool by_q) noexcept;
  void push_pair(const RowBlock& b, const double* f, int i, const Side& one, const Side& other,
                 const Parting& parting) noexcept;
  void coupling(const RowBlock& b, const RowBlockState& s, const double* f) noexcept;
  void stop(const RowBlock& b, const RowBlockState& s) noexcept;

  const Model& model_;
  const ConstraintRows& rows_;
  int nv_;
  std::vector<int> body_;                                         // that each freedom leads
  std::vector<Motion<double>> column_, turned_by_v_;              // by freedom
  std::vector<Motion<double>> velocity_, acceleration_, pushed_;  // by body; `pushed`: Σ s (a + S c), as contacts see them
  std::vector<double> miss_q_, miss_v_, stiffness_q_;             // rows × nv
  std::vector<double> push_q_, written_q_;
  const Workspace<double>* ws_ = nullptr;
  const double *q_ = nullptr, *v_ = nullptr, *a_ = nullptr;
};

}  // namespace sparsedyn
