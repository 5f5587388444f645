# The two modules of the page. Each is left out while its sources are not there.
#   engine  reads dumps and computes, in workers; one classic script, the wasm bytes are handed over as
#           Module.wasmBinary, so that it also starts from a Blob
#   page    draws: scene, gpu, ui and Dear ImGui in a window of SDL2
# JavaScript that C++ calls lies in web/libs/engine_*.js and page_*.js (emscripten's --js-library form).

# 3.1.69 renamed the stack's setting; the old name is an error there and the new one here.
if(EMSCRIPTEN_VERSION VERSION_LESS 3.1.27)
  set(stack_setting TOTAL_STACK)
else()
  set(stack_setting STACK_SIZE)
endif()

# No eval and no virtual files: the page's Content-Security-Policy forbids the first, the second is not used.
# A failed malloc returns null: "out of memory" is a message here, never an abort.
set(common_link_options
  -fno-exceptions -fno-rtti -flto
  -sMODULARIZE=1 -sDYNAMIC_EXECUTION=0 -sFILESYSTEM=0 -sUSE_SDL=0
  -sMALLOC=emmalloc -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2147483648 -sABORTING_MALLOC=0 -s${stack_setting}=1048576
  -sINCOMING_MODULE_JS_API=wasmBinary,canvas,print,printErr,onAbort,locateFile,instantiateWasm,onRuntimeInitialized
  "-sEXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8,HEAPU8,HEAP32,HEAPU32,HEAPF32,HEAPF64"
  --no-entry)

# Exports malloc, free and the functions that the header declares at the start of a line. The header is the only
# list: a function that it names and nobody defines is a link error.
function(rollscope_exports target header)
  file(STRINGS "${header}" lines REGEX "^[a-z].*[ *][a-z_]+\\(.*;")
  set(names _malloc _free)
  foreach(line ${lines})
    string(REGEX REPLACE "^[a-z][^(]*[ *]([a-z_]+)\\(.*" "_\\1" name "${line}")
    list(APPEND names ${name})
  endforeach()
  list(JOIN names "," names)
  target_link_options(${target} PRIVATE "-sEXPORTED_FUNCTIONS=${names}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
endfunction()

# Links `target` with the --js-library files that match `pattern`, and again when one of them changes.
function(rollscope_js_libraries target pattern)
  file(GLOB libraries CONFIGURE_DEPENDS "${pattern}")
  foreach(library ${libraries})
    target_link_options(${target} PRIVATE "SHELL:--js-library ${library}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${library}")
  endforeach()
endfunction()

# A last pass over a linked module, which the compiler's own leaves 1 % to. Where it fails, the module stays as it is.
find_program(ROLLSCOPE_WASM_OPT wasm-opt HINTS /usr/lib/emscripten/upstream/bin "$ENV{EMSDK}/upstream/bin")
function(rollscope_shrink target)
  if(ROLLSCOPE_WASM_OPT)
    set(wasm "$<TARGET_FILE_DIR:${target}>/${target}.wasm")
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM COMMAND sh -c
      "\"${ROLLSCOPE_WASM_OPT}\" --reorder-locals --merge-locals --coalesce-locals -Oz --enable-simd --enable-bulk-memory --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int \"$1\" -o \"$1.small\" && mv \"$1.small\" \"$1\" || true" sh "${wasm}")
  endif()
endfunction()

# engine: all of it. engine-first: what the first visit with an example needs; the page takes the other when it is asked
# for more (engine-client.js).
file(GLOB engine_sources CONFIGURE_DEPENDS src/app/engine*.cpp src/platform/engine_web*.cpp)
foreach(set all first)
  if(set STREQUAL all)
    set(name engine)
  else()
    set(name engine-first)
  endif()
  add_executable(${name} ${engine_sources} ${rollscope_${set}})
  target_compile_options(${name} PRIVATE -Oz)
  target_include_directories(${name} PRIVATE "${CMAKE_BINARY_DIR}/generated")
  target_link_libraries(${name} PRIVATE rollscope_flags rollscope_session rollscope_platform)
  # Memory grows by a twentieth, not by the usual fifth: a large dump takes what it needs and little more.
  target_link_options(${name} PRIVATE -Oz ${common_link_options} -sEXPORT_NAME=RollscopeEngine -sENVIRONMENT=web,worker
    -sMEMORY_GROWTH_GEOMETRIC_STEP=0.05)
  rollscope_exports(${name} "${CMAKE_SOURCE_DIR}/src/app/engine.h")
  rollscope_js_libraries(${name} web/libs/engine_*.js)
  rollscope_shrink(${name})
endforeach()

file(GLOB page_sources CONFIGURE_DEPENDS src/app/page*.cpp src/platform/*_web.cpp)
list(FILTER page_sources EXCLUDE REGEX "/engine_web")
file(GLOB page_main CONFIGURE_DEPENDS src/app/page*.cpp)
if(page_main)
  add_executable(page ${page_sources})
  set_target_properties(page PROPERTIES SUFFIX .mjs)
  target_compile_options(page PRIVATE -Oz)
  target_include_directories(page PRIVATE "${CMAKE_BINARY_DIR}/generated")
  target_link_libraries(page PRIVATE rollscope_flags
    rollscope_ui rollscope_gpu rollscope_scene rollscope_platform rollscope_imgui rollscope_sdl2 rollscope_gl)
  target_link_options(page PRIVATE -Oz ${common_link_options} -sEXPORT_ES6=1 -sENVIRONMENT=web
    -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2)
  rollscope_exports(page "${CMAKE_SOURCE_DIR}/src/app/page.h")
  rollscope_js_libraries(page web/libs/page_*.js)
  rollscope_shrink(page)
endif()
