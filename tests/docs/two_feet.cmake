# docs/two-feet.html is what example 04 writes. A few poses do here: the page says how many it was made with.
#   cmake -DEXAMPLE=… -DSOURCE=… -P two_feet.cmake
execute_process(COMMAND ${EXAMPLE} robots/humanoid.urdf 3 WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
file(READ ${SOURCE}/docs/two-feet.html shipped)
string(REPLACE "over 3 poses each" "over 1000 poses each" page "${page}")
if(NOT page STREQUAL shipped)
  file(WRITE ${OUT} "${page}")
  message(FATAL_ERROR "docs/two-feet.html is not what the example writes; its page is in ${OUT}. Run\n"
                      "  build/examples/example_04_two_feet robots/humanoid.urdf 1000 > docs/two-feet.html")
endif()
