// The native tests: every tests/unit/**/*_test.cpp is linked to this runner.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
