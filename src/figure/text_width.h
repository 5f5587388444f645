// How wide words will be in a picture that is drawn elsewhere, where no font can be asked.
//
// Widths come from a table: printable ASCII as IBM Plex Sans has it (the first of the faces that a figure names; read
// from its hmtx table), every other script by one number. Whoever lays out text leaves kFaceSlack of room, because the
// reader's face may be another: DejaVu Sans, the widest of the usual ones, is up to 16 % wider in running text.
//
//   em            script
//   .24 to .93    ASCII, by character
//   0             marks that combine with the character before them, joiners, variation selectors
//   .6            Latin with accents, Greek, Cyrillic, Hebrew, Arabic, and what is in no other row
//   .65           Devanagari to Sinhala, Thai, Lao, Tibetan, Khmer
//   .5            half-width kana
//   1             Han, kana, Hangul, full-width forms, signs and arrows, box drawing
//   1.3           emoji (Noto Color Emoji: 1.25); one that others are joined to counts once
#pragma once

#include <string>
#include <string_view>

namespace rollscope::figure {

inline constexpr double kFaceSlack = 1.16;

// Width of UTF-8 text at `px`, in the unit of `px`. Cost: the characters.
[[nodiscard]] double text_width(std::string_view text, double px, bool bold = false);

// The text where it fits into `room` with kFaceSlack, else its beginning and an ellipsis; "" where not even that fits.
// Never cuts between a character and the marks that belong to it.
[[nodiscard]] std::string cut_text(std::string_view text, double px, bool bold, double room);

// Whether a letter of a script written from right to left is in it.
[[nodiscard]] bool has_right_to_left(std::string_view text);

}  // namespace rollscope::figure
