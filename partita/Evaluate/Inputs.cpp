//===- Inputs.cpp - arguments from a seed or a file -----------------------===//

#include "partita/Evaluate/Inputs.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Evaluate/Number.h"
#include "partita/Evaluate/NumpyTensor.h"
#include "partita/Program/Reader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace partita::evaluate {

//===----------------------------------------------------------------------===//
// From a seed
//===----------------------------------------------------------------------===//

/// An integer from -4 to 4, or a power of two for the type that has nothing else.
static double makeRandomFloat(Type type, uint64_t bits) {
  if (isa<Float8E8M0FNUType>(type))
    return static_cast<double>(uint64_t(1) << (bits % 4));
  return static_cast<double>(static_cast<int64_t>(bits % 9) - 4);
}

static int64_t makeRandomSigned(unsigned width, uint64_t bits) {
  return width < 4 ? wrapSigned(bits, width) : static_cast<int64_t>(bits % 9) - 4;
}

static void fillElement(Type type, uint64_t bits, uint8_t &element) { element = bits & 1; }
static void fillElement(Type type, uint64_t bits, int64_t &element) {
  element = makeRandomSigned(getIntegerWidth(type), bits);
}
static void fillElement(Type type, uint64_t bits, uint64_t &element) {
  element = isa<IntegerType>(type) ? wrapUnsigned(bits % 8, getIntegerWidth(type))
                                   : ringFromDouble(makeRandomFloat(type, bits));
}
static void fillElement(Type type, uint64_t bits, float &element) { element = makeRandomFloat(type, bits); }
static void fillElement(Type type, uint64_t bits, double &element) { element = makeRandomFloat(type, bits); }
template <typename T> static void fillElement(Type type, uint64_t bits, std::complex<T> &element) {
  element = {static_cast<T>(makeRandomFloat(type, bits)), static_cast<T>(makeRandomFloat(type, bits >> 32))};
}
static void fillElement(Type type, uint64_t bits, RingPair &element) {
  element = {ringFromDouble(makeRandomFloat(type, bits)), ringFromDouble(makeRandomFloat(type, bits >> 32))};
}

Tensor makeRandomTensor(RankedTensorType type, Mode mode, uint64_t seed) {
  Tensor tensor(type, mode);
  visitKind(tensor.getKind(), [&]<typename T>(T *) {
    for (auto [index, element] : llvm::enumerate(tensor.edit<T>()))
      fillElement(type.getElementType(), ringHash(seed, index), element);
  });
  return tensor;
}

/// Multiples of 2^-14, rounded to the type. Integers and elements in exact mode stay unchanged.
static void replaceByFractions(Tensor &tensor, uint64_t seed) {
  auto makeFraction = [&](uint64_t index) { return static_cast<double>(ringHash(seed, index) % 4096 + 1) / 16384; };
  if (tensor.isToken())
    return;
  if (tensor.getKind() == StorageKind::Float) {
    FloatRounder round(tensor.getElementType());
    for (auto [index, element] : llvm::enumerate(tensor.edit<float>()))
      element = round(makeFraction(index));
  }
  if (tensor.getKind() == StorageKind::Double)
    for (auto [index, element] : llvm::enumerate(tensor.edit<double>()))
      element = makeFraction(index);
}

//===----------------------------------------------------------------------===//
// From a file
//===----------------------------------------------------------------------===//

namespace {

class FileInputs {
public:
  static Result<FileInputs> open(StringRef path, const Limits &limits);

  /// The array for an argument of one device.
  Result<Tensor> get(func::FuncOp main, unsigned index, int64_t device, Mode mode) const;

private:
  const NumpyArray *find(const std::string &key) const {
    auto found = positions.find(key);
    return found == positions.end() ? nullptr : &arrays[found->second];
  }

  std::string path;
  std::vector<NumpyArray> arrays;
  llvm::StringMap<size_t> positions;
};

} // namespace

Result<FileInputs> FileInputs::open(StringRef path, const Limits &limits) {
  auto buffer = readFile(path, limits);
  if (!buffer)
    return buffer.error();
  Result<std::vector<NumpyArray>> arrays = readNpz((*buffer)->getBuffer(), path, limits.maxFileBytes);
  if (!arrays)
    return arrays.error();
  FileInputs inputs;
  inputs.path = path.str();
  inputs.arrays = std::move(*arrays);
  for (auto [index, array] : llvm::enumerate(inputs.arrays))
    inputs.positions[array.name] = index;
  return inputs;
}

