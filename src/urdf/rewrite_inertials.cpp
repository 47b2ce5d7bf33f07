#include "rewrite_inertials.hpp"

#include <string_view>
#include <vector>

#include "io/number.hpp"
#include "urdf/xml/text_tags.hpp"

namespace sparsedyn {
namespace {

/// <inertial> about the centre of mass, in the link's axes.
std::string inertial_text(const Inertia<double>& I, const std::string& indent) {
  const Vec3<double> c = I.m != 0 ? (1 / I.m) * I.h : zero3<double>();
  const Inertia<double> central = shifted(I, -c);
  const Sym3<double> J = trace_minus(central.moments);
  const auto n = [](double x) { return number_text(x); };
  return "<inertial>\n" + indent + "  <origin xyz=\"" + n(c[0]) + " " + n(c[1]) + " " + n(c[2]) + "\" rpy=\"0 0 0\"/>\n" +
         indent + "  <mass value=\"" + n(I.m) + "\"/>\n" + indent + "  <inertia ixx=\"" + n(J.xx) + "\" ixy=\"" + n(J.xy) +
         "\" ixz=\"" + n(J.xz) + "\" iyy=\"" + n(J.yy) + "\" iyz=\"" + n(J.yz) + "\" izz=\"" + n(J.zz) + "\"/>\n" + indent +
         "</inertial>";
}

/// What becomes of the link that `open` begins; moves `open` to its last tag.
Change change_of(std::string_view text, Tag& open, const std::optional<Inertia<double>>& inertia) {
  const Tag link = open;
  Change change{link.end, link.end, ""};
  bool found = false, done = false;
  for (int depth = link.empty ? 0 : 1; depth > 0;) {
    open = next_tag(text, open.end);
    if (open.begin == std::string_view::npos) break;
    depth += open.step();
    const bool child = open.name == "inertial" && depth == (open.closes || open.empty ? 1 : 2);
    if (!child || done) continue;  // of several the first counts
    if (!open.closes) change.begin = open.begin;
    change.end = open.end, found = true, done = open.closes || open.empty;
  }
  if (found) {
    if (inertia) change.text = inertial_text(*inertia, indentation(text, change.begin));
  } else if (inertia && link.empty) {
    const std::string indent = indentation(text, link.begin);
    change = {link.end - 2, link.end,
              ">\n" + indent + "  " + inertial_text(*inertia, indent + "  ") + "\n" + indent + "</link>"};
  } else if (inertia) {
    const std::string indent = indentation(text, link.begin) + "  ";
    change.text = "\n" + indent + inertial_text(*inertia, indent);
  }
  return change;
}

}  // namespace

std::string rewrite_inertials(const std::string& text, const std::map<std::string, std::optional<Inertia<double>>>& links) {
  std::vector<Change> changes;
  for (Tag tag = next_tag(text, 0); tag.begin != std::string::npos; tag = next_tag(text, tag.end)) {
    if (tag.closes || tag.name != "link") continue;
    const auto wanted = links.find(name_attribute(std::string_view(text).substr(tag.begin, tag.end - tag.begin)));
    if (wanted != links.end()) changes.push_back(change_of(text, tag, wanted->second));
  }
  return with_changes(text, changes);
}

}  // namespace sparsedyn
