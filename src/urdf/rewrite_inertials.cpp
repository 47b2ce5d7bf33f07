#include "rewrite_inertials.hpp"

#include <string_view>
#include <vector>

#include "io/number.hpp"

namespace sparsedyn {
namespace {

/// A tag of the text: <name …>, <name …/> or </name>.
struct Tag {
  std::size_t begin, end;  // of the text between them, brackets included
  std::string_view name;
  bool closes, empty;
};

/// The next tag from `at` on; comments, declarations and processing instructions are passed over. begin = npos: none.
Tag next_tag(std::string_view text, std::size_t at) {
  const auto past = [&](std::string_view end) {
    const std::size_t found = text.find(end, at);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  for (;;) {
    at = text.find('<', at);
    if (at == std::string_view::npos) return {at, at, {}, false, false};
    if (text.compare(at, 4, "<!--") == 0) {
      at = past("-->");
    } else if (text.compare(at, 9, "<![CDATA[") == 0) {
      at = past("]]>");
    } else if (text.compare(at, 2, "<?") == 0) {
      at = past("?>");
    } else {
      break;
    }
  }
  const bool closes = text.compare(at, 2, "</") == 0;
  const std::size_t name = at + (closes ? 2 : 1), name_end = text.find_first_of(" \t\r\n/>", name);
  char quote = 0;
  std::size_t end = name_end;
  for (; end < text.size() && (quote || text[end] != '>'); ++end) {
    if (quote ? text[end] == quote : (text[end] == '"' || text[end] == '\'')) quote = quote ? 0 : text[end];
  }
  return {at, end + 1, text.substr(name, name_end - name), closes, text[end - 1] == '/'};
}

/// The value of name="…" in a tag.
std::string name_attribute(std::string_view tag) {
  for (std::size_t at = tag.find("name"); at != std::string_view::npos; at = tag.find("name", at + 1)) {
    const std::size_t equals = tag.find_first_not_of(" \t\r\n", at + 4);
    if (equals == std::string_view::npos || tag[equals] != '=' ||
        std::string_view(" \t\r\n").find(tag[at - 1]) == std::string_view::npos)
      continue;
    const std::size_t open = tag.find_first_not_of(" \t\r\n", equals + 1);
    if (open == std::string_view::npos) break;
    const std::size_t close = tag.find(tag[open], open + 1);
    if (close != std::string_view::npos) return std::string(tag.substr(open + 1, close - open - 1));
  }
  return "";
}

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

/// The blanks before position `at`, if nothing else stands before it on its line.
std::string indentation(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  return begin == 0 || text[begin - 1] == '\n' ? std::string(text.substr(begin, at - begin)) : "";
}

/// A piece of the text and what stands there instead.
struct Change {
  std::size_t begin, end;
  std::string text;
};

/// What becomes of the link that `open` begins; moves `open` to its last tag.
Change change_of(std::string_view text, Tag& open, const std::optional<Inertia<double>>& inertia) {
  const Tag link = open;
  Change change{link.end, link.end, ""};
  bool found = false, done = false;
  for (int depth = link.empty ? 0 : 1; depth > 0;) {
    open = next_tag(text, open.end);
    if (open.begin == std::string_view::npos) break;
    depth += open.closes ? -1 : open.empty ? 0 : 1;
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
  std::string out;
  std::size_t at = 0;
  for (const Change& change : changes) {
    out.append(text, at, change.begin - at).append(change.text);
    at = change.end;
  }
  return out.append(text, at, std::string::npos);
}

}  // namespace sparsedyn
