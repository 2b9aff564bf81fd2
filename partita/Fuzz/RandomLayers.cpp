//===- RandomLayers.cpp - random programs that pipelines can run ----------===//

#include "partita/Fuzz/RandomLayers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

namespace partita::fuzz {

namespace {

class LayersWriter {
public:
  LayersWriter(RandomChoice &random, int64_t numLayers, int64_t numRows)
      : random(random), numLayers(numLayers), numRows(numRows), width(random.pick({2, 4})),
        isStackedFirst(random.chance(75)), isCast(random.chance(40)), hasBias(random.chance(50)),
        hasSum(random.chance(30)), hasBackward(random.chance(60)), isCarried(random.chance(50)),
        element(isCast ? "bf16" : "f32") {}

  std::string write();

private:
  std::string stackType() const {
    return isStackedFirst ? print({numLayers, width, width}) : print({width, numLayers, width});
  }
  std::string stateType() const { return print({numRows, width}, element); }
  std::string stashType() const { return print({numLayers, numRows, width}, element); }
  std::string weightType() const { return print({width, width}, element); }

  static std::string print(llvm::ArrayRef<int64_t> shape, llvm::StringRef element = "f32") {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + element.str() + ">";
  }

  /// An op on values of one type.
  void emit(llvm::StringRef result, llvm::StringRef op, llvm::StringRef operands, const std::string &type) {
    out << "      " << result << " = stablehlo." << op << " " << operands << " : " << type << "\n";
  }
  void emitDot(llvm::StringRef result, llvm::StringRef lhs, llvm::StringRef rhs, llvm::StringRef dims,
               llvm::StringRef types) {
    out << "      " << result << " = stablehlo.dot_general " << lhs << ", " << rhs << ", contracting_dims = " << dims
        << " : " << types << "\n";
  }
  void emitLoop(llvm::StringRef result, llvm::StringRef counter,
                llvm::ArrayRef<std::tuple<std::string, std::string, std::string>> carried);
  void emitWeights(llvm::StringRef index, llvm::StringRef stack);
  void emitForward();
  void emitBackward();

