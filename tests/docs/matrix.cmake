# docs/matrix.svg is what example 03 draws, so that its counts are those of the reports.
#   cmake -DEXAMPLE=… -DSOURCE=… -DOUT=… -P matrix.cmake
execute_process(COMMAND ${EXAMPLE} robots/arm.urdf WORKING_DIRECTORY ${SOURCE} OUTPUT_FILE ${OUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUT} ${SOURCE}/docs/matrix.svg RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "docs/matrix.svg is not what the example draws; its picture is in ${OUT}. Run\n"
                      "  build/examples/example_03_matrix_picture robots/arm.urdf > docs/matrix.svg")
endif()
