#include "c_name.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace sparsedyn {
namespace {

using Words = std::set<std::string>;

const Words keywords{"_Bool",       "_Complex", "_Imaginary", "alignas",    "alignof",   "and",
                     "and_eq",      "asm",      "auto",       "bitand",     "bitor",     "bool",
                     "break",       "case",     "catch",      "char",       "char16_t",  "char32_t",
                     "class",       "compl",    "const",      "const_cast", "constexpr", "continue",
                     "decltype",    "default",  "delete",     "do",         "double",    "dynamic_cast",
                     "else",        "enum",     "explicit",   "export",     "extern",    "false",
                     "float",       "for",      "friend",     "goto",       "if",        "inline",
                     "int",         "long",     "main",       "mutable",    "namespace", "new",
                     "noexcept",    "not",      "not_eq",     "nullptr",    "operator",  "or",
                     "or_eq",       "private",  "protected",  "public",     "register",  "restrict",
                     "return",      "short",    "signed",     "sizeof",     "static",    "static_assert",
                     "static_cast", "struct",   "switch",     "template",   "this",      "thread_local",
                     "throw",       "true",     "try",        "typedef",    "typeid",    "typename",
                     "typeof",      "union",    "unsigned",   "using",      "virtual",   "void",
                     "volatile",    "wchar_t",  "while",      "xor",        "xor_eq",    "reinterpret_cast"};

/// Of <math.h>, POSIX's included; each with f and l behind it too.
const Words mathematics{
    "acos",       "acosh", "asin",      "asinh",  "atan",  "atan2",  "atanh",  "cbrt",    "ceil",      "copysign",
    "cos",        "cosh",  "drem",      "erf",    "erfc",  "exp",    "exp2",   "expm1",   "fabs",      "fdim",
    "finite",     "floor", "fma",       "fmax",   "fmin",  "fmod",   "frexp",  "gamma",   "hypot",     "ilogb",
    "isinf",      "isnan", "j0",        "j1",     "jn",    "ldexp",  "lgamma", "llrint",  "llround",   "log",
    "log10",      "log1p", "log2",      "logb",   "lrint", "lround", "modf",   "nan",     "nearbyint", "nextafter",
    "nexttoward", "pow",   "remainder", "remquo", "rint",  "round",  "scalb",  "scalbln", "scalbn",    "significand",
    "sin",        "sinh",  "sqrt",      "tan",    "tanh",  "tgamma", "trunc",  "y0",      "y1",        "yn"};

/// Macros of <math.h>, but for M_PI, FP_NAN and their like, and what GNU C makes of the system's name.
const Words macros{"HUGE_VAL",         "HUGE_VALF", "HUGE_VALL",      "INFINITY",    "MATH_ERRNO",    "MATH_ERREXCEPT",
                   "MAXFLOAT",         "NAN",       "NULL",           "fpclassify",  "isfinite",      "isgreater",
                   "isnormal",         "isless",    "isgreaterequal", "islessequal", "islessgreater", "isunordered",
                   "math_errhandling", "signbit",   "linux",          "unix"};

/// Of <string.h>, <stdlib.h> and <stdio.h> what compilers know, and names within the code written.
const Words others{"abort",   "abs",     "calloc",  "exit",   "free",      "labs",   "llabs",   "malloc",  "printf",  "putchar",
                   "puts",    "realloc", "bcmp",    "bcopy",  "bzero",     "ffs",    "index",   "memccpy", "memchr",  "memcmp",
                   "memcpy",  "memmove", "memset",  "rindex", "signgam",   "stpcpy", "stpncpy", "strcat",  "strchr",  "strcmp",
                   "strcoll", "strcpy",  "strcspn", "strdup", "strerror",  "strlen", "strncat", "strncmp", "strncpy", "strndup",
                   "strnlen", "strpbrk", "strrchr", "strsep", "strsignal", "strspn", "strstr",  "strtok",  "strxfrm", "arg",
                   "res",     "n",       "s",       "Scalar", "std"};

/// in, in0, in1 …, out, out0, …: the vectors of one sample.
bool is_sample(const std::string& name) {
  const std::string stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
  return stem == "in" || stem == "out";
}

bool taken(const std::string& name) {
  const char last = name.back();
  const bool suffixed = (last == 'f' || last == 'l') && mathematics.count(name.substr(0, name.size() - 1));
  const bool constant = (name.rfind("M_", 0) == 0 || name.rfind("FP_", 0) == 0) &&
                        std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c); });
  return suffixed || constant || macros.count(name) || mathematics.count(name) || keywords.count(name) || others.count(name) ||
         is_sample(name);
}

}  // namespace

std::string c_name_fault(const std::string& name) {
  const auto letter = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || !std::all_of(name.begin(), name.end(), letter))
    return "expected a name in C: letters, digits and _";
  return taken(name) ? "taken in C, in C++ or in the code written; expected another name" : "";
}

}  // namespace sparsedyn
