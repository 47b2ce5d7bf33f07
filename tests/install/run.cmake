# run(command…): what it says is shown where it fails, which ends the script.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()
