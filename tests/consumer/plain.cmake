# Someone who has no CMake: a compiler's command line and nothing else.
#   HOW=pkg_config  cc main.c $(pkg-config --cflags --libs sked)
#   HOW=one_file    cc -c sked.c, beside the two files of the amalgamation
cmake_policy(VERSION 3.25)
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${OUT} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
set(main ${ROOT}/tests/consumer/main.c)

if(HOW STREQUAL "pkg_config")
  find_program(PKG_CONFIG NAMES pkg-config pkgconf)
  if(NOT PKG_CONFIG)
    message("SKIPPED: no pkg-config")
    return()
  endif()
  set(ENV{PKG_CONFIG_PATH} ${STAGE}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs --define-prefix sked
    OUTPUT_VARIABLE options OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(options UNIX_COMMAND "${options}")
  run(${CC} ${FLAGS} ${main} -o main ${options} -Wl,-rpath,${STAGE}/${LIBDIR})
elseif(HOW STREQUAL "one_file")
  run(${CMAKE_COMMAND} -DROOT=${ROOT} -DOUT=${OUT} -P ${ROOT}/lib/amalgamate.cmake)
  run(${CC} -c sked.c)
  run(${CC} -DUSE_AMALGAM -I. ${main} sked.o -pthread -o main)
endif()
run(./main)
