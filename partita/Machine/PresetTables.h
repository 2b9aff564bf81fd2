//===- PresetTables.h - figures of known machines -------------------------===//
//
// What the tables of GPUs and TPUs have in common, and how a shape makes a
// machine of an entry. Only Presets.cpp and the tables include this.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_PRESETTABLES_H
#define PARTITA_MACHINE_PRESETTABLES_H

#include "partita/Machine/Presets.h"
#include "partita/Machine/Rooms.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace partita::machine {

/// `2*16x16`: slices * sizes.
struct MachineShape {
  int64_t slices = 1;
  llvm::SmallVector<int64_t, 3> sizes;
};

namespace presets {

constexpr int64_t operator""_us(long double value) { return static_cast<int64_t>(value * 1'000'000 + 0.5L); }
constexpr int64_t operator""_us(unsigned long long value) { return static_cast<int64_t>(value) * 1'000'000; }
constexpr int64_t operator""_gbs(long double value) { return static_cast<int64_t>(value * 1'000'000'000 + 0.5L); }
constexpr int64_t operator""_gbs(unsigned long long value) { return static_cast<int64_t>(value) * 1'000'000'000; }
constexpr int64_t operator""_tflops(long double value) {
  return static_cast<int64_t>(value * 100 + 0.5L) * 10'000'000'000;
}
constexpr int64_t operator""_tflops(unsigned long long value) {
  return static_cast<int64_t>(value) * 1'000'000'000'000;
}

/// A figure in a table: no allocation before it is asked for.
struct TableFigure {
  int64_t value = 0;
  const char *source = "";
  operator Figure() const { return {value, source}; }
};

struct TablePeak {
  const char *type;
  TableFigure flopsPerSecond;
};

std::vector<PresetInfo> listGpus();
std::vector<PresetInfo> listTpus();

/// An error if the shape is impossible; nothing if there is no such preset.
std::optional<Result<Machine>> buildGpu(llvm::StringRef name, const MachineShape &shape);
std::optional<Result<Machine>> buildTpu(llvm::StringRef name, const MachineShape &shape);

/// What `v5p-128` stands for.
struct CloudName {
  std::string preset;
  std::string shape;
  std::string note;
};
/// Nothing if the text is no such name, an error if there is no such slice.
std::optional<Result<CloudName>> parseCloudName(llvm::StringRef text);

/// What all tags in the tables mean.
std::vector<SourceNote> listSources();

/// Those of listSources that the machine's figures name.
std::vector<SourceNote> selectSources(const Machine &machine);

/// A usage error: the machine cannot have that shape.
Error shapeError(llvm::StringRef name, const MachineShape &shape, const llvm::Twine &reason, llvm::StringRef remedy);

std::string printShape(const MachineShape &shape);

} // namespace presets
} // namespace partita::machine

#endif
