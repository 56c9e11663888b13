/** Records a query's execution: how long its stages took and what it read. */
import { getOrInsert } from '../../core/maps.ts'
import type { RowMask } from './group/row-mask.ts'
import type { Contributions } from './merge/contributions.ts'
import type { TrackRows } from './merge/track.ts'
import type { Block, BlockSource } from './scan/block.ts'

export type QueryStage = 'plan' | 'scan' | 'where' | 'merge' | 'group' | 'functions' | 'priority' | 'align' | 'table'

/** The data read from one source. */
export interface SourceRead {
  readonly source: BlockSource
  /** Number of packed chunks of samples, or 0 for summaries. */
  chunks: number
  rows: number
  /** Size of the chunks in bytes, or 0 for summaries. */
  bytes: number
}

/** Receives the rows that a query goes through, to explain a single number. */
export interface RowObserver {
  /** A block as it was read, before `where`. */
  read(block: Block): void
  /** Samples of one source that `where` keeps, before they are merged. */
  stored(rows: TrackRows): void
  /** Rows that functions use; null for all rows of the block. A merged query passes rows that may be parts of samples. */
  taken(block: Block, kept: RowMask | null): void
}

/** Records the execution of one query. A stage lasts until the next stage begins. */
export class Trace {
  private readonly times = new Map<QueryStage, number>()
  private readonly sources = new Map<string, SourceRead>()
  /** Records what each source contributes. Only set for a query that merges samples. */
  readonly contributions: Contributions | undefined
  readonly rows: RowObserver | undefined
  private readonly elapsed: () => number
  private stage: QueryStage | null = null
  private since = 0

  /** `elapsed` returns the milliseconds since some fixed moment. */
  constructor(elapsed: () => number, contributions?: Contributions, rows?: RowObserver) {
    this.elapsed = elapsed
    this.contributions = contributions
    this.rows = rows
  }

  begin(stage: QueryStage): void {
    const now = this.elapsed()
    if (this.stage !== null) this.times.set(this.stage, (this.times.get(this.stage) ?? 0) + now - this.since)
    this.since = now
    this.stage = stage
  }

  end(): void {
    if (this.stage !== null) this.begin(this.stage)
    this.stage = null
  }

  read(block: Block): void {
    this.rows?.read(block)
    const { source, n, bytes } = block
    const key = [source.resource, source.type, source.provider, source.sourceType].join('\u0000')
    const read = getOrInsert(this.sources, key, () => ({ source, chunks: 0, rows: 0, bytes: 0 }))
    read.rows += n
    if (bytes === undefined) return
    read.chunks++
    read.bytes += bytes
  }

  /** Returns the stages in the order in which they first began. */
  stages(): readonly { readonly stage: QueryStage; readonly milliseconds: number }[] {
    return [...this.times].map(([stage, milliseconds]) => ({
      stage,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
    }))
  }

  reads(): readonly SourceRead[] {
    return [...this.sources.values()]
  }
}
