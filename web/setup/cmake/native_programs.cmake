# The command line and the tests.

rollscope_sources(cli_sources src/app/cli*.cpp)
if(cli_sources)
  add_executable(rollscope ${cli_sources} ${rollscope_all})
  target_link_libraries(rollscope PRIVATE rollscope_flags rollscope_session rollscope_figure rollscope_platform)
  target_include_directories(rollscope PRIVATE "${CMAKE_BINARY_DIR}/generated")
endif()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/unit/*_test.cpp)
add_executable(rollscope_tests tests/unit/main.cpp ${test_sources} ${rollscope_all})
target_link_libraries(rollscope_tests PRIVATE rollscope_flags
  rollscope_session rollscope_ui rollscope_gpu rollscope_figure rollscope_scene rollscope_platform
  rollscope_imgui rollscope_zlib)
# tests/unit holds what tests share (vectors.h and the like); tests read files below ROLLSCOPE_TEST_DATA.
target_include_directories(rollscope_tests PRIVATE tests/unit "${CMAKE_BINARY_DIR}/generated")
target_compile_definitions(rollscope_tests PRIVATE
  ROLLSCOPE_TEST_DATA="${CMAKE_SOURCE_DIR}/tests" ROLLSCOPE_DEPS="${ROLLSCOPE_DEPS}")

# One libFuzzer program per tests/fuzz/NAME_fuzz.cpp.
if(ROLLSCOPE_FUZZ)
  add_custom_target(fuzzers)
  file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/*_fuzz.cpp)
  foreach(source ${fuzzers})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source} ${rollscope_all})
    target_link_libraries(${name} PRIVATE rollscope_flags rollscope_session rollscope_platform)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
  endforeach()
endif()

# Programs that time things (tests/run bench).
file(GLOB bench_sources CONFIGURE_DEPENDS tests/bench/*_bench.cpp)
if(bench_sources)
  add_executable(rollscope_bench EXCLUDE_FROM_ALL ${bench_sources} ${rollscope_all})
  target_link_libraries(rollscope_bench PRIVATE rollscope_flags rollscope_session rollscope_scene rollscope_platform rollscope_eigen)
endif()
