#include <cairo.h>
#include <librsvg/rsvg.h>

#include <memory>

#include "platform/svg_raster.h"

namespace rollscope {
namespace {

struct Unref {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
  void operator()(GError* error) const { g_error_free(error); }
};

cairo_status_t append(void* to, const unsigned char* bytes, unsigned int count) {
  auto* out = static_cast<std::vector<std::uint8_t>*>(to);
  out->insert(out->end(), bytes, bytes + count);
  return CAIRO_STATUS_SUCCESS;
}

tl::unexpected<Error> refused(GError* error) {
  const std::unique_ptr<GError, Unref> owned(error);
  return fail(ErrorCode::read_failed, {{"file", "the figure"}, {"detail", error ? error->message : "librsvg does not say why"}});
}

}  // namespace

Result<std::vector<std::uint8_t>> png_of_svg(std::string_view svg, int width, int height) {
  GError* error = nullptr;
  const std::unique_ptr<RsvgHandle, Unref> handle(rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
  if (!handle) return refused(error);
  const std::unique_ptr<cairo_surface_t, Unref> surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
  const std::unique_ptr<cairo_t, Unref> cairo(cairo_create(surface.get()));
  if (cairo_status(cairo.get()) != CAIRO_STATUS_SUCCESS) return fail(ErrorCode::out_of_memory, {{"file", "the picture"}, {"needed", std::to_string(4LL * width * height) + " bytes"}});
  const RsvgRectangle all{0, 0, static_cast<double>(width), static_cast<double>(height)};
  if (!rsvg_handle_render_document(handle.get(), cairo.get(), &all, &error)) return refused(error);
  std::vector<std::uint8_t> out;
  if (cairo_surface_write_to_png_stream(surface.get(), append, &out) != CAIRO_STATUS_SUCCESS) return refused(nullptr);
  return out;
}

}  // namespace rollscope
