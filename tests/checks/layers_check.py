"""The includes of src/ follow the design, and the check that says so can fail."""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from layers import violations  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


class LayersCheck(unittest.TestCase):
    def copy(self):
        """A copy of src/ that a test may spoil."""
        folder = Path(tempfile.mkdtemp(prefix="rollscope-layers-"))
        self.addCleanup(shutil.rmtree, folder)
        shutil.copytree(ROOT / "src", folder / "src")
        self.before = set(violations(folder))
        return folder

    def added(self, folder):
        """What is wrong in the copy since it was made."""
        return sorted(set(violations(folder)) - self.before)

    def test_every_include_of_the_tree_points_the_right_way(self):
        self.assertEqual([], list(violations(ROOT)))

    def test_an_include_against_the_order_is_found(self):
        folder = self.copy()
        (folder / "src/scene").mkdir(exist_ok=True)
        (folder / "src/scene/picture.h").write_text("#pragma once\n")
        (folder / "src/methods/wrong.cpp").write_text('// why\n#include "scene/picture.h"\n')
        self.assertEqual(["src/methods/wrong.cpp:2: methods/ must not know scene/ (scene/picture.h)"], self.added(folder))

    def test_an_include_by_a_relative_path_is_found(self):
        folder = self.copy()
        (folder / "src/base/wrong.h").write_text('#include "../dump/dump.h"\n')
        (folder / "src/dump/dump.h").touch()
        self.assertEqual(["src/base/wrong.h:1: base/ must not know dump/ (../dump/dump.h)"], self.added(folder))

    def test_only_app_and_gpu_know_the_platform(self):
        folder = self.copy()
        (folder / "src/platform/thing.h").write_text("#pragma once\n")
        (folder / "src/gpu/right.cpp").write_text('#include "platform/thing.h"\n')
        (folder / "src/scene/wrong.cpp").write_text('#include "platform/thing.h"\n')
        self.assertEqual(["src/scene/wrong.cpp:1: scene/ must not know platform/ (platform/thing.h)"], self.added(folder))

    def test_a_library_outside_its_room_is_found(self):
        folder = self.copy()
        (folder / "src/io/wrong.cpp").write_text("#include <Eigen/Dense>\n")
        (folder / "src/scene/wrong.cpp").write_text("#include <imgui.h>\n")
        self.assertEqual(2, len(self.added(folder)))

    def test_a_platform_ifdef_is_found(self):
        folder = self.copy()
        (folder / "src/io/wrong.cpp").write_text("#ifdef __EMSCRIPTEN__\n#endif\n")
        self.assertEqual(1, len(self.added(folder)))


if __name__ == "__main__":
    unittest.main()
