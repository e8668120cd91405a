# package.cmake - the Debian package: `cpack --config build/release/CPackConfig.cmake` writes it.
#
# Which packages it needs, dpkg-shlibdeps reads off the program; deploy/debian has its scripts.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME askd)
set(CPACK_PACKAGE_VENDOR askd)
set(CPACK_PACKAGE_CONTACT "the people of askd <askd@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "answers questions about data")
set(CPACK_PACKAGE_DESCRIPTION "Ask a database and documents in plain words; get an answer, the SQL it
came from, the rows, a chart and the sources, streamed while they are made.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "poppler-utils")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(control ${CMAKE_SOURCE_DIR}/deploy/debian)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${control}/postinst ${control}/prerm ${control}/postrm ${control}/conffiles)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/package_files.cmake)
set(CPACK_ASKD_SOURCE ${CMAKE_SOURCE_DIR})
include(CPack)
