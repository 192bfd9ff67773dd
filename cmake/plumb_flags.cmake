# plumb_flags.cmake - the flags every C file of plumb is compiled with, as the target plumb_flags; and the precisions.
#
# -ffp-contract=off is an invariant of the arithmetic, not a preference: if the compiler fuses a*b+c, the error-free
# transformations break. -ffast-math would break them, too.
set(PLUMB_PRECISIONS d dd qd)
set(PLUMB_LIMBS_d 1)
set(PLUMB_LIMBS_dd 2)
set(PLUMB_LIMBS_qd 4)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type_upper)
if("${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type_upper}}" MATCHES "-ffast-math|-Ofast|-funsafe-math")
    message(FATAL_ERROR "plumb cannot be compiled with -ffast-math and its kin: its arithmetic depends on IEEE rounding")
endif()

add_library(plumb_flags INTERFACE)
target_compile_options(plumb_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-ffp-contract=off -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes>)
target_include_directories(plumb_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(plumb_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(PLUMB_WERROR)
    target_compile_options(plumb_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-Werror>)
endif()
if(PLUMB_RACECHECK)
    add_compile_definitions(PLUMB_RACECHECK)
endif()
if(PLUMB_SANITIZE)
    if(PLUMB_SANITIZE STREQUAL "thread")
        set(sanitizers -fsanitize=thread)
    else()
        set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    endif()
    # Not for a target with the property PLUMB_UNSANITIZED: the flags of the target would come first and have no effect.
    set(here $<AND:$<COMPILE_LANGUAGE:C>,$<NOT:$<BOOL:$<TARGET_PROPERTY:PLUMB_UNSANITIZED>>>>)
    target_compile_options(plumb_flags INTERFACE "$<${here}:${sanitizers}>")
    target_compile_definitions(plumb_flags INTERFACE PLUMB_ARITH_CALLS) # arith/lane.h
    target_link_options(plumb_flags INTERFACE ${sanitizers})
    if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
        target_compile_options(plumb_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-Wno-pass-failed>) # checks keep loops from being vectorised
    endif()
endif()
