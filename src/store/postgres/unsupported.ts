/** What a store on PostgreSQL refuses, each with what to do instead: operations on the file that only SQLite has. */
import type { ServiceError } from '../../core/errors.ts'
import type { RecordingStore } from '../recording.ts'
import type { SnapshotStore } from '../snapshot.ts'
import { unsupported } from './store-errors.ts'

const SNAPSHOTS = (): ServiceError =>
  unsupported(
    'Named snapshots',
    'Back up the database with pg_dump, or copy the store into a data folder: svc engine copy --from URL --to DIR',
  )

const RECORDINGS = (): ServiceError =>
  unsupported('Recordings', 'Copy the store into a data folder and record there: svc engine copy --from URL --to DIR')

/** Named snapshots, except for those parts that need no file. */
export const NO_SNAPSHOTS: Pick<SnapshotStore, 'copyTo' | 'save' | 'list' | 'remove' | 'restore'> = {
  copyTo: async () => {
    throw SNAPSHOTS()
  },
  save: async () => {
    throw SNAPSHOTS()
  },
  list: async () => {
    throw SNAPSHOTS()
  },
  remove: async () => {
    throw SNAPSHOTS()
  },
  restore: async () => {
    throw SNAPSHOTS()
  },
}

/** Recordings. A store that has none is in no recording, so asking for the state is not refused. */
export const NO_RECORDINGS: RecordingStore = {
  state: async () => null,
  start: async () => {
    throw RECORDINGS()
  },
  keepAlive: async () => null,
  stop: async () => null,
  append: async () => {
    throw RECORDINGS()
  },
  // biome-ignore lint/correctness/useYield: the refusal comes before anything is yielded
  async *read() {
    throw RECORDINGS()
  },
  copyTo: async () => {
    throw RECORDINGS()
  },
  emit: async () => {
    throw RECORDINGS()
  },
  addTeams: async () => {
    throw RECORDINGS()
  },
  adopt: async () => {
    throw RECORDINGS()
  },
}
