# docs/PICTURE is what an example draws, so that its numbers are those of the program.
#   cmake -DEXAMPLE=… -DARGUMENTS=… -DPICTURE=… -DSOURCE=… -DOUT=… -P picture.cmake
execute_process(COMMAND ${EXAMPLE} ${ARGUMENTS} WORKING_DIRECTORY ${SOURCE} OUTPUT_FILE ${OUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUT} ${SOURCE}/docs/${PICTURE} RESULT_VARIABLE differs)
if(differs)
  get_filename_component(name ${EXAMPLE} NAME)
  message(FATAL_ERROR "docs/${PICTURE} is not what the example draws; its picture is in ${OUT}. Run\n"
                      "  build/examples/${name} ${ARGUMENTS} > docs/${PICTURE}")
endif()
