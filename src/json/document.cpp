#include "sparsedyn/json/document.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "io/text_file.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::json {
namespace {

constexpr std::size_t deepest = 200;

/// An input iterator that knows the line of the character read last. A newline still belongs to the line that it ends, so a
/// number, after which the lexer reads one character ahead, is found on its own line.
class LineCounter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounter(const char* at, long* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  LineCounter& operator++() {
    if (after_newline_) ++*line_;
    after_newline_ = *at_ == '\n';
    ++at_;
    return *this;
  }
  LineCounter operator++(int) {
    LineCounter before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineCounter& other) const { return at_ == other.at_; }
  bool operator!=(const LineCounter& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  long* line_;
  bool after_newline_ = false;
};

/// Builds the tree from the parser's events.
class TreeBuilder {
 public:
  TreeBuilder(Value* root, const long* line, const std::string& file) : root_(root), line_(line), file_(file) {}

  bool null() { return add(Kind::null) != nullptr; }
  bool boolean(bool b) {
    add(Kind::boolean)->boolean = b;
    return true;
  }
  bool number_integer(std::int64_t n) { return number(static_cast<double>(n), std::to_string(n)); }
  bool number_unsigned(std::uint64_t n) { return number(static_cast<double>(n), std::to_string(n)); }
  bool number_float(double x, const std::string& text) { return number(x, text); }
  bool string(std::string& text) {
    add(Kind::string)->text = std::move(text);
    return true;
  }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Kind::object); }
  bool start_array(std::size_t) { return open(Kind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Value& object = *open_.back();
    if (!seen_.back().insert(name).second)
      throw InputError(file_, *line_, "", "key \"" + name + "\" a second time", "each key once in an object");
    object.keys.push_back(std::move(name));
    object.key_lines.push_back(*line_);
    return true;
  }
  /// nlohmann's message ends in ` - FOUND` or ` - FOUND; expected EXPECTED`.
  bool parse_error(std::size_t, const std::string& token, const nlohmann::detail::exception& error) {
    std::string text = error.what(), expected = "JSON", element;
    if (const auto dash = text.find(" - "); dash != std::string::npos)
      text.erase(0, dash + 3);
    else
      text = token, expected = "a number that a double can hold", element = way();
    if (const auto at = text.find("; expected "); at != std::string::npos) expected = text.substr(at + 11), text.erase(at);
    throw InputError(file_, *line_, element, text, expected);
  }

 private:
  /// To the value that is being read, as Node names it.
  std::string way() const {
    std::string names;
    for (const Value* value : open_)
      if (value->kind == Kind::array)
        names += "[" + std::to_string(value->items.size() - (value == open_.back() ? 0 : 1)) + "]";
      else
        names += (names.empty() ? "" : ".") + value->keys.back();
    return names;
  }
  Value* add(Kind kind) {
    Value* value = root_;
    if (!open_.empty()) value = &open_.back()->items.emplace_back();
    value->kind = kind;
    value->line = *line_;
    return value;
  }
  bool number(double x, std::string text) {
    Value* value = add(Kind::number);
    value->number = x;
    value->text = std::move(text);
    return true;
  }
  bool open(Kind kind) {
    open_.push_back(add(kind));
    seen_.emplace_back();
    if (open_.size() > deepest)
      throw InputError(file_, *line_, "", "brackets nested deeper than " + std::to_string(deepest) + " levels", "fewer");
    return true;
  }
  bool close() {
    open_.pop_back();
    seen_.pop_back();
    return true;
  }

  Value* root_;
  const long* line_;
  const std::string& file_;
  std::vector<Value*> open_;  // only the innermost grows, so the pointers above it stay valid
  std::vector<std::set<std::string>> seen_;
};

}  // namespace

Document Document::parse(const std::string& text, const std::string& file) {
  auto root = std::make_unique<Value>();
  long line = 1;
  TreeBuilder builder(root.get(), &line, file);
  nlohmann::json::sax_parse(LineCounter(text.data(), &line), LineCounter(text.data() + text.size(), &line), &builder);
  return {std::move(root), file};
}

Document Document::load(const std::string& path) { return parse(read_text_file(path, "a JSON file"), path); }

}  // namespace sparsedyn::json
