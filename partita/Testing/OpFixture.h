//===- OpFixture.h - evaluates one op on constants, for tests -------------===//
//
//   expect({"dense<[100, 7]> : tensor<2xi8>", "dense<[100, 1]> : tensor<2xi8>"},
//          "stablehlo.add %0, %1 : tensor<2xi8>", "dense<[-56, 8]> : tensor<2xi8>");
//
// evaluates the op on the constants %0, %1, ... and compares bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TESTING_OPFIXTURE_H
#define PARTITA_TESTING_OPFIXTURE_H

#include "partita/Dialect/AllDialects.h"
#include "partita/Evaluate/Evaluator.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace partita::fixtures {

using namespace evaluate;

class OpFixture : public testing::Test {
protected:
  OpFixture() : context(makeRegistry()) { context.loadAllAvailableDialects(); }

  /// The values of `op`, whose result has `type`, and of the constant `expected`. `ring`: in exact mode.
  Result<std::vector<DeviceValues>> run(llvm::ArrayRef<std::string> operands, llvm::StringRef op, llvm::StringRef type,
                                        llvm::StringRef expected, bool ring = false) {
    std::string text = ("func.func @main() -> (" + type + ", " + type + ") {\n").str();
    for (auto [index, value] : llvm::enumerate(operands))
      text += "%" + std::to_string(index) + " = stablehlo.constant " + value + "\n";
    text += ("%result = " + op + "\n").str();
    if (!expected.empty())
      text += ("%expected = stablehlo.constant " + expected + "\n").str();
    text += (llvm::Twine("return %result, ") + (expected.empty() ? "%result" : "%expected") + " : " + type + ", " +
             type + "\n}\n")
                .str();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return Error::internal("the test's program is not valid");
    EvaluatorOptions options;
    options.exact = ring;
    return evaluate::evaluate(*module, {{}}, options);
  }

  void expect(llvm::ArrayRef<std::string> operands, llvm::StringRef op, llvm::StringRef expected, bool ring = false) {
    auto results = run(operands, op, expected.substr(expected.rfind("tensor<")), expected, ring);
    ASSERT_TRUE(results) << results.error().str();
    const DeviceValues &values = results->front();
    EXPECT_TRUE(values[0].isIdentical(values[1]))
        << op.str() << "\n  is       " << print(values[0]) << "\n  and not  " << print(values[1]);
  }

  /// Expects that the op, whose result has `type`, is refused with a message that contains `reason`.
  void expectRefused(llvm::ArrayRef<std::string> operands, llvm::StringRef op, llvm::StringRef type,
                     llvm::StringRef reason) {
    auto results = run(operands, op, type, "");
    ASSERT_FALSE(results);
    EXPECT_TRUE(llvm::StringRef(results.error().reason).contains(reason)) << results.error().str();
  }

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  static std::string print(const Tensor &tensor) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (tensor.getMode() == Mode::Float)
      stream << toAttribute(tensor);
    else if (tensor.getKind() == StorageKind::Ring)
      llvm::interleaveComma(tensor.get<uint64_t>(), stream);
    return text;
  }

  mlir::MLIRContext context;
};

} // namespace partita::fixtures

#endif
