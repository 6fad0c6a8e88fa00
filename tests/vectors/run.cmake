# Known answers against the library: makes the lines, runs them.
#
#   cmake -DPYTHON=... -DFOLDER=... -DRUNNER=... -DOUT=... -P run.cmake
if(NOT EXISTS ${FOLDER}/fair.json)
  message("SKIPPED: no known answers in ${FOLDER}")
  return()
elseif(NOT PYTHON)
  message("SKIPPED: Python reads the known answers, and is not there")
  return()
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1
    ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/compact.py ${FOLDER}
  OUTPUT_FILE ${OUT} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "compact.py failed")
endif()
execute_process(COMMAND ${RUNNER} ${OUT} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "some known answers are not met")
endif()
