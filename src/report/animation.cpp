#include "animation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "io/printable.hpp"
#include "report/base64.hpp"
#include "sparsedyn/report/page.hpp"

namespace sparsedyn::report {
namespace {

constexpr double widest = 32767;  // of 16 bits

/// Text inside a <script>: JSON, and no tag may end it.
std::string quoted(const std::string& text) { return json_quoted(text, "<>&"); }

template <class List, class Write>
std::string listed(const List& list, Write write) {
  std::string out = "[";
  for (const auto& x : list) out += (out.size() > 1 ? "," : "") + write(x);
  return out + "]";
}

/// What one of 16 bits stands for, by the place of a number in its frame.
struct Units {
  double length = 1, force = 1;
  double of(std::size_t place, std::size_t bodies) const {
    if (place < 7 * bodies) return place % 7 < 3 ? length : 1 / widest;
    return (place - 7 * bodies) % 6 < 3 ? length : force;
  }
};

Units units_of(const Animation& shown) {
  double far = 0, strong = 0;
  const std::size_t n = shown.numbers();
  for (std::size_t i = 0; i < shown.frames.size(); ++i) {
    const std::size_t place = i % n, of_forces = place - std::min(place, 7 * shown.bodies.size());
    const double size = std::abs(shown.frames[i]);
    if (place < 7 * shown.bodies.size() ? place % 7 < 3 : of_forces % 6 < 3)
      far = std::max(far, size);
    else if (place >= 7 * shown.bodies.size())
      strong = std::max(strong, size);
  }
  return {(far > 0 ? far : 1) / widest, (strong > 0 ? strong : 1) / widest};  // of nothing any unit will do
}

std::string packed(const Animation& shown, const Units& units) {
  std::string bytes;
  const std::size_t n = shown.numbers();
  for (std::size_t i = 0; i < shown.frames.size(); ++i) {
    const double x = std::round(shown.frames[i] / units.of(i % n, shown.bodies.size()));
    const auto word = static_cast<std::uint16_t>(static_cast<std::int16_t>(std::clamp(x, -widest, widest)));
    bytes += static_cast<char>(word & 0xff), bytes += static_cast<char>(word >> 8);
  }
  return base64(bytes);
}

void add_short(std::string& bytes, long word) {
  bytes += static_cast<char>(word & 0xff), bytes += static_cast<char>(word >> 8 & 0xff);
}

/// Points in the box around them, and triangles by their places.
std::string mesh_text(const Mesh& mesh) {
  std::array<float, 3> low{}, high{};
  for (std::size_t k = 0; k < 3; ++k) {
    for (const auto& p : mesh.points)
      low[k] = &p == &mesh.points[0] ? p[k] : std::min(low[k], p[k]),
      high[k] = &p == &mesh.points[0] ? p[k] : std::max(high[k], p[k]);
  }
  std::string points, triangles;
  for (const auto& p : mesh.points)
    for (std::size_t k = 0; k < 3; ++k) {
      const double width = static_cast<double>(high[k]) - static_cast<double>(low[k]);
      add_short(points, width > 0 ? std::lround(65535 * (static_cast<double>(p[k]) - static_cast<double>(low[k])) / width) : 0);
    }
  for (const auto& t : mesh.triangles)
    for (int corner : t) add_short(triangles, corner);
  const auto plain = [](float x) { return number(static_cast<double>(x), 8); };
  return "{\"low\":" + listed(low, plain) + ",\"high\":" + listed(high, plain) + ",\"points\":\"" + base64(points) +
         "\",\"triangles\":\"" + base64(triangles) + "\"}";
}

const char* const controls =
    "<div class=\"tools\"><button type=\"button\" class=\"play\" title=\"space\">▶ play</button><select class=\"speed\" "
    "aria-label=\"speed\" title=\"↑ ↓\"><option value=\"0.1\">× 0.1</option><option value=\"0.25\">× 0.25</option><option "
    "value=\"0.5\">× 0.5</option><option value=\"1\" selected=\"selected\">× 1</option><option value=\"2\">× "
    "2</option><option value=\"5\">× 5</option><option value=\"10\">× 10</option></select><select class=\"views\" "
    "aria-label=\"view\"><option value=\"corner\">from a corner</option><option value=\"front\">from the front</option><option "
    "value=\"left\">from the left</option><option value=\"top\">from above</option></select><button type=\"button\" "
    "class=\"zoom\" value=\"1.3\" title=\"larger\">+</button><button type=\"button\" class=\"zoom\" value=\"0.77\" "
    "title=\"smaller\">−</button><button type=\"button\" data-toggle=\"follow\">follow</button><button type=\"button\" "
    "data-toggle=\"trails\">trails</button><button type=\"button\" data-toggle=\"axes\">joint axes</button><button "
    "type=\"button\" data-toggle=\"inertia\">inertia</button><output></output></div>\n";

}  // namespace

std::string animation(const Animation& shown) {
  const auto plain = [](double x) { return number(x, 6); };
  const Units units = units_of(shown);
  const std::string bodies = listed(shown.bodies, [&](const AnimatedBody& body) {
    return "{\"name\":" + quoted(body.name) + ",\"parent\":" + std::to_string(body.parent) +
           ",\"limb\":" + std::to_string(body.limb) + ",\"depth\":" + std::to_string(body.depth) +
           ",\"turns\":" + (body.turns ? "1" : "0") + ",\"mass\":" + plain(body.mass) +
           ",\"centre\":" + listed(body.centre, plain) +
           ",\"corners\":" + listed(body.corners, [&](const std::array<double, 3>& corner) { return listed(corner, plain); }) +
           "}";
  });
  const std::string shapes = listed(shown.shapes, [&](const AnimatedShape& shape) {
    return "{\"body\":" + std::to_string(shape.body) + ",\"link\":" + quoted(shape.link) + ",\"kind\":\"" + shape.kind +
           "\",\"size\":" + listed(shape.size, plain) + ",\"pose\":" + listed(shape.pose, plain) +
           (shape.mesh < 0 ? "" : ",\"mesh\":" + std::to_string(shape.mesh)) + "}";
  });
  const std::string planes = listed(shown.planes, [&](const AnimatedPlane& plane) {
    return "{\"point\":" + listed(plane.point, plain) + ",\"normal\":" + listed(plane.normal, plain) + "}";
  });
  const std::string first = shown.times.empty() ? "0" : number(shown.times.front(), 7),
                    last = shown.times.empty() ? "0" : number(shown.times.back(), 7);
  return "<figure class=\"stage\"><figcaption>" + escaped(shown.title) + " <span>" + escaped(shown.hint) +
         "</span></figcaption>\n<canvas tabindex=\"0\" role=\"img\" aria-label=\"" + escaped(shown.title) +
         "\"></canvas>\n<div class=\"tools\"><input type=\"range\" step=\"any\" min=\"" + first + "\" max=\"" + last +
         "\" value=\"" + first + "\" aria-label=\"time (s)\"/></div>\n" + controls +
         "<script type=\"application/json\">{\"bodies\":" + bodies + ",\"shapes\":" + shapes +
         ",\"meshes\":" + listed(shown.meshes, mesh_text) + ",\"planes\":" + planes +
         ",\"forces\":" + listed(shown.forces, quoted) + ",\"length\":" + number(units.length, 9) +
         ",\"force\":" + number(units.force, 9) + ",\"unit\":" + number(shown.unit_force > 0 ? shown.unit_force : 1, 6) +
         ",\"times\":" + listed(shown.times, [](double t) { return number(t, 7); }) + ",\"frames\":\"" + packed(shown, units) +
         "\"}</script>\n</figure>\n";
}

}  // namespace sparsedyn::report