/// The name that the program's source gave to an argument, or nothing.
static std::string getArgumentName(BlockArgument argument) {
  auto name = dyn_cast<NameLoc>(argument.getLoc());
  return name ? name.getName().str() : "";
}

Result<Tensor> FileInputs::get(func::FuncOp main, unsigned index, int64_t device, Mode mode) const {
  std::string number = "arg" + std::to_string(index), name = getArgumentName(main.getArgument(index));
  std::string ofDevice = "device" + std::to_string(device) + ".";
  const NumpyArray *array = nullptr;
  for (const std::string &key : {ofDevice + number, ofDevice + name, number, name})
    if (!array)
      array = find(key);
  if (!array)
    return Error::badInput(SourceLocation{path, 0, 0},
                           "there is no array '" + number + "'" + (name.empty() ? "" : " or '" + name + "'") +
                               " for argument " + std::to_string(index) + " of device " + std::to_string(device));
  return fromNumpy(*array, cast<RankedTensorType>(main.getArgumentTypes()[index]), mode, path);
}

//===----------------------------------------------------------------------===//
// All arguments
//===----------------------------------------------------------------------===//

using MakeInput = llvm::function_ref<Result<Tensor>(RankedTensorType type, unsigned index, int64_t device)>;

/// Whether all arguments are within the limit together: known before the first gigabyte of them is made.
static Status checkBytes(func::FuncOp main, const EvaluatorOptions &options) {
  int64_t left = options.maxMemoryBytes / std::max<int64_t>(1, options.devices);
  for (Type argumentType : main.getArgumentTypes()) {
    auto type = dyn_cast<RankedTensorType>(argumentType);
    int64_t bytes = type ? computeBytes(type, options.exact ? Mode::Exact : Mode::Float) : 0;
    if (bytes > left)
      return beyondLimit(locationOf(main), "the arguments take too many bytes", "max-memory-bytes",
                         options.maxMemoryBytes);
    left -= bytes;
  }
  return std::nullopt;
}

static Result<std::vector<DeviceValues>> makeAll(func::FuncOp main, const EvaluatorOptions &options,
                                                 MakeInput makeInput) {
  if (Status error = checkBytes(main, options))
    return std::move(*error);
  std::vector<DeviceValues> inputs(options.devices);
  for (int64_t device = 0; device < options.devices; ++device)
    for (auto [index, argumentType] : llvm::enumerate(main.getArgumentTypes())) {
      auto type = dyn_cast<RankedTensorType>(argumentType);
      if (!type) {
        inputs[device].push_back(Tensor::makeToken(argumentType));
        continue;
      }
      Result<Tensor> input = makeInput(type, index, device);
      if (!input)
        return input.error();
      inputs[device].push_back(std::move(*input));
    }
  return inputs;
}

Result<std::vector<DeviceValues>> makeInputs(StringRef source, ModuleOp module, const EvaluatorOptions &options,
                                             const Limits &limits, SeededFloats floats) {
  Result<func::FuncOp> main = findMain(module);
  if (!main)
    return main.error();
  Mode mode = options.exact ? Mode::Exact : Mode::Float;
  if (source.consume_front("seed:")) {
    uint64_t seed;
    if (source.getAsInteger(10, seed))
      return Error::usage("'" + source.str() + "' is no seed").withRemedy("write it as seed:7");
    return makeAll(*main, options, [&](RankedTensorType type, unsigned index, int64_t device) -> Result<Tensor> {
      uint64_t own = ringHash(seed, index, device);
      Tensor tensor = makeRandomTensor(type, mode, own);
      if (floats == SeededFloats::Fractions)
        replaceByFractions(tensor, own);
      return tensor;
    });
  }
  Result<FileInputs> file = FileInputs::open(source, limits);
  if (!file)
    return file.error();
  return makeAll(*main, options, [&](RankedTensorType, unsigned index, int64_t device) {
    return file->get(*main, index, device, mode);
  });
}

} // namespace partita::evaluate
