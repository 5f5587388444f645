// What the names in a pickle stand for: constructors that Rollscope knows how to read, and names that no dump of
// numbers has any business with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dump/dump.h"

namespace rollscope {

enum class PickleClass : std::uint8_t {
  other,
  mapping,        // OrderedDict, defaultdict, Counter ...: a dict, perhaps given as first argument
  sequence,       // deque, list, set, torch.Size ...: a list, perhaps given as first argument
  byte_string,    // _codecs.encode, bytes, bytearray
  reconstructor,  // copyreg._reconstructor(class, base, state of the base)
  first_argument, // as good as its first argument: _rebuild_parameter, Variable, EagerTensor
  retyped,        // _rebuild_from_type_v2(function, class, arguments, state)
  nested_file,    // torch.storage._load_from_bytes: a whole torch file as a byte string
  tensor,         // (storage, offset, size, stride, ...)
  tensor_v3,      // the same; the type of numbers is the seventh argument
  sparse, quantised, meta_tensor, nested_tensor, wrapper,  // tensors without plain numbers
  ndarray, frombuffer, scalar, dtype, masked,   // of numpy
  jax_array,      // (function, arguments, state of ndarray, ...): jax, dill
  data_frame,
  text_array,     // numpy.dtypes.StringDType
};

struct PickleName {
  std::string module, name;
  PickleClass known = PickleClass::other;
  [[nodiscard]] std::string full() const { return module + "." + name; }
};

[[nodiscard]] PickleClass pickle_class(std::string_view module, std::string_view name);

// Names that run code, or reach it: "os.system", "builtins.eval", "torch.load". A class of a library or of the
// author's own module is not dangerous, whatever it is: it is not imported.
[[nodiscard]] bool is_dangerous(std::string_view module, std::string_view name);

// Numbers of a torch storage class or dtype: "FloatStorage", "float32", "float8_e4m3fn". Nothing: not read here.
[[nodiscard]] std::optional<DType> torch_type(std::string_view name);

}  // namespace rollscope
