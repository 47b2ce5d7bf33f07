#include "rewrite_dynamics.hpp"

#include "io/number.hpp"
#include "urdf/xml/text_tags.hpp"

namespace sparsedyn {
namespace {

/// What becomes of the joint that `open` begins; moves `open` to its last tag. Of several <dynamics> the first counts.
Change dynamics_change(const std::string& text, Tag& open, const JointPhysics& physics) {
  const std::string damping = number_text(physics.damping), friction = number_text(physics.friction);
  const std::size_t first = open.begin;
  Change change{std::string::npos, std::string::npos, ""};
  for (int depth = 1; depth > 0;) {
    open = next_tag(text, open.end);
    if (open.begin == std::string::npos) return {text.size(), text.size(), ""};
    if (depth == 1 && open.name == "dynamics" && !open.closes && change.begin == std::string::npos) {
      const std::string tag = text.substr(open.begin, open.end - open.begin);
      change = {open.begin, open.end, with_attribute(with_attribute(tag, "damping", damping), "friction", friction)};
    }
    depth += open.step();
  }
  if (change.begin != std::string::npos) return change;
  const std::string element = "<dynamics damping=\"" + damping + "\" friction=\"" + friction + "\"/>";
  if (text.find('\n', first) > open.begin) return {open.begin, open.begin, element};  // all on one line
  const std::string indent = indentation(text, first);
  const std::size_t line = open.begin - indentation(text, open.begin).size();
  return {line, line, indent + "  " + element + "\n"};
}

}  // namespace

std::string rewrite_dynamics(const std::string& text, const std::map<std::string, JointPhysics>& joints) {
  std::vector<Change> changes;
  int depth = 0;
  for (Tag tag = next_tag(text, 0); tag.begin != std::string::npos; tag = next_tag(text, tag.end)) {
    const bool in_robot = depth == 1 && tag.name == "joint" && tag.step() > 0;  // <transmission> names joints, too
    const auto wanted =
        in_robot ? joints.find(name_attribute(std::string_view(text).substr(tag.begin, tag.end - tag.begin))) : joints.end();
    if (wanted == joints.end())
      depth += tag.step();
    else
      changes.push_back(dynamics_change(text, tag, wanted->second));
    if (tag.begin == std::string::npos) break;
  }
  return with_changes(text, changes);
}

}  // namespace sparsedyn
