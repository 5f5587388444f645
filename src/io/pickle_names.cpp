#include "io/pickle_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rollscope {
namespace {

// Old spellings of modules.
std::string current(std::string_view module) {
  if (module == "__builtin__") return "builtins";
  if (module == "copy_reg") return "copyreg";
  std::string out(module);
  for (const auto& [old, now] : {std::pair<std::string_view, std::string_view>{"numpy._core", "numpy.core"}, {"cupy._core", "cupy.core"}})
    if (module.starts_with(old)) out = std::string(now) + out.substr(old.size());
  return out;
}

struct Entry {
  std::string_view module, name;
  PickleClass known;
};

using enum PickleClass;
constexpr Entry kKnown[] = {
    {"collections", "OrderedDict", mapping},
    {"collections", "defaultdict", mapping},
    {"collections", "Counter", mapping},
    {"builtins", "dict", mapping},
    {"types", "MappingProxyType", mapping},
    {"collections", "deque", sequence},
    {"builtins", "list", sequence},
    {"builtins", "tuple", sequence},
    {"builtins", "set", sequence},
    {"builtins", "frozenset", sequence},
    {"torch", "Size", sequence},
    {"torch.jit._pickle", "build_intlist", sequence},
    {"torch.jit._pickle", "build_tensorlist", sequence},
    {"torch.jit._pickle", "build_doublelist", sequence},
    {"torch.jit._pickle", "build_boollist", sequence},
    {"_codecs", "encode", byte_string},
    {"builtins", "bytes", byte_string},
    {"builtins", "bytearray", byte_string},
    {"copyreg", "_reconstructor", reconstructor},
    {"torch._utils", "_rebuild_parameter", first_argument},
    {"torch._utils", "_rebuild_parameter_with_state", first_argument},
    {"torch._utils", "_rebuild_device_tensor_from_numpy", first_argument},
    {"torch._utils", "_rebuild_device_tensor_from_cpu_tensor", first_argument},
    {"torch._utils", "_rebuild_xla_tensor", first_argument},
    {"torch.autograd.variable", "Variable", first_argument},
    {"torch.nn.parameter", "Parameter", first_argument},
    {"torch.nn.parameter", "Buffer", first_argument},
    {"torch.jit._pickle", "restore_type_tag", first_argument},
    {"tensorflow.python.framework.ops", "convert_to_tensor", first_argument},
    {"tensorflow.python.framework.tensor_conversion", "convert_to_tensor", first_argument},
    {"tensorflow.python.framework.tensor_conversion_registry", "convert", first_argument},
    {"torch._utils", "_rebuild_from_type", retyped},
    {"torch._tensor", "_rebuild_from_type", retyped},
    {"torch._tensor", "_rebuild_from_type_v2", retyped},
    {"torch.tensor", "_rebuild_from_type", retyped},
    {"torch", "_rebuild_from_type", retyped},
    {"torch.storage", "_load_from_bytes", nested_file},
    {"torch._utils", "_rebuild_tensor", tensor},
    {"torch._utils", "_rebuild_tensor_v2", tensor},
    {"torch._utils", "_rebuild_tensor_v3", tensor_v3},
    {"torch._utils", "_rebuild_sparse_tensor", sparse},
    {"torch._utils", "_rebuild_sparse_csr_tensor", sparse},
    {"torch._utils", "_rebuild_qtensor", quantised},
    {"torch._utils", "_rebuild_meta_tensor_no_storage", meta_tensor},
    {"torch._utils", "_rebuild_nested_tensor", nested_tensor},
    {"torch._utils", "_rebuild_wrapper_subclass", wrapper},
    {"numpy.core.multiarray", "_reconstruct", ndarray},
    {"numpy.core.numeric", "_frombuffer", frombuffer},
    {"numpy.core.multiarray", "scalar", scalar},
    {"numpy", "dtype", dtype},
    {"numpy.ma.core", "_mareconstruct", masked},
    {"jax._src.array", "_reconstruct_array", jax_array},
    {"jax._src.device_array", "reconstruct_device_array", jax_array},
    {"dill._dill", "_create_array", jax_array},
    {"dill.dill", "_create_array", jax_array},
    {"pandas.core.frame", "DataFrame", data_frame},
    {"numpy.dtypes", "StringDType", text_array},
};

// Packages, and everything below them.
constexpr std::string_view kPackages[] = {
    "os", "posix", "nt", "subprocess", "sys", "multiprocessing", "concurrent", "asyncio", "importlib", "ctypes", "_ctypes", "cffi", "pip", "ensurepip",
    "venv", "setuptools", "distutils", "dill", "cloudpickle", "joblib.externals", "requests", "urllib", "urllib2", "urllib3", "http", "httpx", "aiohttp",
    "xmlrpc", "unittest", "pytest", "test.support", "idlelib", "lib2to3", "pydoc", "logging.config", "dbm", "IPython", "paramiko", "fabric", "psutil",
    "pexpect", "boto3", "_pyrepl", "torch.hub", "torch.utils.bottleneck", "torch.utils.collect_env", "torch.utils.cpp_extension", "torch.utils.model_zoo",
    "torch.utils.data.datapipes", "torch._inductor.codecache", "torch._dynamo.guards", "torch.distributed.rpc", "torch.distributed.elastic",
    "torch.distributed.run", "torch.distributed.launch", "torch.testing", "numpy.testing", "numpy.f2py", "numpy.distutils", "numpy.ctypeslib"};

// Modules without anything below: a folder "code" of the author's own is another thing.
constexpr std::string_view kModules[] = {
    "posixpath", "ntpath", "_posixsubprocess", "commands", "popen2", "socket", "_socket", "socketserver", "ssl", "shutil", "tempfile", "fileinput",
    "runpy", "imp", "_imp", "pkgutil", "zipimport", "pickle", "_pickle", "cPickle", "shelve", "marshal", "code", "codeop", "pty", "tty", "platform",
    "webbrowser", "antigravity", "httplib", "ftplib", "smtplib", "poplib", "imaplib", "telnetlib", "nntplib", "threading", "_thread", "thread", "signal",
    "_signal", "resource", "mmap", "fcntl", "pdb", "bdb", "trace", "timeit", "profile", "cProfile", "_lsprof", "doctest", "gc", "winreg", "_winreg",
    "msvcrt", "_winapi", "site", "sched", "atexit", "linecache", "_aix_support", "_osx_support", "_bootsubprocess"};

struct Function {
  std::string_view module, name;
};
constexpr Function kFunctions[] = {
    {"builtins", "eval"}, {"builtins", "exec"}, {"builtins", "execfile"}, {"builtins", "compile"}, {"builtins", "__import__"}, {"builtins", "getattr"},
    {"builtins", "setattr"}, {"builtins", "delattr"}, {"builtins", "open"}, {"builtins", "file"}, {"builtins", "input"}, {"builtins", "raw_input"},
    {"builtins", "breakpoint"}, {"builtins", "globals"}, {"builtins", "locals"}, {"builtins", "vars"}, {"builtins", "apply"}, {"builtins", "reload"},
    {"builtins", "help"}, {"builtins", "exit"}, {"builtins", "quit"}, {"builtins", "map"}, {"builtins", "filter"}, {"io", "open"}, {"io", "open_code"},
    {"io", "FileIO"}, {"_io", "open"}, {"_io", "open_code"}, {"_io", "FileIO"}, {"operator", "attrgetter"}, {"operator", "methodcaller"}, {"operator", "call"},
    {"_operator", "attrgetter"}, {"_operator", "methodcaller"}, {"_operator", "call"}, {"functools", "reduce"}, {"_functools", "reduce"}, {"itertools", "starmap"},
    {"types", "CodeType"}, {"types", "FunctionType"}, {"types", "LambdaType"}, {"types", "MethodType"}, {"types", "ModuleType"}, {"codecs", "open"},
    {"bz2", "open"}, {"gzip", "open"}, {"lzma", "open"}, {"tarfile", "open"}, {"sqlite3", "connect"}, {"uuid", "_popen"}, {"uuid", "_get_command_stdout"},
    {"torch", "load"}, {"torch", "save"}, {"torch", "compile"}, {"torch", "ops.load_library"}, {"torch", "classes.load_library"}, {"torch", "hub"},
    {"torch.serialization", "load"}, {"torch.serialization", "_load"}, {"torch.serialization", "_legacy_load"}, {"torch.serialization", "save"},
    {"torch.jit", "load"}, {"torch.jit._serialization", "load"}, {"torch.jit.unsupported_tensor_ops", "execWrapper"}, {"torch.utils._config_module", "ConfigModule.load_config"},
    {"torch.utils._config_module", "load_config"}, {"torch.fx.experimental.symbolic_shapes", "ShapeEnv.evaluate_guards_expression"},
    {"torch.fx.graph_module", "reduce_graph_module"}, {"torch.fx.graph_module", "reduce_package_graph_module"}, {"torch.fx.graph_module", "_forward_from_src"},
    {"torch.fx.graph_module", "_exec_with_source"}, {"numpy", "load"}, {"numpy", "loads"}, {"numpy", "save"}, {"numpy", "fromfile"}, {"numpy.lib.npyio", "load"},
    {"numpy.lib._npyio_impl", "load"}, {"pandas", "read_pickle"}, {"pandas", "eval"}, {"pandas.io.pickle", "read_pickle"}, {"pandas.core.computation.eval", "eval"},
    {"joblib", "load"}, {"joblib.numpy_pickle", "load"}, {"sklearn.externals.joblib", "load"}, {"yaml", "load"}, {"yaml", "unsafe_load"}, {"keras.models", "load_model"},
};

bool below(std::string_view full, std::string_view module) {
  return full.starts_with(module) && (full.size() == module.size() || full[module.size()] == '.');
}

bool listed(std::string_view full) {
  for (const auto package : kPackages)
    if (below(full, package)) return true;
  for (const auto module : kModules)
    if (below(full, module) && full.find('.', module.size() + 1) == full.npos) return true;
  for (const Function& f : kFunctions)
    if (full.size() > f.module.size() + f.name.size() && full[f.module.size()] == '.' && full.starts_with(f.module) && below(full.substr(f.module.size() + 1), f.name))
      return true;
  return false;
}

}  // namespace

