# The libraries that packages bring, as targets. web/setup links or builds them into ${ROLLSCOPE_DEPS}.
# Native zlib, SDL2 and Eigen come from the machine; the browser's SDL2, zlib and Dear ImGui were compiled
# there once, because they change with a package and not with our sources.
set(deps "${ROLLSCOPE_DEPS}")
set(libs "${deps}/$<IF:$<BOOL:${EMSCRIPTEN}>,web,native>/lib")

# tl::expected, {fmt}, RapidJSON, fast_float: headers alone, in a folder of links, because emcc must not see /usr/include.
add_library(rollscope_headers INTERFACE)
target_include_directories(rollscope_headers SYSTEM INTERFACE "${deps}/include")
target_compile_definitions(rollscope_headers INTERFACE FMT_HEADER_ONLY=1)
if(EMSCRIPTEN)
  # Number formats that nobody here writes; each would be downloaded by everyone (std::locale alone is 40 kB).
  target_compile_definitions(rollscope_headers INTERFACE
    "FMT_STATIC_THOUSANDS_SEPARATOR=','" FMT_USE_LONG_DOUBLE=0 FMT_USE_INT128=0)
endif()

add_library(rollscope_eigen INTERFACE)
target_include_directories(rollscope_eigen SYSTEM INTERFACE "${deps}/include/eigen3")
target_compile_definitions(rollscope_eigen INTERFACE EIGEN_MPL2_ONLY)

add_library(rollscope_imgui INTERFACE)
target_include_directories(rollscope_imgui SYSTEM INTERFACE "${deps}/imgui" "${deps}/imgui/backends")
target_compile_definitions(rollscope_imgui INTERFACE IMGUI_USER_CONFIG="${CMAKE_SOURCE_DIR}/web/setup/cmake/config_for_imgui.h")
target_link_libraries(rollscope_imgui INTERFACE "${libs}/libimgui.a")

add_library(rollscope_zlib INTERFACE)
add_library(rollscope_sdl2 INTERFACE)
add_library(rollscope_gl INTERFACE)
if(EMSCRIPTEN)
  target_include_directories(rollscope_zlib SYSTEM INTERFACE "${deps}/zlib")
  target_link_libraries(rollscope_zlib INTERFACE "${libs}/libz.a")
  target_include_directories(rollscope_sdl2 SYSTEM INTERFACE "${deps}/sdl2/include")
  target_link_libraries(rollscope_sdl2 INTERFACE "${libs}/libSDL2.a")
  target_compile_definitions(rollscope_gl INTERFACE IMGUI_IMPL_OPENGL_ES3)
else()
  find_package(ZLIB REQUIRED)
  find_package(SDL2 REQUIRED CONFIG)
  # PNG of figures on the command line (src/platform/svg_raster.h). Optional: librsvg2-dev brings two dozen packages, and
  # an SVG is what a paper wants.
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(RSVG QUIET IMPORTED_TARGET librsvg-2.0>=2.52 cairo)
  endif()
  target_link_libraries(rollscope_zlib INTERFACE ZLIB::ZLIB)
  target_link_libraries(rollscope_sdl2 INTERFACE SDL2::SDL2)
endif()
