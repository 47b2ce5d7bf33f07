// What a text of contact_law.h's kind means in C: for one state, and for a state in each lane.
#include "contact_text.hpp"

namespace sparsedyn {
namespace {

// clang would leave the cone's law a call, whose loads of pairs wait for stores of single numbers: 10 % of the step of a robot
// that stands.
const char* const kOneState = R"(
#if defined(__GNUC__)
#define @_ONE_APART static __attribute__((unused))
#else
#define @_ONE_APART static
#endif
#if defined(__clang__)
#define @_ONE_INLINE @_ONE_APART __attribute__((always_inline)) inline
#else
#define @_ONE_INLINE @_ONE_APART inline
#endif
#define @_ONE_IS(condition) (condition)
#define @_ONE_NOT(condition) (!(condition))
#define @_ONE_ANY(condition) (condition)
#define @_ONE_ONLY(condition, x) ((condition) ? (x) : 0.0)
#define @_ONE_PICK(condition, x, y) ((condition) ? (x) : (y))
#define @_ONE_ALL(x) ((double)(x))
#define @_ONE_ABS(x) fabs(x)
#define @_ONE_SQRT(x) sqrt(x)
#define @_ONE_MOST @_MOST
#define @_ONE_WIDTH 8
)";

const char* const kStateInEachLane = R"(
/* A state in each lane; nothing goes from lane to lane, so results do not depend on who stands beside. Masks have all bits set
   or none. */
#define @_EACH_INLINE static __attribute__((always_inline, unused)) inline
#define @_EACH_APART static @_APART @_WIDE __attribute__((unused))
#define @_EACH_IS(condition) ((@_whole)(condition))
#define @_EACH_NOT(mask) (~(mask))
#define @_EACH_ANY(mask) @_any(mask)
#define @_EACH_ONLY(mask, x) @_only(mask, x)
#define @_EACH_PICK(mask, x, y) @_pick(mask, x, y)
#define @_EACH_ALL(x) ((@_real){0} + (double)(x))
#define @_EACH_ABS(x) @_lanes_fabs(x)
#define @_EACH_SQRT(x) @_lanes_sqrt(x)
#define @_EACH_MOST @_MOST
#define @_EACH_WIDTH 6

@_EACH_INLINE @_real @_pick(@_whole mask, @_real a, @_real b) { return (@_real)((mask & (@_whole)a) | (~mask & (@_whole)b)); }
@_EACH_INLINE @_real @_only(@_whole mask, @_real a) { return (@_real)(mask & (@_whole)a); }
@_EACH_INLINE int @_any(@_whole mask) {
  unsigned long long any = 0;
  for (int j = 0; j < @_LANES; ++j) any |= mask[j];
  return any != 0;
}
)";

std::string in_c(std::string text, const char* real, const char* mask, const char* macro, const char* prefix) {
  text = substituted(substituted(std::move(text), "LAW_REAL", real), "LAW_MASK", mask);
  return substituted(substituted(std::move(text), "LAW_", macro), "law_", prefix);
}

}  // namespace

std::string substituted(std::string text, const std::string& mark, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += by.size()) text.replace(at, mark.size(), by);
  return text;
}

std::string one_state_again(const std::string& text) { return in_c(text, "double", "int", "@_ONE_", "@_"); }
std::string one_state(const std::string& text) { return kOneState + one_state_again(text); }

std::string state_in_each_lane_again(const std::string& text) { return in_c(text, "@_real", "@_whole", "@_EACH_", "@_lanes_"); }
std::string state_in_each_lane(const std::string& text) { return kStateInEachLane + state_in_each_lane_again(text); }

}  // namespace sparsedyn
