// Random numbers that are the same with every standard library: the standard fixes its engines, and leaves to each library
// what its distributions make of them.
#pragma once

#include <cmath>

namespace sparsedyn {

/// In [0, 1), of 53 bits or nearly so: two draws of the engine.
template <class Engine>
inline double unit_draw(Engine& engine) {
  constexpr double range = static_cast<double>(Engine::max() - Engine::min()) + 1;
  const double low = static_cast<double>(engine() - Engine::min()), high = static_cast<double>(engine() - Engine::min());
  const double x = (low + high * range) / (range * range);
  return x < 1 ? x : 1 - 0x1p-53;
}

/// In [low, high).
template <class Engine>
inline double uniform_draw(Engine& engine, double low, double high) {
  return low + (high - low) * unit_draw(engine);
}

/// Independent normal numbers of mean 0 and deviation 1, two by two (Marsaglia's polar method). The engine must outlive it.
template <class Engine>
class NormalDraw {
 public:
  explicit NormalDraw(Engine& engine) : engine_(engine) {}

  double operator()() {
    if (kept_) {
      kept_ = false;
      return second_;
    }
    double x = 0, y = 0, square = 0;
    do {
      x = 2 * unit_draw(engine_) - 1, y = 2 * unit_draw(engine_) - 1;
      square = x * x + y * y;
    } while (square > 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    kept_ = true, second_ = factor * x;
    return factor * y;
  }

 private:
  Engine& engine_;
  bool kept_ = false;
  double second_ = 0;
};

}  // namespace sparsedyn
