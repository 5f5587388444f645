# One static library per layer. Files are chosen by name, so that no .cpp needs an #ifdef for its platform:
#   *_native.cpp, *_desktop*.cpp   only natively       *_web.cpp, *_gl.cpp, gl_*.cpp   only in the browser
#   *_rsvg_native.cpp, *_none_native.cpp   natively, with librsvg or without
#   engine_web*.cpp, page*.cpp     never in a library: their programs name them (what JavaScript calls must not be dropped)

# Sets `out` to the files that match the patterns and belong to this platform.
function(rollscope_sources out)
  file(GLOB found CONFIGURE_DEPENDS ${ARGN})
  if(EMSCRIPTEN)
    list(FILTER found EXCLUDE REGEX "_native\\.cpp$|_desktop[^/]*\\.cpp$")
  else()
    list(FILTER found EXCLUDE REGEX "_web[^/]*\\.cpp$|_gl\\.cpp$|/gl_[^/]*\\.cpp$")
    if(RSVG_FOUND)
      list(FILTER found EXCLUDE REGEX "_none_native\\.cpp$")
    else()
      list(FILTER found EXCLUDE REGEX "_rsvg_native\\.cpp$")
    endif()
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# rollscope_library(name sources [SPEED] [DEPS ...] [PRIVATE_DEPS ...])
# SPEED: -O3 in the browser too, where everything else is built for size (a first visit downloads it).
function(rollscope_library name sources)
  cmake_parse_arguments(arg "SPEED" "" "DEPS;PRIVATE_DEPS" ${ARGN})
  if(NOT sources)
    set(sources "${CMAKE_BINARY_DIR}/generated/no_sources.cpp")
  endif()
  add_library(rollscope_${name} STATIC ${sources})
  target_include_directories(rollscope_${name} PUBLIC src PRIVATE "${CMAKE_BINARY_DIR}/generated")
  target_link_libraries(rollscope_${name} PUBLIC ${arg_DEPS} PRIVATE rollscope_flags ${arg_PRIVATE_DEPS})
  add_dependencies(rollscope_${name} rollscope_generated)
  if(EMSCRIPTEN)
    target_compile_options(rollscope_${name} PRIVATE $<IF:$<BOOL:${arg_SPEED}>,-O3,-Oz>)
  endif()
endfunction()

# A layer is src/<name>/*.cpp, and those of its named subfolders.
function(rollscope_layer name)
  cmake_parse_arguments(arg "" "" "SUBFOLDERS" ${ARGN})
  set(patterns "src/${name}/*.cpp")
  foreach(folder ${arg_SUBFOLDERS})
    list(APPEND patterns "src/${name}/${folder}/*.cpp")
  endforeach()
  rollscope_sources(sources ${patterns})
  if(EMSCRIPTEN AND name STREQUAL "platform")
    # Exported functions of a library are dropped unless something in C++ calls them, so the programs
    # compile the web platform's files themselves; here stays what both platforms share.
    list(FILTER sources EXCLUDE REGEX "_web[^/]*\\.cpp$")
  endif()
  rollscope_library(${name} "${sources}" ${arg_UNPARSED_ARGUMENTS})
endfunction()

# Warnings are for our own sources; exceptions and RTTI cost size and are off in the browser.
add_library(rollscope_flags INTERFACE)
target_compile_options(rollscope_flags INTERFACE -Wall -Wextra
  "$<$<BOOL:${EMSCRIPTEN}>:-fno-exceptions;-fno-rtti;-ffunction-sections;-flto;SHELL:-include ${CMAKE_CURRENT_LIST_DIR}/older_libcxx.h>")
