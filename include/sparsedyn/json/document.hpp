// A JSON file in which every value knows its line, so that errors of meaning can be reported like errors of form:
// `FILE:LINE: ELEMENT: FOUND; expected EXPECTED`. Strict: no comments, no duplicate keys, no non-finite numbers, at most
// 200 levels of nesting.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sparsedyn::json {

/// As JSON has them.
enum class Kind { null, boolean, number, string, array, object };

/// One value of the tree.
struct Value {
  Kind kind = Kind::null;         // which of these it is
  long line = 0;                  // from 1: of a scalar itself, of an array's or object's opening bracket
  bool boolean = false;           // of a boolean
  double number = 0;              // of a number
  std::string text;               // of a string; of a number as it stands in the file
  std::vector<Value> items;       // of an array; of an object in the order of the file
  std::vector<std::string> keys;  // of an object, beside items
  std::vector<long> key_lines;    // of an object, beside items
};

/// A value, the file it is in and the way to it (`sensors[2].sigma`). The accessors throw InputError where the value is not
/// what was asked for. Cheap to copy; valid as long as its Document.
class Node {
 public:
  /// Value and file must outlive it.
  Node(const Value* value, const std::string* file, std::string element)
      : value_(value), file_(file), element_(std::move(element)) {}

  Kind kind() const { return value_->kind; }               // of the value
  long line() const { return value_->line; }               // likewise
  const std::string& element() const { return element_; }  // the way to it

  /// The value, which has to be a boolean.
  bool boolean() const;
  /// The value, which has to be a number.
  double number() const;
  /// A number without fraction or exponent that fits an int.
  int integer() const;
  /// The value, which has to be a string.
  const std::string& string() const;
  /// Elements of an array.
  std::vector<Node> array() const;
  /// Elements of an array, each of which has to be a number, an integer or a string.
  /// @{
  std::vector<double> numbers() const;
  std::vector<int> integers() const;
  std::vector<std::string> strings() const;
  /// @}

  /// Keys of an object, in the order of the file.
  const std::vector<std::string>& keys() const;
  /// Each key with its member, in time proportional to their number; `at` looks at all keys before the one asked for.
  std::vector<std::pair<std::string, Node>> members() const;
  /// Whether an object has that key.
  bool has(const std::string& key) const;
  /// The member; throws, with the object's line, where it is missing.
  Node at(const std::string& key) const;
  /// Refuses every key of the object that is not in `known`, with its line and the nearest known ones.
  void only_keys(const std::vector<std::string>& known) const;

  /// The value as a message quotes it: `"abc"`, `3.5`, `a list`, `an object`.
  std::string found() const;
  /// Throws InputError at this value.
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;
  /// The same: `"abc" (near: abd); expected EXPECTED` for a name that is not among `candidates`.
  [[noreturn]] void refuse_name(const std::string& name, const std::vector<std::string>& candidates,
                                const std::string& expected) const;

 private:
  void require(Kind kind, const char* expected) const;
  int find(const std::string& key) const;
  Node item(std::size_t i) const;

  const Value* value_;
  const std::string* file_;
  std::string element_;
};

/// A parsed file.
class Document {
 public:
  /// Reads the file at `path`, or the standard input where it is `-`. Throws InputError (`FILE: …` where it cannot be read).
  static Document load(const std::string& path);
  /// Parses `text`; `file` is what messages call it.
  static Document parse(const std::string& text, const std::string& file);

  Node root() const { return {root_.get(), file_.get(), ""}; }  // the whole of it
  const std::string& file() const { return *file_; }            // what messages call it

 private:
  Document(std::unique_ptr<const Value> root, std::string file)
      : root_(std::move(root)), file_(std::make_unique<const std::string>(std::move(file))) {}
  std::unique_ptr<const Value> root_;
  std::unique_ptr<const std::string> file_;
};

}  // namespace sparsedyn::json
