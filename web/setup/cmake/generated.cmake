# Headers made from files that are not C++: shaders/ and web/tokens.json (generate.py says what they hold).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(generated "${CMAKE_BINARY_DIR}/generated")
file(MAKE_DIRECTORY "${generated}")
file(GENERATE OUTPUT "${generated}/no_sources.cpp" CONTENT "")

file(GLOB shaders CONFIGURE_DEPENDS shaders/*.vert shaders/*.frag)
set(generator "${CMAKE_SOURCE_DIR}/web/setup/cmake/generate.py")
set(dialect $<IF:$<BOOL:${EMSCRIPTEN}>,es,core>)
add_custom_command(OUTPUT "${generated}/shaders.h"
  COMMAND Python3::Interpreter "${generator}" shaders ${dialect} "${generated}/shaders.h" ${shaders}
  DEPENDS "${generator}" ${shaders} VERBATIM)

set(headers "${generated}/shaders.h")
if(EXISTS "${CMAKE_SOURCE_DIR}/web/tokens.json")
  add_custom_command(OUTPUT "${generated}/theme_tokens.h"
    COMMAND Python3::Interpreter "${generator}" theme "${generated}/theme_tokens.h" "${CMAKE_SOURCE_DIR}/web/tokens.json"
    DEPENDS "${generator}" web/tokens.json VERBATIM)
  list(APPEND headers "${generated}/theme_tokens.h")
endif()
add_custom_target(rollscope_generated DEPENDS ${headers})
