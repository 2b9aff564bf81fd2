//===- ConvDimensionsFormat.cpp - a convolution's dims as text ------------===//

#include "partita/Dialect/StableHlo/ConvDimensionsFormat.h"

#include "partita/Dialect/StableHlo/StructFormat.h"

using namespace mlir;

namespace partita::stablehlo {

namespace {

/// The dims of one of the three tensors: the positions of its two letters and of each spatial dim.
struct DimRoles {
  int64_t first = -1;
  int64_t second = -1;
  SmallVector<int64_t> spatial;
};

} // namespace

/// Adds spatial dim `number` at `position`.
static ParseResult placeSpatial(AsmParser &parser, SMLoc loc, int64_t number, int64_t position, DimRoles &roles) {
  // No tensor has so many spatial dims; a larger number would only cost memory.
  constexpr int64_t maxSpatial = 1 << 12;
  if (number < 0 || number >= maxSpatial)
    return parser.emitError(loc, "Unexpected dimension ") << number;
  if (static_cast<int64_t>(roles.spatial.size()) <= number)
    roles.spatial.resize(number + 1, -1);
  if (roles.spatial[number] != -1)
    return parser.emitError(loc, "Duplicate entries for spatial dimension ") << number;
  roles.spatial[number] = position;
  return success();
}

/// Adds a letter at `position`; it must be one of `letters`.
static ParseResult placeLetter(AsmParser &parser, SMLoc loc, StringRef letter, int64_t position, StringRef letters,
                               DimRoles &roles) {
  if (letter.size() != 1 || !letters.contains(letter))
    return parser.emitError(loc, "Unexpected dimension ")
           << letter << ", expecting " << letters.front() << " or " << letters.back();
  int64_t &place = letter.front() == letters.front() ? roles.first : roles.second;
  if (place != -1)
    return parser.emitError(loc, "Duplicate entries for dimension ") << letter;
  place = position;
  return success();
}

static ParseResult parseRoles(AsmParser &parser, StringRef letters, DimRoles &roles) {
  int64_t position = 0;
  auto parseDim = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t number;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value())
      return failed(*isNumber) ? failure() : placeSpatial(parser, loc, number, position++, roles);
    StringRef letter;
    if (parser.parseKeyword(&letter))
      return failure();
    return placeLetter(parser, loc, letter, position++, letters, roles);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (roles.first == -1 || roles.second == -1)
    return parser.emitError(loc, "Expected dimensions ") << letters.front() << " and " << letters.back();
  if (llvm::is_contained(roles.spatial, -1))
    return parser.emitError(loc, "Expected spatial dimensions to be numbered without gaps");
  return success();
}

ParseResult parseConvDimensions(AsmParser &parser, ConvDimensionNumbersAttr &attr) {
  DimRoles input, kernel, output;
  if (parseRoles(parser, "bf", input) || parser.parseKeyword("x") || parseRoles(parser, "io", kernel) ||
      parser.parseArrow() || parseRoles(parser, "bf", output))
    return failure();
  attr = ConvDimensionNumbersAttr::get(parser.getContext(), input.first, input.second, input.spatial, kernel.first,
                                       kernel.second, kernel.spatial, output.first, output.second, output.spatial);
  return success();
}

/// Prints one tensor's roles. A dim that the attribute puts outside of the tensor cannot be shown: `?`.
static void printRoles(AsmPrinter &printer, StringRef letters, int64_t first, int64_t second,
                       ArrayRef<int64_t> spatial) {
  SmallVector<std::string> names(spatial.size() + 2, "?");
  auto place = [&](int64_t dim, std::string name) {
    if (dim >= 0 && dim < static_cast<int64_t>(names.size()))
      names[dim] = std::move(name);
  };
  place(first, std::string(1, letters.front()));
  place(second, std::string(1, letters.back()));
  for (auto [number, dim] : llvm::enumerate(spatial))
    place(dim, std::to_string(number));
  printer << '[';
  llvm::interleaveComma(names, printer);
  printer << ']';
}

void printConvDimensions(AsmPrinter &printer, ConvDimensionNumbersAttr attr) {
  printRoles(printer, "bf", attr.getInputBatchDimension(), attr.getInputFeatureDimension(),
             attr.getInputSpatialDimensions());
  printer << 'x';
  printRoles(printer, "io", attr.getKernelInputFeatureDimension(), attr.getKernelOutputFeatureDimension(),
             attr.getKernelSpatialDimensions());
  printer << "->";
  printRoles(printer, "bf", attr.getOutputBatchDimension(), attr.getOutputFeatureDimension(),
             attr.getOutputSpatialDimensions());
}

Attribute parseRawConvDimensions(AsmParser &parser) {
  int64_t inputBatch = 0, inputFeature = 0, kernelInput = 0, kernelOutput = 0, outputBatch = 0, outputFeature = 0;
  SmallVector<int64_t> inputSpatial, kernelSpatial, outputSpatial;
  StructField fields[] = {{"input_batch_dimension", &inputBatch},
                          {"input_feature_dimension", &inputFeature},
                          {"input_spatial_dimensions", &inputSpatial},
                          {"kernel_input_feature_dimension", &kernelInput},
                          {"kernel_output_feature_dimension", &kernelOutput},
                          {"kernel_spatial_dimensions", &kernelSpatial},
                          {"output_batch_dimension", &outputBatch},
                          {"output_feature_dimension", &outputFeature},
                          {"output_spatial_dimensions", &outputSpatial}};
  if (parseStruct(parser, fields))
    return {};
  return ConvDimensionNumbersAttr::get(parser.getContext(), inputBatch, inputFeature, inputSpatial, kernelInput,
                                       kernelOutput, kernelSpatial, outputBatch, outputFeature, outputSpatial);
}

} // namespace partita::stablehlo
