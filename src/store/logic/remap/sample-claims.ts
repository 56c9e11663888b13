/**
 * The samples that some imports wrote, as they wrote them. A remap may change or remove those that are still the same. Only an index of the
 * imports' events is in memory, because an import may have millions of samples.
 */
import type { UserId } from '../../../core/ids.ts'
import { type SampleColumns, startAt } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { pickRows, rowAtOrAfter } from '../../chunk/columns.ts'
import { beforeRow, beforeRows, REMOVED, RESTORED } from '../imports/imports.ts'
import { damaged, requireProgress, unpackSamples } from '../rows/damage.ts'
import { IMPORTS_BEFORE, type ImportTableRow, OUTBOX, type OutboxRow } from '../rows/tables.ts'
import { many, one, query, type Steps } from '../steps.ts'

/** Samples of one series in one row: of an event that announced them, or of a remap that removed them. */
interface Entry {
  /** Position of the import that wrote the row. */
  readonly order: number
  readonly from: { readonly sequence: number } | { readonly importId: string; readonly ord: number }
  /** Whether a remap removed the samples, or put others in their place that are not its own. */
  readonly isRemoval: boolean
  /** Whether the samples replaced others. */
  readonly hasReplaced: boolean
  readonly first: EpochMs
  readonly last: EpochMs
  /** 1 for each row whose sample the new mapping makes. Null while there is none. */
  made: Uint8Array | null
}

/** What was last written for a start. */
export interface Claim {
  readonly columns: SampleColumns
  readonly row: number
  /** Whether a remap removed the sample, or put another one in its place that is not its own. */
  readonly isRemoval: boolean
  readonly hasReplaced: boolean
  /** Position of the import that wrote it, among those whose claims were read. */
  readonly order: number
  /** Identifies the row that the sample was read from. */
  readonly entry: object
}

/** Number of rows kept decoded, because consecutive days are often in the same row. */
const MOST_DECODED = 64

type EventHead = Pick<OutboxRow, 'sequence' | 'series_id' | 'type'>
const NEXT_HEADS = query<EventHead>(
  'SELECT sequence, series_id, type FROM outbox WHERE user_id=? AND sequence>? AND sequence<=? ORDER BY sequence LIMIT 500',
)
const FIND_EVENT = OUTBOX.query('WHERE user_id=? AND sequence=?')

type IsWanted = (seriesId: number) => boolean

export class SampleClaims {
  /** Entries of each series, earliest first. */
  private readonly entries = new Map<number, Entry[]>()
  private readonly decoded = new Map<Entry, SampleColumns>()
  private readonly userId: UserId

  private constructor(userId: UserId) {
    this.userId = userId
  }

  /** Reads the claims of these imports, earliest import first. `isWanted` selects the series. */
  static *read(
    userId: UserId,
    imports: readonly ImportTableRow[],
    isWanted: IsWanted = () => true,
  ): Steps<SampleClaims> {
    const claims = new SampleClaims(userId)
    for (const [order, row] of imports.entries()) {
      yield* claims.readEvents(order, row, isWanted)
      yield* claims.readRemovals(order, row, isWanted)
    }
    return claims
  }

  /** The numbers of the series with claims. */
  get series(): readonly number[] {
    return [...this.entries.keys()]
  }

  /** Returns the claims for starts in [from, to]. */
  *near(seriesId: number, from: EpochMs, to: EpochMs): Steps<NearClaims> {
    const parts: { readonly entry: Entry; readonly columns: SampleColumns }[] = []
    for (const entry of this.entries.get(seriesId) ?? []) {
      if (entry.first <= to && entry.last >= from) parts.push({ entry, columns: yield* this.columnsOf(entry) })
    }
    return new NearClaims(parts)
  }

  /** Returns the samples of each row that the new mapping does not make, a row at a time. Calls `found` for those that still count. */
  *unmade(seriesId: number, found: (rows: SampleColumns, near: NearClaims) => Steps<void>): Steps<void> {
    for (const entry of this.entries.get(seriesId) ?? []) {
      if (entry.isRemoval) continue
      const columns = yield* this.columnsOf(entry)
      const { made } = entry
      const near = yield* this.near(seriesId, entry.first, entry.last)
      const rows: number[] = []
      for (let row = 0; row < columns.n; row++) {
        if (made?.[row] === 1) continue
        // a later row of these imports counts instead
        if (near.latest(startAt(columns, row))?.entry === entry) rows.push(row)
      }
      if (rows.length > 0) yield* found(pickRows(columns, Uint32Array.from(rows)), near)
    }
  }

