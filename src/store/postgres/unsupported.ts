/**
 * Refuses the parts of the port that use files, because a PostgreSQL store does not support them. The engine refuses most of these calls
 * before they reach this code.
 */
import { type StoreFeature, unsupported } from '../../core/store-features.ts'
import type { RecordingStore } from '../recording.ts'
import type { SnapshotStore } from '../snapshot.ts'

const refusing = (feature: StoreFeature) => async (): Promise<never> => {
  throw unsupported(feature)
}

/** Refuses snapshots in the data folder. */
export const NO_SNAPSHOTS: Pick<SnapshotStore, 'save' | 'list' | 'remove' | 'restore'> = {
  save: refusing('snapshots'),
  list: refusing('snapshots'),
  remove: refusing('snapshots'),
  restore: refusing('snapshots'),
}

const noRecording = refusing('recordings')

/** Refuses recordings, but lets their state be read, because such a store is never being recorded. */
export const NO_RECORDINGS: RecordingStore = {
  state: async () => null,
  start: noRecording,
  keepAlive: noRecording,
  stop: noRecording,
  append: noRecording,
  // biome-ignore lint/correctness/useYield: the refusal comes before anything is yielded
  async *read() {
    throw unsupported('recordings')
  },
  copyTo: noRecording,
  emit: noRecording,
  addTeams: noRecording,
  adopt: noRecording,
}

/** Returns whether a feature is unsupported. A Citus cluster has no common snapshot across its machines. */
export function lacksFeature(hasCitus: boolean): (feature: StoreFeature) => boolean {
  return feature => feature !== 'snapshot_file' || hasCitus
}
