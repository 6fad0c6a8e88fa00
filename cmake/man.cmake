# Writes a page of the manual from what a program says with --help.
#   cmake -DPROGRAM=... -DNAME=sked-replay -DVERSION=0.1.0 -DOUT=... -P man.cmake
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE text
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${PROGRAM} --help: ${failed}")
endif()
string(TOUPPER ${NAME} title)
# A backslash begins a request, and so do a '.' and a quote that begin a line.
string(REPLACE "\\" "\\e" text "${text}")
string(REPLACE "-" "\\-" text "${text}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
# The first line says what it is, or the first sentence behind the usage.
if(text MATCHES "^usage[^\n]*(\n[^\n]+)*\n\n([^.]*)")
  string(REGEX REPLACE "[ \n]+" " " what "${CMAKE_MATCH_2}")
else()
  string(REGEX MATCH "^[^\n]*" what "${text}")
  string(REGEX REPLACE "^[a-z_]+: *" "" what "${what}")
endif()
file(WRITE ${OUT} ".TH ${title} 1 \"\" \"sked ${VERSION}\" \"libsked\"
.SH NAME
${NAME} \\- ${what}
.SH DESCRIPTION
.nf
${text}.fi
.SH SEE ALSO
The guides in the folder of the documents: workloads.md, tree-text.md.
")