  RandomChoice &random;
  int64_t numLayers, numRows, width;
  bool isStackedFirst, isCast, hasBias, hasSum, hasBackward, isCarried;
  std::string element;
  std::string text;
  llvm::raw_string_ostream out{text};
};

} // namespace

/// The head of a loop over all layers: names, initial values and types of what it carries behind its counter.
void LayersWriter::emitLoop(llvm::StringRef result, llvm::StringRef counter,
                            llvm::ArrayRef<std::tuple<std::string, std::string, std::string>> carried) {
  std::vector<std::string> bindings{(counter + " = %zero").str()}, types{"tensor<i32>"};
  for (const auto &[name, initial, type] : carried) {
    bindings.push_back((llvm::Twine(name) + " = " + initial).str());
    types.push_back(type);
  }
  out << "    " << result << ":" << bindings.size() << " = stablehlo.while(" << llvm::join(bindings, ", ")
      << ") : " << llvm::join(types, ", ") << "\n    cond {\n      %end = stablehlo.constant dense<" << numLayers
      << "> : tensor<i32>\n      %more = stablehlo.compare LT, " << counter
      << ", %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n      stablehlo.return %more : tensor<i1>\n"
      << "    } do {\n      %one = stablehlo.constant dense<1> : tensor<i32>\n"
      << "      %next = stablehlo.add " << counter << ", %one : tensor<i32>\n";
}

/// %w: the weights of one layer.
void LayersWriter::emitWeights(llvm::StringRef index, llvm::StringRef stack) {
  std::string slice = isStackedFirst ? print({1, width, width}) : print({width, 1, width});
  std::string starts = isStackedFirst ? index.str() + ", %zero, %zero" : "%zero, " + index.str() + ", %zero";
  out << "      %slice = stablehlo.dynamic_slice " << stack << ", " << starts << ", sizes = ["
      << (isStackedFirst ? llvm::formatv("1, {0}, {0}", width) : llvm::formatv("{0}, 1, {0}", width)) << "] : ("
      << stackType() << ", tensor<i32>, tensor<i32>, tensor<i32>) -> " << slice << "\n";
  out << "      %wide = stablehlo.reshape %slice : (" << slice << ") -> " << print({width, width}) << "\n";
  if (isCast)
    out << "      %w = stablehlo.convert %wide : (" << print({width, width}) << ") -> " << weightType() << "\n";
  else
    out << "      %w = stablehlo.reshape %wide : (" << print({width, width}) << ") -> " << weightType() << "\n";
}

void LayersWriter::emitForward() {
  std::string state = stateType(), stash = stashType();
  std::vector<std::tuple<std::string, std::string, std::string>> carried{{"%h", "%x", state},
                                                                         {"%stash", "%empty", stash}};
  if (hasSum)
    carried.emplace_back("%sum", "%none", "tensor<f32>");
  if (isCarried)
    carried.emplace_back("%ws", "%stack", stackType());
  emitLoop("%forward", "%i", carried);
  emitWeights("%i", isCarried ? "%ws" : "%stack");
  emitDot("%p", "%h", "%w", "[1] x [0]", "(" + state + ", " + weightType() + ") -> " + state);
  std::string last = "%p";
  if (hasBias) {
    out << "      %row = stablehlo.dynamic_slice %bias, %i, %zero, sizes = [1, " << width << "] : ("
        << print({numLayers, width}, element) << ", tensor<i32>, tensor<i32>) -> " << print({1, width}, element)
        << "\n      %wide_row = stablehlo.broadcast_in_dim %row, dims = [0, 1] : (" << print({1, width}, element)
        << ") -> " << state << "\n";
    emit("%biased", "add", "%p, %wide_row", state);
    last = "%biased";
  }
  static constexpr llvm::StringLiteral functions[] = {"tanh", "add", "multiply", "maximum", "subtract"};
  // The first takes one value, the others two.
  size_t function = random.below(std::size(functions));
  emit("%n", functions[function], last + (function == 0 ? "" : ", %h"), state);
  if (hasSum) {
    out << "      %wide_n = stablehlo.convert %n : (" << state << ") -> " << print({numRows, width}) << "\n"
        << "      %total = stablehlo.reduce(%wide_n init: %none) applies stablehlo.add across dimensions = [0, 1] : ("
        << print({numRows, width}) << ", tensor<f32>) -> tensor<f32>\n";
    emit("%added", "add", "%sum, %total", "tensor<f32>");
  }
  std::string slice = print({1, numRows, width}, element);
  out << "      %kept = stablehlo.reshape " << (random.chance(50) ? "%h" : "%n") << " : (" << state << ") -> " << slice
      << "\n      %stacked = stablehlo.dynamic_update_slice %stash, %kept, %i, %zero, %zero : (" << stash << ", "
      << slice << ", tensor<i32>, tensor<i32>, tensor<i32>) -> " << stash << "\n";
  out << "      stablehlo.return %next, %n, %stacked" << (hasSum ? ", %added" : "") << (isCarried ? ", %ws" : "")
      << " : tensor<i32>, " << state << ", " << stash << (hasSum ? ", tensor<f32>" : "")
      << (isCarried ? ", " + stackType() : "") << "\n    }\n";
}

void LayersWriter::emitBackward() {
  std::string state = stateType(), stash = stashType(), gradients = print({numLayers, width, width}, element);
  std::string gradient = print({1, width, width}, element), slice = print({1, numRows, width}, element);
  emitLoop("%backward", "%j", {{"%g", "%forward#1", state}, {"%grads", "%no_grads", gradients}});
  out << "      %last = stablehlo.constant dense<" << numLayers - 1 << "> : tensor<i32>\n";
  emit("%k", "subtract", "%last, %j", "tensor<i32>");
  emitWeights("%k", "%stack");
  out << "      %kept_slice = stablehlo.dynamic_slice %forward#2, %k, %zero, %zero, sizes = [1, " << numRows << ", "
      << width << "] : (" << stash << ", tensor<i32>, tensor<i32>, tensor<i32>) -> " << slice
      << "\n      %y = stablehlo.reshape %kept_slice : (" << slice << ") -> " << state << "\n";
  emit("%gy", "multiply", "%g, %y", state);
  emitDot("%gw", "%y", "%g", "[0] x [0]", "(" + state + ", " + state + ") -> " + weightType());
  emitDot("%gx", "%gy", "%w", "[1] x [1]", "(" + state + ", " + weightType() + ") -> " + state);
  out << "      %gw_slice = stablehlo.reshape %gw : (" << weightType() << ") -> " << gradient
      << "\n      %gw_stacked = stablehlo.dynamic_update_slice %grads, %gw_slice, %k, %zero, %zero : (" << gradients
      << ", " << gradient << ", tensor<i32>, tensor<i32>, tensor<i32>) -> " << gradients << "\n"
      << "      stablehlo.return %next, %gx, %gw_stacked : tensor<i32>, " << state << ", " << gradients << "\n    }\n";
}

std::string LayersWriter::write() {
  std::string gradients = print({numLayers, width, width}, element);
  std::vector<std::string> results{stateType()}, values{"%forward#1"};
  if (hasSum) {
    results.push_back("tensor<f32>");
    values.push_back("%forward#3");
  }
  if (hasBackward) {
    llvm::append_range(results, std::vector<std::string>{stateType(), gradients});
    llvm::append_range(values, std::vector<std::string>{"%backward#1", "%backward#2"});
  }
  // A bias that no layer used would look like a batch.
  std::string bias = hasBias ? "%bias: " + print({numLayers, width}, element) + " loc(\"params/b\"), " : "";
  out << "module @layers {\n  func.func public @main(%stack: " << stackType() << " loc(\"params/w\"), " << bias
      << "%x: " << stateType() << " loc(\"batch/x\")) -> (" << llvm::join(results, ", ")
      << ") {\n    %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      << "    %none = stablehlo.constant dense<0.0> : tensor<f32>\n    %empty = stablehlo.constant dense<0.0> : "
      << stashType() << "\n    %no_grads = stablehlo.constant dense<0.0> : " << gradients << "\n";
  emitForward();
  if (hasBackward)
    emitBackward();
  out << "    return " << llvm::join(values, ", ") << " : " << llvm::join(results, ", ") << "\n  }\n}\n";
  return text;
}

std::string writeLayersProgram(RandomChoice &random, int64_t numLayers, int64_t numRows) {
  return LayersWriter(random, numLayers, numRows).write();
}

} // namespace partita::fuzz