PickleClass pickle_class(std::string_view module, std::string_view name) {
  const std::string now = current(module);
  for (const Entry& e : kKnown)
    if (e.name == name && e.module == now) return e.known;
  if (name == "Variable" && module.starts_with("torch.autograd")) return first_argument;
  return other;
}

bool is_dangerous(std::string_view module, std::string_view name) {
  const std::string full = current(module) + "." + std::string(name);
  if (full == "dill._dill._create_array" || full == "dill.dill._create_array") return false;  // numpy's arrays, as dill calls them
  if (listed(full)) return true;
  // Attributes reach further than modules: "torch" "os.system", "collections" "OrderedDict.__init__.__globals__".
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    const bool whole = at == 0 && end == name.size();
    if (part.starts_with("__") && !(whole && (part == "__newobj__" || part == "__newobj_ex__"))) return true;
    if (!whole && (listed(name.substr(at)) || listed("builtins." + std::string(part)))) return true;
    at = end + 1;
  }
  return false;
}

std::optional<DType> torch_type(std::string_view name) {
  struct Type {
    std::string_view storage, dtype;
    DType type;
  };
  constexpr Type kTypes[] = {{"FloatStorage", "float32", DType::f32},   {"DoubleStorage", "float64", DType::f64}, {"HalfStorage", "float16", DType::f16},
                             {"BFloat16Storage", "bfloat16", DType::bf16}, {"LongStorage", "int64", DType::i64},    {"IntStorage", "int32", DType::i32},
                             {"ShortStorage", "int16", DType::i16},     {"CharStorage", "int8", DType::i8},       {"ByteStorage", "uint8", DType::u8},
                             {"BoolStorage", "bool", DType::boolean},   {"UntypedStorage", "float", DType::u8},   {"_UntypedStorage", "half", DType::u8},
                             {"", "uint16", DType::u16},                {"", "uint32", DType::u32},               {"", "uint64", DType::u64},
                             {"", "float8_e4m3fn", DType::f8_e4m3},     {"", "float8_e5m2", DType::f8_e5m2}};
  if (name.empty()) return std::nullopt;
  if (name == "float") return DType::f32;
  if (name == "double") return DType::f64;
  if (name == "half") return DType::f16;
  if (name == "long") return DType::i64;
  for (const Type& t : kTypes)
    if (name == t.storage || name == t.dtype) return t.type;
  return std::nullopt;
}

}  // namespace rollscope
