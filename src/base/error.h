// What can go wrong with input from outside, one row each in error_codes.inc: code, what is wrong, what to do.
//
// Functions that can fail on bytes from outside return Result<T>; a broken contract inside the program asserts.
// Text is made late: an Error carries its code and named values, so that the page can say it in another language.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace rollscope {

enum class ErrorCode {
#define ROLLSCOPE_ERROR(code, what, fix) code,
#include "base/error_codes.inc"
#undef ROLLSCOPE_ERROR
};

// Named values for the {placeholders} of a row, in the order in which they were given.
using Params = std::map<std::string, std::string, std::less<>>;

struct Error {
  ErrorCode code;
  Params params;
};

template <class T>
using Result = tl::expected<T, Error>;

// Shorthand: `return fail(ErrorCode::truncated_data, {{"expected", "12"}, {"found", "4"}});`
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, Params params = {}) {
  return tl::unexpected<Error>(Error{code, std::move(params)});
}

// The error for a file that is recognised and not read: a row of foreign_kinds.inc, with its own remedy. `format` names
// the format where a kind has several. Precondition: the row exists.
[[nodiscard]] Error foreign_file(std::string_view kind, std::string_view format = {});

// "truncated_data"; stable, scripts match on it.
[[nodiscard]] std::string_view error_name(ErrorCode code);
// The row's text with its {placeholders} filled; a placeholder without a value is left out with its braces.
[[nodiscard]] std::string error_text(const Error& error);
[[nodiscard]] std::string error_fix(const Error& error);
// Exit status of the command line: 2 for usage (wrong option, index out of range, method that a stream cannot
// have), 1 for input that cannot be used.
[[nodiscard]] int error_exit_status(ErrorCode code);

// Replaces each {name} in `text` by params[name].
[[nodiscard]] std::string fill(std::string_view text, const Params& params);

}  // namespace rollscope
