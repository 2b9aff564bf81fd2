//===- PresetTables.h - shared by the tables of GPUs and TPUs -------------===//
//
// The types of table entries, and the functions that turn an entry and a shape
// into a machine. Only Presets.cpp, GpuPresets.cpp and TpuPresets.cpp include
// this.
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

/// To the nearest integer; std::lround is no constant expression.
constexpr int64_t roundPositive(long double value) {
  auto floor = static_cast<int64_t>(value);
  return value - static_cast<long double>(floor) < 0.5L ? floor : floor + 1;
}

constexpr int64_t operator""_us(long double value) { return roundPositive(value * 1'000'000); }
constexpr int64_t operator""_us(unsigned long long value) { return static_cast<int64_t>(value) * 1'000'000; }
constexpr int64_t operator""_gbs(long double value) { return roundPositive(value * 1'000'000'000); }
constexpr int64_t operator""_gbs(unsigned long long value) { return static_cast<int64_t>(value) * 1'000'000'000; }
constexpr int64_t operator""_tflops(long double value) { return roundPositive(value * 100) * 10'000'000'000; }
constexpr int64_t operator""_tflops(unsigned long long value) {
  return static_cast<int64_t>(value) * 1'000'000'000'000;
}

/// A figure in a table. Constructing it allocates nothing.
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

/// The machine, or an error if the shape is impossible; nothing if there is no such preset.
std::optional<Result<Machine>> buildGpu(llvm::StringRef name, const MachineShape &shape);
std::optional<Result<Machine>> buildTpu(llvm::StringRef name, const MachineShape &shape);

/// The preset and shape that a name such as `v5p-128` stands for.
struct CloudName {
  std::string preset;
  std::string shape;
  std::string note;
};
/// Nothing if the text is not such a name; an error if there is no such slice.
std::optional<Result<CloudName>> parseCloudName(llvm::StringRef text);

/// The meaning of all source tags in the tables.
std::vector<SourceNote> listSources();

/// Those of listSources that the machine's figures name.
std::vector<SourceNote> selectSources(const Machine &machine);

/// A usage error: the machine cannot have that shape.
Error shapeError(llvm::StringRef name, const MachineShape &shape, const llvm::Twine &reason, llvm::StringRef remedy);

std::string printShape(const MachineShape &shape);

} // namespace presets
} // namespace partita::machine

#endif
