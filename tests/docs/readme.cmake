# The README's C++ lines stand in the example that it names, and the files that it links to exist.
#   cmake -DSOURCE=… -P readme.cmake
file(READ ${SOURCE}/README.md readme)
file(READ ${SOURCE}/examples/01_control_loop.cpp example)

if(NOT readme MATCHES "```cpp\n([^`]*)```")
  message(FATAL_ERROR "README.md shows no C++")
endif()
string(REPLACE ";" "\\;" lines "${CMAKE_MATCH_1}")
string(REPLACE "\n" ";" lines "${lines}")
foreach(line IN LISTS lines)
  string(FIND "${example}" "${line}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "README.md: not in examples/01_control_loop.cpp: ${line}")
  endif()
endforeach()

string(REPLACE "](" "link(" readme "${readme}")  # CMake's lists do not split at an odd bracket
string(REGEX MATCHALL "link\\([^):]+\\)" links "${readme}")
foreach(link IN LISTS links)
  string(REGEX REPLACE "link\\(([^)#]+).*\\)" "\\1" file "${link}")
  if(NOT EXISTS ${SOURCE}/${file})
    message(FATAL_ERROR "README.md links to ${file}, which does not exist")
  endif()
endforeach()
