#include "text_tags.hpp"

namespace sparsedyn {

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

AttributeValue find_attribute(std::string_view tag, std::string_view name) {
  constexpr const char* blanks = " \t\r\n";
  for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const std::size_t equals = tag.find_first_not_of(blanks, at + name.size());
    if (at == 0 || equals == std::string_view::npos || tag[equals] != '=' ||
        std::string_view(blanks).find(tag[at - 1]) == std::string_view::npos)
      continue;
    const std::size_t open = tag.find_first_not_of(blanks, equals + 1);
    if (open == std::string_view::npos) break;
    const std::size_t close = tag.find(tag[open], open + 1);
    if (close != std::string_view::npos) return {open + 1, close};
  }
  return {std::string_view::npos, std::string_view::npos};
}

std::string name_attribute(std::string_view tag) {
  const AttributeValue value = find_attribute(tag, "name");
  return value.begin == std::string_view::npos ? "" : std::string(tag.substr(value.begin, value.end - value.begin));
}

std::string with_attribute(const std::string& tag, std::string_view name, const std::string& value) {
  const AttributeValue old = find_attribute(tag, name);
  if (old.begin != std::string_view::npos) return tag.substr(0, old.begin) + value + tag.substr(old.end);
  const std::size_t bracket = tag.size() - (tag[tag.size() - 2] == '/' ? 2 : 1);
  const std::size_t last = tag.find_last_not_of(" \t\r\n", bracket - 1) + 1;
  return tag.substr(0, last) + " " + std::string(name) + "=\"" + value + "\"" + tag.substr(last);
}

std::string indentation(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  return begin == 0 || text[begin - 1] == '\n' ? std::string(text.substr(begin, at - begin)) : "";
}

std::string with_changes(const std::string& text, const std::vector<Change>& changes) {
  std::string out;
  std::size_t at = 0;
  for (const Change& change : changes) {
    out.append(text, at, change.begin - at).append(change.text);
    at = change.end;
  }
  return out.append(text, at, std::string::npos);
}

}  // namespace sparsedyn
