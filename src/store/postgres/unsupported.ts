/** The parts of the port that are about files, which a store on PostgreSQL refuses. The engine refuses most calls before they get here. */
import { type StoreFeature, unsupported } from '../../core/store-features.ts'
import type { RecordingStore } from '../recording.ts'
import type { SnapshotStore } from '../snapshot.ts'

const refusing = (feature: StoreFeature) => async (): Promise<never> => {
  throw unsupported(feature)
}

/** Snapshots in the data folder. */
export const NO_SNAPSHOTS: Pick<SnapshotStore, 'save' | 'list' | 'remove' | 'restore'> = {
  save: refusing('snapshots'),
  list: refusing('snapshots'),
  remove: refusing('snapshots'),
  restore: refusing('snapshots'),
}

const noRecording = refusing('recordings')

/** Recordings. A store without recordings is never being recorded, so reading the state is not refused. */
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

/** Unsupported features: a Citus cluster has no common snapshot across its machines. */
export function lacksFeature(hasCitus: boolean): (feature: StoreFeature) => boolean {
  return feature => feature !== 'snapshot_file' || hasCitus
}
