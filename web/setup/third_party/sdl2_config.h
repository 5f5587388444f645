// What the page does not use of SDL2, switched off before every SDL source: it would only be downloaded.
// Included first by the compiler (-include), after which SDL's own inclusion of its configuration is a no-op.
#pragma once
#include "SDL_config.h"

// No software blitting, run-length encoding or YUV: the page draws by WebGL alone.
#define SDL_LEAN_AND_MEAN 1

#undef SDL_AUDIO_DRIVER_DISK
#undef SDL_AUDIO_DRIVER_DUMMY
#undef SDL_AUDIO_DRIVER_EMSCRIPTEN
#undef SDL_JOYSTICK_EMSCRIPTEN
#undef SDL_JOYSTICK_VIRTUAL
#undef SDL_LOADSO_DLOPEN
#undef SDL_POWER_EMSCRIPTEN
#undef SDL_VIDEO_RENDER_OGL_ES2
#define SDL_AUDIO_DISABLED 1
#define SDL_JOYSTICK_DISABLED 1
#define SDL_LOADSO_DUMMY 1
#define SDL_POWER_DISABLED 1
#define SDL_RENDER_DISABLED 1
#define SDL_VIDEO_RENDER_SW 0
#undef SDL_HAPTIC_DISABLED
#undef SDL_HIDAPI_DISABLED
#undef SDL_SENSOR_DUMMY
#define SDL_HAPTIC_DISABLED 1
#define SDL_HIDAPI_DISABLED 1
#define SDL_SENSOR_DISABLED 1
