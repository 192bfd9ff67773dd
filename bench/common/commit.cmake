# commit.cmake - writes which commit the tree is at as a C file, at build time; touches it only when that changed.
#   cmake -DSOURCE=<tree> -DOUTPUT=<file.c> -P commit.cmake
set(commit unknown)
find_package(Git QUIET)
if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} rev-parse HEAD RESULT_VARIABLE failed
                    OUTPUT_VARIABLE hash OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed)
        set(commit ${hash})
        execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} status --porcelain --untracked-files=no
                        OUTPUT_VARIABLE changes ERROR_QUIET)
        if(changes)
            string(APPEND commit -dirty)
        endif()
    endif()
endif()
set(text "#include \"bench/common/peak.h\"\nconst char bench_commit[] = \"${commit}\";\n")
set(old "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
    file(WRITE ${OUTPUT} "${text}")
endif()
