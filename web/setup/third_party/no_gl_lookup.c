// SDL takes the address of eglGetProcAddress, and Emscripten's own would bring a table of every GL function, with the
// JavaScript of each. Our GL calls are linked by name; SDL itself only asks whether it could look one up.
typedef void (*Function)(void);

Function eglGetProcAddress(const char* name) {
  (void)name;
  return 0;
}
