/** The part of the store that keeps imports. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ImportPage, ImportStore } from '../../data-write.ts'
import { Part } from '../part.ts'
import { listImports } from './imports.ts'
import { undoImport } from './undo.ts'

export class StoredImports extends Part implements ImportStore {
  list(teamId: TeamId, userId: UserId | null, page: ImportPage) {
    return this.db.read(() => listImports(teamId, userId, page))
  }

  undo(userId: UserId, importId: string, at: EpochMs) {
    return this.writeAbout(userId, () => undoImport(userId, importId, at))
  }
}
