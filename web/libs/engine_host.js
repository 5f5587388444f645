// What engine.wasm calls (emscripten --js-library). The worker, or the page where no worker starts, sets
// Module.readSource(source, offset, pointer, length): it fills the heap and returns true, or false when it cannot.
mergeInto(LibraryManager.library, {
  rs_host_read: function (source, offset, pointer, length) {
    try {
      return Module["readSource"](source, offset, pointer, length) ? 1 : 0;
    } catch (cause) {
      err("readSource: " + cause);
      return 0;
    }
  },
});
