//===- Rooms.h - the rooms whose names Machine uses as its own -----------===//

#ifndef PARTITA_MACHINE_ROOMS_H
#define PARTITA_MACHINE_ROOMS_H

namespace partita::machine {} // namespace partita::machine

#endif
