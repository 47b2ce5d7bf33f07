// The body of packed_avx2.cpp and packed_avx512.cpp, each compiled for its registers: a scalar that is several numbers, and the
// algorithms on it. SPARSEDYN_PACKED_WIDTH: numbers in a register.
#undef SPARSEDYN_CODE
#define SPARSEDYN_CODE SPARSEDYN_PACKED_CODE

#include "sparsedyn/scalar/detail/traits.hpp"
#include "sparsedyn/spatial/detail/sin_cos.hpp"

namespace sparsedyn::python {
inline namespace SPARSEDYN_PACKED_CODE {

constexpr int packed_width = SPARSEDYN_PACKED_WIDTH;

/// Numbers of as many samples. In memory plain doubles, which code for any processor may move.
struct alignas(8 * packed_width) Packed {
  typedef double Register __attribute__((vector_size(8 * packed_width), may_alias));
  typedef std::int64_t Bits __attribute__((vector_size(8 * packed_width)));
  double e[packed_width];

  Packed() = default;
  Packed(double all) {
    for (double& x : e) x = all;
  }
};

using Register = Packed::Register;
[[gnu::always_inline]] inline Register load(const Packed& a) { return *reinterpret_cast<const Register*>(a.e); }
[[gnu::always_inline]] inline Packed packed(const Register& r) {
  Packed a;
  *reinterpret_cast<Register*>(a.e) = r;
  return a;
}

[[gnu::always_inline]] inline Packed operator+(const Packed& a, const Packed& b) { return packed(load(a) + load(b)); }
[[gnu::always_inline]] inline Packed operator-(const Packed& a, const Packed& b) { return packed(load(a) - load(b)); }
[[gnu::always_inline]] inline Packed operator*(const Packed& a, const Packed& b) { return packed(load(a) * load(b)); }
[[gnu::always_inline]] inline Packed operator/(const Packed& a, const Packed& b) { return packed(load(a) / load(b)); }
[[gnu::always_inline]] inline Packed operator-(const Packed& a) { return packed(-load(a)); }

template <class Function>
Packed one_by_one(const Packed& a, Function&& function) {
  Packed result;
  for (int k = 0; k < packed_width; ++k) result.e[k] = function(a.e[k]);
  return result;
}
inline Packed tanh(const Packed& a) {
  return one_by_one(a, [](double x) { return std::tanh(x); });
}
inline Packed sqrt(const Packed& a) {
#if SPARSEDYN_PACKED_WIDTH == 8
  return packed(Register(_mm512_maskz_sqrt_pd(0xFF, __m512d(load(a)))));
#else
  return packed(Register(_mm256_sqrt_pd(__m256d(load(a)))));
#endif
}
inline Register magnitude(const Register& x) { return x < 0 ? -x : x; }
inline bool any(const Packed::Bits& flags) {
  std::int64_t found = 0;
  for (int k = 0; k < packed_width; ++k) found |= flags[k];
  return found != 0;
}

/// As the library's sin_cos of one double.
inline SinCos<Packed> sin_cos(const Packed& angle) {
  if (any(~(magnitude(load(angle)) <= 1e5))) {
    SinCos<Packed> result;
    for (int k = 0; k < packed_width; ++k) {
      const SinCos<double> one = sines(angle.e[k]);
      result.sin.e[k] = one.sin, result.cos.e[k] = one.cos;
    }
    return result;
  }
  const Register x = load(angle), shift = load(Packed(6755399441055744.0));
  const Register shifted = x * 0.63661977236758134308 + shift, k = shifted - shift;
  const Register r = ((x - k * 1.57079632673412561417) - k * 6.07710050630396597660e-11) - k * 2.02226624879595063154e-21;
  const Register z = r * r;
  const Register s =
      r +
      r * z *
          (-1.66666666666666324348e-01 +
           z * (8.33333333332248946124e-03 +
                z * (-1.98412698298579493134e-04 +
                     z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const Register c =
      1.0 -
      (0.5 * z -
       z * z *
           (4.16666666666666019037e-02 +
            z * (-1.38888888888741095749e-03 +
                 z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 +
                                                        z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  Packed::Bits quadrant;
  std::memcpy(&quadrant, &shifted, sizeof quadrant);
  const Packed::Bits odd = (quadrant & 1) != 0;
  const Register sine = odd ? c : s, cosine = odd ? s : c;
  return {packed((quadrant & 2) != 0 ? -sine : sine), packed(((quadrant + 1) & 2) != 0 ? -cosine : cosine)};
}

/// Of any sample; those that look closer at small pivots are left to one sample alone.
/// @{
inline bool is_singular_pivot(const Packed& pivot, const Packed& size) {
  const Register p = magnitude(load(pivot)), least = 8 * rounding_of<double>() * magnitude(load(size));
  const Register huge = load(Packed(std::numeric_limits<double>::max()));
  return any(~((p > least) & (p <= huge) & (least <= huge)));
}
inline bool is_small_pivot(const Packed& pivot, const Packed& size) {
  return any(~(magnitude(load(pivot)) > 1e-6 * magnitude(load(size))));
}
inline bool is_within_rounding(const Packed&, double) { return true; }
inline double largest_magnitude(const Packed& x) {
  double largest = 0;
  for (double each : x.e) largest = std::max(largest, std::fabs(each));
  return largest;
}
inline double least_value(const Packed& x) {
  double least = x.e[0];
  for (double each : x.e) least = std::min(least, each);
  return least;
}
/// @}

}  // namespace SPARSEDYN_PACKED_CODE
}  // namespace sparsedyn::python

namespace sparsedyn {
/// There is a value to ask for: pivots are judged, by the functions above.
template <>
struct Magnitude<python::Packed> {
  static constexpr bool exists = true;
  static double of(const python::Packed& x) { return x.e[0]; }
};
}  // namespace sparsedyn

#include "link_poses.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn::python {
inline namespace SPARSEDYN_PACKED_CODE {

/// So are pivots that may be swamped.
inline int first_swamped(const Model&, Workspace<Packed>&, const Packed*) noexcept { return 0; }

/// As quaternion_from_rotation of one double: each branch's numbers, of which each sample takes its own.
inline void put_quaternion(const Mat3<Packed>& R, Packed* out) {
  const auto at = [&](int i, int k) { return load(R(i, k)); };
  const Register squares[4] = {1 + at(0, 0) - at(1, 1) - at(2, 2), 1 - at(0, 0) + at(1, 1) - at(2, 2),
                               1 - at(0, 0) - at(1, 1) + at(2, 2), 1 + at(0, 0) + at(1, 1) + at(2, 2)};
  Register most = squares[0];
  Packed::Bits is[4] = {squares[0] == squares[0], {}, {}, {}};
  for (int k = 1; k < 4; ++k) {
    const Packed::Bits more = squares[k] > most;
    most = more ? squares[k] : most;
    for (int l = 0; l < k; ++l) is[l] &= ~more;
    is[k] = more;
  }
  const Register twice = load(sqrt(packed(most))), scale = 0.5 / twice, half = 0.5 * twice;
  Register u[4];
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Register turn = scale * (at(j, i) - at(i, j));  // of k where w is largest, of w where k is
    const Register with_i = scale * (at(k, i) + at(i, k)), with_j = scale * (at(k, j) + at(j, k));
    u[k] = is[3] ? turn : is[k] ? half : is[i] ? with_i : with_j;
    u[3] = is[k] ? turn : k == 0 ? half : u[3];
  }
  const Packed::Bits flipped = u[3] < 0;
  for (int k = 0; k < 4; ++k) out[k] = packed(flipped ? -u[k] : u[k]);
}

class PackedOfThisWidth final : public PackedWorks {
 public:
  explicit PackedOfThisWidth(const Model& model) : model_(model), work_(model) {
    const std::size_t links = model.links.size(), groups = (links + packed_width - 1) / packed_width;
    in_body_.resize(groups), body_.resize(groups * packed_width, -1);
    for (std::size_t i = 0; i < body_.size(); ++i) {
      const Link& link = model.links[std::min(i, links - 1)];
      Pose<Packed>& group = in_body_[i / packed_width];
      const std::size_t lane = i % packed_width;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) group.R(r, c).e[lane] = link.pose.R(r, c);
        group.d[r].e[lane] = link.pose.d[r];
      }
      body_[i] = link.body;
    }
  }
  int width() const override { return packed_width; }

  bool evaluate(PackedAlgorithm algorithm, const double* const* in, double* out) noexcept override {
    const auto* q = numbers(in[0]);
    Packed* const to = reinterpret_cast<Packed*>(out);
    const Force<Packed>* const none = nullptr;
    switch (algorithm) {
      case PackedAlgorithm::rnea: rnea(model_, work_, q, numbers(in[1]), numbers(in[2]), none, to); return true;
      case PackedAlgorithm::aba: return aba(model_, work_, q, numbers(in[1]), numbers(in[2]), none, to).ok();
      case PackedAlgorithm::bias: bias_forces(model_, work_, q, numbers(in[1]), none, to); return true;
      case PackedAlgorithm::gravity: gravity_torques(model_, work_, q, to); return true;
      case PackedAlgorithm::crba: crba(model_, work_, q, to); return true;
      case PackedAlgorithm::poses:
        world_poses(model_, work_, q);
        put_poses(model_, work_, put_quaternion, to);
        return true;
      default: return false;
    }
  }

  void link_poses(const double* world, double* out) noexcept override {
    static constexpr double still[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const std::size_t links = model_.links.size();
    for (std::size_t first = 0; first < links; first += packed_width) {
      Pose<Packed> body;
      for (std::size_t s = 0; s < packed_width; ++s) {
        const int b = body_[first + s];
        const double* const from = b < 0 ? still : world + 12 * b;
        for (int k = 0; k < 9; ++k) body.R(k / 3, k % 3).e[s] = from[k];
        for (int k = 0; k < 3; ++k) body.d[k].e[s] = from[9 + k];
      }
      const Pose<Packed> pose = body * in_body_[first / packed_width];
      Packed u[4];
      put_quaternion(pose.R, u);
      for (std::size_t s = 0; s < std::min<std::size_t>(packed_width, links - first); ++s, out += 7) {
        for (int k = 0; k < 3; ++k) out[k] = pose.d[k].e[s];
        for (int k = 0; k < 4; ++k) out[3 + k] = u[k].e[s];
      }
    }
  }

 private:
  static const Packed* numbers(const double* x) { return reinterpret_cast<const Packed*>(x); }
  const Model& model_;
  Workspace<Packed> work_;
  std::vector<Pose<Packed>> in_body_;  // of as many links
  std::vector<int> body_;              // of each link
};

}  // namespace SPARSEDYN_PACKED_CODE
}  // namespace sparsedyn::python
