#include "app/cli_files.h"

#include <algorithm>
#include <filesystem>

namespace rollscope {

namespace fs = std::filesystem;

Result<std::vector<std::string>> files_with(const std::vector<std::string>& names, const std::vector<std::string_view>& endings) {
  std::vector<std::string> out;
  for (const auto& name : names) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      out.push_back(name);
      continue;
    }
    std::vector<std::string> found;
    fs::directory_iterator at(name, error);
    for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
      const std::string path = at->path().string();
      const bool wanted = std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return path.ends_with(ending); });
      std::error_code unknown;
      if (wanted && fs::is_regular_file(at->path(), unknown)) found.push_back(path);
    }
    if (error) return fail(ErrorCode::read_failed, {{"file", name}, {"detail", error.message()}});
    if (found.empty()) {
      std::string all;
      for (const auto ending : endings) all += (all.empty() ? "" : ", ") + std::string(ending);
      return fail(ErrorCode::empty, {{"file", name}, {"detail", "the folder holds no file that ends in " + all}});
    }
    std::sort(found.begin(), found.end());
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace rollscope
