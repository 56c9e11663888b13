/** The parts of the store that read samples, summaries and workout streams. */
import type { UserId } from '../../../core/ids.ts'
import type { SummaryKind } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { SamplePosition, SampleQuery, SampleStore, StreamStore, SummaryQuery, SummaryStore } from '../../sample.ts'
import { Part } from '../part.ts'
import { readPage } from './reader.ts'
import { deleteSamples } from './restore.ts'
import { scanAll } from './scan.ts'
import { findStream, streamIds } from './streams.ts'
import { findSummary, readSummaries } from './summaries.ts'

export class StoredSamples extends Part implements SampleStore {
  page(userId: UserId, query: SampleQuery, after: SamplePosition | null, limit: number) {
    return this.db.read(() => readPage(userId, query, after, limit))
  }

  scan(userId: UserId, query: SampleQuery) {
    return scanAll(this.db, userId, query)
  }

  delete(userId: UserId, query: SampleQuery, at: EpochMs) {
    return this.writeAbout(userId, () => deleteSamples(userId, query, at))
  }
}

export class StoredSummaries extends Part implements SummaryStore {
  list(userId: UserId, query: SummaryQuery) {
    return this.db.read(() => readSummaries(userId, query))
  }

  find(userId: UserId, kind: SummaryKind, id: string) {
    return this.db.read(() => findSummary(userId, kind, id))
  }
}

export class StoredStreams extends Part implements StreamStore {
  find(userId: UserId, workoutId: string) {
    return this.db.read(() => findStream(userId, workoutId))
  }

  ids(userId: UserId) {
    return this.db.read(() => streamIds(userId))
  }
}
