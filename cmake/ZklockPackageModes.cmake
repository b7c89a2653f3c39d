# Run by cpack between installing and packing: gives each directory the mode that Debian wants. CMake makes them with that of
# the builder's umask, also where CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS says otherwise.
cmake_policy(VERSION 3.25)
file(GLOB_RECURSE paths LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(path IN LISTS paths)
  if(IS_DIRECTORY "${path}" AND NOT IS_SYMLINK "${path}")
    file(CHMOD "${path}"
      PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
