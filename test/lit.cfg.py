"""How lit runs test/<Room>/*.mlir: each file's RUN lines, with the tools of the build folder and LLVM's on the path.

lit -v test                         the binaries of build/
lit -v -D build=build/asan test     those of another build folder
"""

import os
import sys
from pathlib import Path

import lit.formats

# lit gives these two names to its configuration files.
config = globals()["config"]
lit_config = globals()["lit_config"]

repository = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(repository / "scripts"))
from llvm_tools import find_tool  # noqa: E402

build = Path(lit_config.params.get("build", repository / "build")).resolve()
llvm_tools = str(Path(find_tool("FileCheck", build)).parent)

config.name = "Partita"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# Programs in these folders are read by Python tests.
config.excludes = ["Build", "Docs", "Conformance", "Robustness", "Shared", "Inputs"]
config.test_source_root = str(repository / "test")
config.test_exec_root = str(build / "lit")

# partita, partita-opt, FileCheck, not, split-file.
config.environment["PATH"] = os.pathsep.join([str(build / "bin"), llvm_tools, os.environ["PATH"]])
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

for tool in ("partita-opt", "partita"):
    if not (build / "bin" / tool).is_file():
        lit_config.warning(f"{build / 'bin' / tool} has not been built")
