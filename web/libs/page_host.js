// The JavaScript half of src/platform/host_web.cpp: decodes strings and hands over to Module.host (web/host.js).
// Numbers only, no state: whatever is remembered lives there.
mergeInto(LibraryManager.library, {
  rs_host_request_frame: function () { Module["host"].requestFrame(); },
  rs_host_request_frame_in: function (ms) { Module["host"].requestFrameIn(ms); },
  rs_host_now: function () { return performance.now(); },
  rs_host_ask: function (number, verb, verbSize, args, argsSize) {
    Module["host"].ask(number >>> 0, UTF8ToString(verb, verbSize), UTF8ToString(args, argsSize));
  },
  rs_host_cancel: function (number) { Module["host"].cancel(number >>> 0); },
  rs_host_cursor: function (css, size) { Module["host"].cursor(UTF8ToString(css, size)); },
  rs_host_tell: function (event, eventSize, detail, detailSize) {
    Module["host"].tell(UTF8ToString(event, eventSize), UTF8ToString(detail, detailSize));
  },
  rs_host_label: function (text, size, px, bold, x, y, w, h, rgba, width, height) {
    Module["host"].label(UTF8ToString(text, size), px, bold !== 0, x, y, w, h, HEAPU8.subarray(rgba >>> 0, (rgba >>> 0) + width * height * 4), width);
  },
  rs_host_measure: function (text, size, px, bold) {
    return Module["host"].measure(UTF8ToString(text, size), px, bold !== 0);
  },
});
