#include "surplus_attributes.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>

namespace sparsedyn::urdf {
namespace {

/// All that the readers of elements ask for.
const std::unordered_set<std::string_view> read_somewhere = {
    "name",      "type",     "version",    "link",      "joint",
    "reference", "xyz",      "rpy",        "quat_xyzw", "value",
    "ixx",       "ixy",      "ixz",        "iyy",       "iyz",
    "izz",       "lower",    "upper",      "effort",    "velocity",
    "damping",   "friction", "multiplier", "offset",    "rotation_format",
    "degrees"};

bool begins_name(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u >= 128 || std::isalpha(u) || c == ':' || c == '_';
}
bool in_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-'; }

/// An attribute with its value, and its name.
struct Attribute {
  std::size_t begin, end;
  std::string_view name;
};

/// Goes over a text once.
class Scanner {
 public:
  Scanner(const std::string& text, WrongTag& wrong) : text_(text), wrong_(wrong) {}

  LeanText lean() {
    while (wrong_.position == std::string::npos && (at_ = text_.find('<', at_)) != std::string_view::npos) {
      if (!pass_over("<!--", "-->") && !pass_over("<![CDATA[", "]]>") && !pass_over("<?", "?>") && !pass_over("<!", ">") &&
          !pass_over("</", ">"))
        element();
    }
    return std::move(result_);
  }

 private:
  bool pass_over(std::string_view begin, std::string_view end) {
    if (text_.compare(at_, begin.size(), begin) != 0) return false;
    const std::size_t found = text_.find(end, at_ + begin.size());
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    return true;
  }

  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// NAME = "…"; false where it is none.
  bool attribute(Attribute& found) {
    found.begin = at_;
    found.name = name();
    blanks();
    if (here() != '=') return false;
    ++at_;
    blanks();
    const char quote = here();
    if (quote != '"' && quote != '\'') return false;
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    found.end = at_ = end + 1;
    return true;
  }

  void element() {
    const std::size_t begin = at_++;
    const std::string_view kind = name();
    std::vector<Attribute> attributes;
    const char* broken = nullptr;
    for (blanks(); !broken && begins_name(here()); blanks()) {
      attributes.push_back({});
      if (!attribute(attributes.back())) broken = "a broken or repeated attribute", attributes.back().end = at_;
    }
    if (attributes.size() <= most_attributes) return;
    if (!broken && here() != '>' && here() != '/') broken = "a broken tag";
    if (broken) return refuse(attributes.back().begin, broken);
    take_out(begin, kind, attributes);
  }

  void take_out(std::size_t begin, std::string_view kind, const std::vector<Attribute>& attributes) {
    std::unordered_set<std::string_view> names;
    std::size_t count = 0;
    if (result_.text.empty()) result_.text = text_;
    for (const Attribute& a : attributes) {
      if (!names.insert(a.name).second) return refuse(a.begin, "a broken or repeated attribute");
      if (read_somewhere.count(a.name)) continue;
      std::replace_if(
          result_.text.begin() + static_cast<std::ptrdiff_t>(a.begin),
          result_.text.begin() + static_cast<std::ptrdiff_t>(a.end), [](char c) { return c != '\n'; }, ' ');
      ++count;
    }
    line_ += static_cast<long>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                          text_.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    counted_ = begin;
    result_.surplus.push_back({line_, std::string(kind), count});
  }

  void refuse(std::size_t position, const char* what) { wrong_ = {position, what}; }

  const std::string_view text_;
  WrongTag& wrong_;
  LeanText result_;
  std::size_t at_ = 0, counted_ = 0;  // where the scanner is, and up to where lines were counted
  long line_ = 1;
};

}  // namespace

LeanText without_surplus(const std::string& text, WrongTag& wrong) {
  LeanText lean = Scanner(text, wrong).lean();
  if (lean.surplus.empty()) lean.text = text;
  return lean;
}

}  // namespace sparsedyn::urdf
