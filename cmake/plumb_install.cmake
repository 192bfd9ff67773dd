# plumb_install.cmake - what make install leaves: header, both libraries, the program, its man page, and the two ways other
# builds find us: find_package(plumb) and pkg-config.
#
# The libraries are built from objects, so what the static one needs is not in its targets: it is written down here once,
# and goes into plumbConfig.cmake and plumb.pc alike.
include(CMakePackageConfigHelpers)

set(private_link_flags "")
if(PLUMB_CUDA_RUNTIME)
    list(APPEND private_link_flags -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static)
endif()
list(APPEND private_link_flags -pthread -lm -ldl)
if(PLUMB_CUDA_RUNTIME) # nvcc's launch code guards its statics with calls into libstdc++
    list(APPEND private_link_flags -lstdc++ -lrt)
endif()
list(JOIN private_link_flags " " PLUMB_PRIVATE_LINK_FLAGS)

file(RELATIVE_PATH PLUMB_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/plumb.pc.in plumb.pc @ONLY)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)
configure_package_config_file(cmake/plumbConfig.cmake.in plumbConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(plumbConfigVersion.cmake COMPATIBILITY ${PLUMB_COMPATIBILITY})

install(TARGETS plumb EXPORT plumbTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS plumb_static EXPORT plumbTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET plumb_arb)
    install(TARGETS plumb_arb LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/plumb)
endif()
if(TARGET plumb_mpi)
    install(TARGETS plumb_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/plumb)
endif()
install(TARGETS plumb_program plumb_bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT plumbTargets NAMESPACE plumb:: DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/plumbConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/plumbConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/plumb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES include/plumb.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY bench/report DESTINATION ${CMAKE_INSTALL_DATADIR}/plumb PATTERN __pycache__ EXCLUDE)
install(FILES docs/plumb.1 docs/plumb-bench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
file(GLOB pages CONFIGURE_DEPENDS docs/*.md)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples/c DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
if(NOT CMAKE_CROSSCOMPILING)
    set(completion_dir ${PROJECT_BINARY_DIR}/completion)
    install(FILES ${completion_dir}/plumb ${completion_dir}/plumb-bench DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${completion_dir}/_plumb ${completion_dir}/_plumb-bench DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${completion_dir}/plumb.fish ${completion_dir}/plumb-bench.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
