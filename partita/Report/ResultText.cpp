//===- ResultText.cpp - results of `partita eval` as text and as .npz -----===//

#include "partita/Report/ResultText.h"

#include "partita/Evaluate/NumpyTensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partita::report {

/// The number of elements that are shown of each result.
static constexpr int64_t shownElements = 8;

static std::string getName(size_t device, size_t index, size_t numDevices) {
  std::string name = "result" + std::to_string(index);
  return numDevices == 1 ? name : "device" + std::to_string(device) + "." + name;
}

static void print(llvm::raw_ostream &out, uint8_t value) { out << (value ? "true" : "false"); }
static void print(llvm::raw_ostream &out, int64_t value) { out << value; }
static void print(llvm::raw_ostream &out, uint64_t value) { out << value; }
static void print(llvm::raw_ostream &out, float value) { out << llvm::format("%.9g", value); }
static void print(llvm::raw_ostream &out, double value) { out << llvm::format("%.17g", value); }
static void print(llvm::raw_ostream &out, RingPair value) { out << "(" << value.real << ", " << value.imag << ")"; }
template <typename T> static void print(llvm::raw_ostream &out, std::complex<T> value) {
  out << "(";
  print(out, value.real());
  out << ", ";
  print(out, value.imag());
  out << ")";
}

static void printTensor(llvm::raw_ostream &out, const Tensor &tensor) {
  if (tensor.isToken()) {
    out << "token";
    return;
  }
  std::string bytes = toNumpy(tensor, "").bytes;
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes));
  out << tensor.getType() << " sha256=" << llvm::toHex(digest, /*LowerCase=*/true) << " [";
  visitKind(tensor.getKind(), [&]<typename T>(T *) {
    llvm::interleaveComma(tensor.get<T>().take_front(shownElements), out, [&](T value) { print(out, value); });
  });
  out << (tensor.size() > shownElements ? ", ...]" : "]");
}

std::string printResults(llvm::ArrayRef<DeviceValues> results) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (auto [device, values] : llvm::enumerate(results))
    for (auto [index, value] : llvm::enumerate(values)) {
      out << getName(device, index, results.size()) << ": ";
      printTensor(out, value);
      out << "\n";
    }
  return text;
}

Result<std::string> packResults(llvm::ArrayRef<DeviceValues> results) {
  std::vector<NumpyArray> arrays;
  for (auto [device, values] : llvm::enumerate(results))
    for (auto [index, value] : llvm::enumerate(values))
      if (!value.isToken())
        arrays.push_back(toNumpy(value, getName(device, index, results.size())));
  return writeNpz(arrays);
}

} // namespace partita::report
