//===- Rooms.h - the namespaces that Solve uses ---------------------------===//

#ifndef PARTITA_SOLVE_ROOMS_H
#define PARTITA_SOLVE_ROOMS_H

namespace partita::solve {} // namespace partita::solve

#endif
