# Finds the toolchain file of whatever emcc is on the PATH: apt's (Debian 12 and 13) or an activated emsdk.
find_program(emcc_program emcc REQUIRED)
get_filename_component(emcc_real "${emcc_program}" REALPATH)
get_filename_component(emscripten_root "${emcc_real}" DIRECTORY)
include("${emscripten_root}/cmake/Modules/Platform/Emscripten.cmake")
