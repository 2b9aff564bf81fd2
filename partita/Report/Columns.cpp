//===- Columns.cpp - text that fits on a screen ---------------------------===//

#include "partita/Report/Columns.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

namespace partita::report {

/// Bytes that begin a character; the others go on with one.
static bool isStart(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

size_t countColumns(llvm::StringRef text) { return static_cast<size_t>(llvm::count_if(text, isStart)); }

std::string pad(const std::string &text, size_t width) {
  size_t columns = countColumns(text);
  return columns < width ? text + std::string(width - columns, ' ') : text;
}

std::string cut(llvm::StringRef text, size_t width) {
  if (text.size() <= width)
    return text.str();
  size_t end = (width - 3) / 2;
  llvm::StringRef front = text.take_front(width - 3 - end), back = text.take_back(end);
  // Unless that would take half of it.
  if (size_t space = front.rfind(' '); space != llvm::StringRef::npos && space >= front.size() / 2)
    front = front.take_front(space + 1);
  if (size_t word = back.find_first_of(" /"); word <= back.size() / 2)
    back = back.drop_front(word);
  return front.str() + "..." + back.str();
}

/// The space at which a row of at most that many columns ends; the end of the text if there is none.
static size_t findRowEnd(llvm::StringRef text, size_t columns) {
  // The last space of each kind: behind a `;`, behind a `,`, outside parentheses, and any.
  std::array<size_t, 4> spaces{};
  size_t column = 0, first = text.size();
  int depth = 0;
  for (size_t i = 0; i < text.size() && (column <= columns || first == text.size()); ++i) {
    char sign = text[i];
    depth += sign == '(' ? 1 : sign == ')' ? -1 : 0;
    if (sign == ' ' && i > 0 && column > columns)
      first = i;
    if (sign == ' ' && i > 0 && column <= columns) {
      bool isLate = column >= columns / 2, isOutside = isLate && depth <= 0;
      bool isKind[] = {isLate && text[i - 1] == ';', isOutside && text[i - 1] == ',', isOutside, true};
      for (auto [space, is] : llvm::zip_equal(spaces, isKind))
        space = is ? i : space;
    }
    column += isStart(sign) ? 1 : 0;
  }
  if (column <= columns)
    return text.size();
  const size_t *found = llvm::find_if(spaces, [](size_t space) { return space > 0; });
  return found == spaces.end() ? first : *found;
}

std::string wrap(llvm::StringRef label, llvm::StringRef text, size_t indent) {
  std::string rows = label.str();
  size_t used = countColumns(label);
  while (true) {
    size_t end = findRowEnd(text, screenColumns - used);
    rows += text.take_front(end).str() + "\n";
    text = text.drop_front(end).ltrim(' ');
    if (text.empty())
      return rows;
    rows += std::string(indent, ' ');
    used = indent;
  }
}

std::string wrap(llvm::StringRef label, llvm::StringRef text) { return wrap(label, text, countColumns(label)); }

} // namespace partita::report
