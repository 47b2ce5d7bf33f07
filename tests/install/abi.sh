#!/usr/bin/env bash
# .ci/abi on a library of two functions: the same interface and a change that users cannot see pass, a component left out and a
# member of a public struct fail, and pass with another minor version. abi.sh WORK
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:?a folder}
rm -rf "$work" && mkdir -p "$work"/{.ci,include/sparsedyn/thing,src}
cd "$work"
cp "$root/.ci/abi" .ci/
echo '/build*/' >.gitignore
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(one CXX)
add_subdirectory(src)
END
cat >src/CMakeLists.txt <<'END'
add_library(sparsedyn_thing thing.cpp)
target_include_directories(sparsedyn_thing PUBLIC ${PROJECT_SOURCE_DIR}/include)
if(TRUE)
  add_library(sparsedyn_other other.cpp)
  target_include_directories(sparsedyn_other PUBLIC ${PROJECT_SOURCE_DIR}/include)
endif()
END
cat >include/sparsedyn/version.hpp <<'END'
namespace sparsedyn {
constexpr const char* version = "0.2.0";
}
END
cat >include/sparsedyn/thing/thing.hpp <<'END'
namespace sparsedyn {
struct Thing {
  int first = 0;
};
int read(const Thing& thing);
int other();
}
END
printf '#include "%s"\n' sparsedyn/thing/thing.hpp >src/thing.cpp
cat >>src/thing.cpp <<'END'
namespace sparsedyn {
struct Hidden { int x; };
int read(const Thing& thing) { return Hidden{thing.first}.x; }
}
END
printf '#include "%s"\nint sparsedyn::other() { return 1; }\n' sparsedyn/thing/thing.hpp >src/other.cpp
git init -q . && git add -A && git -c user.name=test -c user.email=test@localhost commit -qm "Two functions" && git tag v0.2.0

expect() {  # STATUS WHAT
  local status=0
  .ci/abi >said 2>&1 || status=$?
  ((status == $1)) || { cat said; echo "abi: $2: exit $status; expected $1" >&2; exit 1; }
}
expect 0 "the same interface"
sed -i 's/int x; }/int x; int y = 0; }/' src/thing.cpp
expect 0 "a struct that users cannot see"
sed -i 's/(TRUE)/(FALSE)/' src/CMakeLists.txt
expect 1 "a component that is left out"
grep -q "other" said
sed -i 's/(FALSE)/(TRUE)/' src/CMakeLists.txt
sed -i 's/int first/int before = 0, first/' include/sparsedyn/thing/thing.hpp
expect 1 "a member of a public struct"
grep -q "data member insertion" said
sed -i 's/0\.2\.0/0.3.0/' include/sparsedyn/version.hpp
expect 0 "another minor version"
echo "abi: a component left out and a changed struct are found, and only these"