  private *readEvents(order: number, row: ImportTableRow, isWanted: IsWanted): Steps<void> {
    for (let last = row.first_sequence; ; ) {
      const heads = yield* many(NEXT_HEADS, [this.userId, last, row.last_sequence])
      for (const { sequence, series_id: seriesId, type } of heads) {
        requireProgress(sequence > last, 'events')
        last = sequence
        if (seriesId === null || !isWanted(seriesId)) continue
        const hasReplaced = type.endsWith('.updated')
        yield* this.add(seriesId, { order, from: { sequence }, isRemoval: false, hasReplaced })
      }
      if (heads.length === 0) return
    }
  }

  private *readRemovals(order: number, { import_id: importId }: ImportTableRow, isWanted: IsWanted): Steps<void> {
    for (let rows = yield* beforeRows(this.userId, importId); rows.length > 0; ) {
      for (const { kind, item, rev, ord } of rows) {
        if (kind !== 'samples' || (rev !== REMOVED && rev !== RESTORED) || !isWanted(Number(item))) continue
        yield* this.add(Number(item), { order, from: { importId, ord }, isRemoval: true, hasReplaced: false })
      }
      rows = yield* beforeRows(this.userId, importId, rows.at(-1))
    }
  }

  private *add(seriesId: number, unread: Omit<Entry, 'first' | 'last' | 'made'>): Steps<void> {
    const columns = yield* this.read(unread)
    if (columns.n === 0) return
    const entry: Entry = { ...unread, first: startAt(columns, 0), last: startAt(columns, columns.n - 1), made: null }
    const known = this.entries.get(seriesId)
    if (known) known.push(entry)
    else this.entries.set(seriesId, [entry])
  }

  private *columnsOf(entry: Entry): Steps<SampleColumns> {
    const known = this.decoded.get(entry)
    if (known) return known
    const columns = yield* this.read(entry)
    const [oldest] = this.decoded.keys()
    if (oldest && this.decoded.size >= MOST_DECODED) this.decoded.delete(oldest)
    this.decoded.set(entry, columns)
    return columns
  }

  private *read({ from }: Pick<Entry, 'from'>): Steps<SampleColumns> {
    if ('sequence' in from) {
      const event = yield* one(FIND_EVENT, [this.userId, from.sequence])
      if (!event?.data) throw damaged({ what: `event ${from.sequence}`, userId: this.userId })
      return unpackSamples(event.data, () => OUTBOX.damageLocation(event))
    }
    const row = yield* beforeRow(this.userId, from.importId, from.ord)
    if (!row?.data) throw damaged({ what: `the data that import ${from.importId} replaced`, userId: this.userId })
    return unpackSamples(row.data, () => IMPORTS_BEFORE.damageLocation(row))
  }
}

/** The claims of one series for a range of starts. */
export class NearClaims {
  private readonly parts: readonly { readonly entry: Entry; readonly columns: SampleColumns }[]

  constructor(parts: readonly { readonly entry: Entry; readonly columns: SampleColumns }[]) {
    this.parts = parts
  }

  /** Returns what was last written for a start by the imports before a position, or by all of them; null if it is nothing. */
  latest(start: EpochMs, before = Number.POSITIVE_INFINITY): Claim | null {
    for (const { entry, columns } of this.parts.toReversed()) {
      const row = entry.order < before ? rowOf(columns, start) : -1
      if (row !== -1) return toClaim(entry, columns, row)
    }
    return null
  }

  /** Returns what was first written for a start, or null. */
  first(start: EpochMs): Claim | null {
    for (const { entry, columns } of this.parts) {
      const row = rowOf(columns, start)
      if (row !== -1) return toClaim(entry, columns, row)
    }
    return null
  }

  /** Returns the sample that a remap restored at a start, if nothing was written there since; otherwise null. */
  restored(start: EpochMs): Claim | null {
    const last = this.latest(start)
    if (!last?.isRemoval) return null
    for (const { entry, columns } of this.parts) {
      const row = entry.order === last.order && !entry.isRemoval ? rowOf(columns, start) : -1
      if (row !== -1) return toClaim(entry, columns, row)
    }
    return null
  }

  /** Notes that the new mapping makes the sample of a start. */
  made(start: EpochMs): void {
    for (const { entry, columns } of this.parts) {
      const row = rowOf(columns, start)
      if (row === -1) continue
      entry.made ??= new Uint8Array(columns.n)
      entry.made[row] = 1
    }
  }
}

function toClaim(entry: Entry, columns: SampleColumns, row: number): Claim {
  const { isRemoval, hasReplaced, order } = entry
  return { columns, row, isRemoval, hasReplaced, order, entry }
}

function rowOf(columns: SampleColumns, start: EpochMs): number {
  const row = rowAtOrAfter(columns, start)
  return row < columns.n && columns.start[row] === start ? row : -1
}
