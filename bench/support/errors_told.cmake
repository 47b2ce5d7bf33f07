# Every program of this folder and of those below it tells why it ends.
if(NOT TARGET bench_errors_told)
  add_library(bench_errors_told OBJECT ${CMAKE_CURRENT_LIST_DIR}/errors_told.cpp)
  set_target_properties(bench_errors_told PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
link_libraries(bench_errors_told)
