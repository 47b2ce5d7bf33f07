# A picture in docs/ is what its example draws.
#   cmake -DEXAMPLE=… [-DARGUMENT=…] -DPICTURE=docs/NAME.svg -DSOURCE=… -DOUT=… -P drawing.cmake
execute_process(COMMAND ${EXAMPLE} ${ARGUMENT} WORKING_DIRECTORY ${SOURCE} OUTPUT_FILE ${OUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUT} ${SOURCE}/${PICTURE} RESULT_VARIABLE differs)
if(differs)
  get_filename_component(name ${EXAMPLE} NAME)
  message(FATAL_ERROR "${PICTURE} is not what the example draws; its picture is in ${OUT}. Run\n"
                      "  build/examples/${name} ${ARGUMENT} > ${PICTURE}")
endif()
