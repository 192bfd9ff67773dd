# plumb_arb_plugin.cmake - the plugin libplumb_arb.so: everything that needs FLINT. The library loads it when a certificate is asked
# for, so that the library and the programs run without FLINT, too.
if(NOT PLUMB_HAVE_ARB)
    return()
endif()
file(GLOB arb_sources CONFIGURE_DEPENDS solver/certify/arb/*.c)
add_library(plumb_arb MODULE ${arb_sources})
target_link_libraries(plumb_arb PRIVATE plumb_flint plumb_flags GMP::GMP)
set_target_properties(plumb_arb PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set_property(SOURCE solver/certify/load.c APPEND PROPERTY COMPILE_DEFINITIONS PLUMB_ARB_FILE="libplumb_arb.so")
add_dependencies(plumb_objects plumb_arb) # whoever uses the library of a build finds the plugin there
