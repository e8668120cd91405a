# package_files.cmake - what a package has outside its prefix, or by another name. Run by cpack.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
file(COPY ${CPACK_ASKD_SOURCE}/deploy/debian/askd.env DESTINATION ${root}/etc/askd
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ)
file(RENAME ${root}/usr/share/doc/askd/LICENSE ${root}/usr/share/doc/askd/copyright)
