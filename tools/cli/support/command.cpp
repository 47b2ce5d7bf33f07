#include "command.hpp"

#include <CLI/CLI.hpp>
#include <charconv>

namespace sparsedyn::cli {
namespace {

/// CLI11 reads -1 and what is too large as the largest unsigned number.
std::string whole_number(const std::string& text) {
  std::uint64_t value;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? "" : text + "; expected a whole number from 0 to 18446744073709551615";
}

std::string something(const std::string& text) { return text.empty() ? "expected something, not \"\"" : ""; }

/// "-o" of "-o,--output".
std::string first_name(const std::string& names) { return names.substr(0, names.find(',')); }

}  // namespace

Option Option::required(bool whether) { return Option(option_->required(whether)); }
Option Option::expected(int values) { return Option(option_->expected(values)); }
Option Option::allow_extra_args(bool whether) { return Option(option_->allow_extra_args(whether)); }
Option Option::capture_default_str() { return Option(option_->capture_default_str()); }

Command Command::add_subcommand(const std::string& name, const std::string& summary) {
  return {app_->add_subcommand(name, summary), files_};
}

void Command::alias(const std::string& name) { app_->alias(name); }

Command Command::under(const std::string& heading) const {
  Command same = *this;
  same.heading_ = heading;
  return same;
}

Option Command::headed(CLI::Option* option) const {
  if (!heading_.empty()) option->group(heading_);
  return Option(option);
}

Option Command::add_option(const std::string& names, std::string& value, const std::string& help) {
  return headed(app_->add_option(names, value, help)->check(something, ""));
}

Option Command::add_option(const std::string& names, double& value, const std::string& help) {
  return headed(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, std::optional<double>& value, const std::string& help) {
  return headed(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, std::uint64_t& value, const std::string& help) {
  return headed(app_->add_option(names, value, help)->check(whole_number, ""));
}

Option Command::add_option(const std::string& names, std::vector<std::string>& values, const std::string& help) {
  return headed(app_->add_option(names, values, help)->check(something, ""));
}

Option Command::add_option(const std::string& names, std::vector<double>& values, const std::string& help) {
  return headed(app_->add_option(names, values, help));
}

Option Command::add_file(const std::string& names, std::string& path, FileRole role, const std::string& help) {
  files_->push_back({app_->get_name(), first_name(names), role, &path, nullptr, {}});
  return add_option(names, path, help);
}

Option Command::add_file(const std::string& names, std::vector<std::string>& paths, FileRole role, const std::string& help) {
  files_->push_back({app_->get_name(), first_name(names), role, nullptr, &paths, {}});
  return add_option(names, paths, help);
}

Option Command::add_folder(const std::string& names, std::string& path, std::function<std::vector<std::string>()> files,
                           const std::string& help) {
  files_->push_back({app_->get_name(), first_name(names), FileRole::output_folder, &path, nullptr, std::move(files)});
  return add_option(names, path, help);
}

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return headed(app_->add_flag(names, value, help));
}

Option Command::get_option(const std::string& name) { return Option(app_->get_option(name)); }

void Command::footer(const std::string& text) { app_->footer(text); }
void Command::callback(std::function<void()> chosen) { app_->callback(std::move(chosen)); }

}  // namespace sparsedyn::cli
