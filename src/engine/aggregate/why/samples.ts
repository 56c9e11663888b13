/**
 * Explains a number of the timeseries table: which samples count, and why others do not. Indexed reads are unchecked (`as number`) because
 * the indices are always in range.
 */
import type { TimeseriesResource } from '../../../catalogue/resources.ts'
import { isDivisible } from '../../../catalogue/resources.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import { TimeSlice } from '../../../core/time-slice.ts'
import type { Executed } from '../execute.ts'
import type { SourceOrder } from '../functions/priority.ts'
import { Filter } from '../group/filter.ts'
import type { TrackRows } from '../merge/track.ts'
import type { Window } from '../plan/calendar.ts'
import { type ColumnRef, timeseriesColumn } from '../plan/columns.ts'
import { leftOutResources } from '../plan/implausible.ts'
import { groupsByKind } from '../plan/kinds.ts'
import type { Block } from '../scan/block.ts'
import { implausibleRows } from '../scan/implausible.ts'
import { AmountCover, sourceText } from './amount-cover.ts'
import { type CollectedRows, eachKept } from './collected-rows.ts'
import { LeftOut } from './left-out.ts'
import { OldestRows } from './listed-rows.ts'
import { kindsIn, type SourceNames, SourceNamesPool, Sources } from './sources.ts'

/** A sample that counts. */
export interface UsedSample {
  readonly names: SourceNames
  readonly block: Block
  readonly row: number
  readonly start: EpochMs
  readonly end: EpochMs
  /** Local time minus true time, in milliseconds. */
  readonly shift: number
  /** The column's number as stored, and what counts of it. */
  readonly value: number
  readonly counted: number
  readonly parts: number
  readonly kind: string | null
}

export interface SamplesFound {
  readonly sources: Sources
  readonly leftOut: LeftOut
  readonly used: OldestRows<UsedSample>
}

export interface SamplesAsked {
  readonly executed: Executed
  readonly collected: CollectedRows
  readonly resource: TimeseriesResource
  readonly argument: ColumnRef
  readonly window: Window
  readonly order: SourceOrder
  readonly limit: number
  readonly signal: AbortSignal | undefined
}

/** Finds the samples that count and those that do not. */
export async function findSamples(asked: SamplesAsked): Promise<SamplesFound> {
  const finder = new SampleFinder(asked)
  const slice = new TimeSlice()
  for (const _ of finder.steps()) if (slice.isOver) await slice.rest(asked.signal)
  return finder
}

/** What counts of a sample. */
interface Counted {
  parts: number
  value: number
  amount: number
  ms: number
  /** Length of the parts that the total of a day replaces, in milliseconds. */
  replacedMs: number
}

class SampleFinder implements SamplesFound {
  readonly sources: Sources
  readonly leftOut = new LeftOut()
  readonly used: OldestRows<UsedSample>
  private readonly names = new SourceNamesPool()
  private readonly kinds = new Map<Block, (row: number) => string | null>()
  private readonly asked: SamplesAsked
  private readonly splitsKinds: boolean
  private readonly divisible: boolean
  private readonly value: ColumnRef
  private readonly isAmount: boolean

  constructor(asked: SamplesAsked) {
    this.asked = asked
    const { resource, argument, executed, limit } = asked
    this.divisible = isDivisible(resource)
    this.isAmount = this.divisible && argument.kind === 'sample' && argument.field.origin.kind === 'value'
    this.value = resource.shape === 'value' ? timeseriesColumn(resource.queryName, 'value', []) : argument
    this.splitsKinds = groupsByKind(executed.plan.keys, resource.name)
    this.sources = new Sources(resource.name, this.isAmount)
    this.used = new OldestRows(limit, (a, b) => a.start - b.start || a.end - b.end)
  }

  *steps(): Generator<void> {
    const { collected, executed, resource } = this.asked
    const blocks = collected.blocks.filter(({ source }) => source.resource === resource.name)
    const keeps = this.dropped(executed)
    const uses = executed.plan.merges ? null : this.winners()
    for (const block of blocks) {
      this.addBlock(block, keeps, uses)
      yield
    }
    if (executed.plan.merges) yield* this.addMerged()
  }

  /** Returns a function that says whether a row is kept, and counts it if it is not. */
  private dropped({ plan, pool }: Executed): (block: Block) => (row: number, names: SourceNames) => boolean {
    const where = plan.where ? new Filter(plan.where, pool) : null
    const isChecked = leftOutResources(plan).includes(this.asked.resource.name)
    return block => {
      const mask = where?.mask(block)?.rows ?? null
      const marked = isChecked ? implausibleRows(block) : null
      const values = block.column(this.value)
      return (row, names) => {
        if (mask !== null && mask[row] === 0) {
          const amount = this.isAmount ? (values[row] as number) : null
          this.leftOut.add(names, 'where', 'aggregates-5', 'the condition does not keep it', amount)
          return false
        }
        if (marked === null || marked[row] === 0) return true
        this.leftOut.add(
          names,
          'implausible',
          'plausibility-4',
          'its value is outside the limits of the resource',
          null,
        )
        return false
      }
    }
  }

  /** Returns a function that says whether the samples of a source count in a query without a merge, in which groups have one source. */
  private winners(): (names: SourceNames) => SourceNames | true {
    const { executed, order, resource } = this.asked
    const { plan, groups, candidates, pool } = executed
    if (plan.keys.length === 0) return () => true
    const kindKey = this.splitsKinds ? plan.keys.findIndex(key => key.kind === 'column') : -1
    const ranked = candidates.rowsOf(order)
    const best = new Map<string | null, SourceNames>()
    for (let group = 0; group < groups.count; group++) {
      const first = ranked(group).find(([each]) => each?.source.resource === resource.name)?.[0]?.source
      const kind = kindKey === -1 ? null : pool.text(groups.value(kindKey, group))
      if (first) best.set(kind, { ...first, type: null, app: null, device: null, kind })
    }
    return names => {
      const winner = best.get(names.kind)
      const isIt = winner?.provider === names.provider && winner.sourceType === names.sourceType
      return isIt || winner === undefined ? true : winner
    }
  }

  private addBlock(
    block: Block,
    keeps: (block: Block) => (row: number, names: SourceNames) => boolean,
    uses: ((names: SourceNames) => SourceNames | true) | null,
  ): void {
    const { from, to } = this.asked.window
    const namesOf = this.names.ofSamples(block, this.splitsKinds)
    const isKept = keeps(block)
    const argument = block.column(this.asked.argument)
    const values = block.column(this.value)
    for (let row = 0; row < block.n; row++) {
      const local = block.local[row] as number
      if (local < from || local >= to) continue
      const names = namesOf(row)
      if (!isKept(row, names) || uses === null) continue
      this.sources.addRow(names)
      const value = argument[row] as number
      if (Number.isNaN(value)) continue
      const winner = uses(names)
      if (winner === true)
        this.use(names, block, row, { parts: 1, value, amount: values[row] as number, ms: lengthOf(block, row) })
      else {
        const reason = `${sourceText(winner)} comes first`
        this.leftOut.add(names, 'other_source', 'aggregates-7', reason, this.isAmount ? value : null)
      }
    }
  }

  private use(
    names: SourceNames,
    block: Block,
    row: number,
    { parts, value, amount, ms }: Omit<Counted, 'replacedMs'>,
  ): void {
    const kind = getOrInsert(this.kinds, block, () => kindsIn(block))(row)
    const start = block.instant[row] as number
    const stored = block.column(this.asked.argument)[row] as number
    this.sources.addUsed(names, kind, this.isAmount ? amount : 0, ms / 60_000)
    this.used.add({
      names,
      block,
      row,
      start,
      end: start + lengthOf(block, row),
      shift: (block.local[row] as number) - start,
      value: stored,
      counted: value,
      parts,
      kind,
    })
  }

  private *addMerged(): Generator<void> {
    const { collected, order, resource } = this.asked
    const counted = this.countedParts()
    yield
    const tracks = new Map<TrackRows['source'], TrackRows[]>()
    for (const rows of collected.kept) {
      if (rows.source.resource === resource.name) getOrInsert(tracks, rows.source, () => []).push(rows)
    }
    const ranked = [...tracks.values()].sort(([a], [b]) => order((a as TrackRows).source, (b as TrackRows).source))
    const days = this.divisible ? null : this.sourcesOfDays(counted)
    const covers = new Map<string, AmountCover>()
    for (const track of ranked) {
      const [first] = track as [TrackRows, ...TrackRows[]]
      const names = this.names.ofSamples(first.block, this.splitsKinds)(firstKept(first))
      const quantity = JSON.stringify([names.type, names.kind])
      const cover = getOrInsert(covers, quantity, () => new AmountCover())
      cover.next(names)
      for (const rows of track) {
        this.addTrackRows(rows, names, counted, days, cover)
        yield
      }
    }
  }

  /** Returns what counts of each stored sample, in the window. */
  private countedParts(): ReadonlyMap<Block, ReadonlyMap<number, Counted>> {
    const { collected, resource, argument, window } = this.asked
    const counted = new Map<Block, Map<number, Counted>>()
    for (const { block, kept } of collected.used) {
      if (block.source.resource !== resource.name) continue
      const [arguments_, values] = [block.column(argument), block.column(this.value)]
      const { parts } = block
      const own = getOrInsert(counted, parts?.of ?? block, () => new Map<number, Counted>())
      eachKept(block.n, kept, row => {
        const local = block.local[row] as number
        if (local < window.from || local >= window.to) return
        const of = parts?.rows[row] ?? row
        const ms = parts ? (parts.ends[row] as number) - (block.instant[row] as number) : lengthOf(block, row)
        const entry = getOrInsert(own, of, () => ({ parts: 0, value: Number.NaN, amount: 0, ms: 0, replacedMs: 0 }))
        if (this.divisible && Number.isNaN(values[row])) {
          entry.replacedMs += ms
          return
        }
        const value = arguments_[row] as number
        entry.parts++
        entry.value = entry.parts > 1 && this.isAmount ? entry.value + value : value
        entry.amount += this.isAmount ? (values[row] as number) : 0
        entry.ms += ms
      })
    }
    return counted
  }

  private addTrackRows(
    rows: TrackRows,
    names: SourceNames,
    counted: ReadonlyMap<Block, ReadonlyMap<number, Counted>>,
    days: ReadonlyMap<string, SourceNames> | null,
    cover: AmountCover,
  ): void {
    const { window } = this.asked
    const { block, kept } = rows
    const values = block.column(this.value)
    const own = counted.get(block)
    eachKept(block.n, kept, row => {
      const start = block.instant[row] as number
      const ms = lengthOf(block, row)
      const local = block.local[row] as number
      const found = own?.get(row)
      const why = this.divisible ? cover.add(start, start + ms, (found?.replacedMs ?? 0) > 0) : null
      const isInside = local >= window.from && local < window.to
      if (!isInside && !found) return
      this.sources.addRow(names)
      if (found && found.parts > 0) this.use(names, block, row, found)
      if (why === null) {
        const day = days?.get(dayKey(names, local))
        const reason = day ? `${sourceText(day)} counts on that day` : 'another source counts on that day'
        if (!found) this.leftOut.add(names, 'other_source', 'merging-6', reason, null)
        return
      }
      // a sample may reach beyond the window, where its other parts belong to other days
      const from = Math.max(local, window.from)
      const insideMs = why.code === 'day_total' ? ms : Math.min(local + ms, window.to) - from
      const restMs = insideMs - (found?.ms ?? 0)
      if (restMs <= 0 && (ms > 0 || found)) return
      const rest = ms === 0 ? 1 : restMs / ms
      this.leftOut.add(names, why.code, why.rule, why.reason, this.isAmount ? (values[row] as number) * rest : null)
    })
  }

  /** Returns the source that counts on each local day, of a level. */
  private sourcesOfDays(counted: ReadonlyMap<Block, ReadonlyMap<number, Counted>>): ReadonlyMap<string, SourceNames> {
    const days = new Map<string, SourceNames>()
    for (const [block, rows] of counted) {
      const namesOf = this.names.ofSamples(block, this.splitsKinds)
      for (const row of rows.keys()) {
        const names = namesOf(row)
        days.set(dayKey(names, block.local[row] as number), names)
      }
    }
    return days
  }
}

const dayKey = ({ type, kind }: SourceNames, local: number): string => `${Math.floor(local / DAY_MS)} ${kind} ${type}`

function lengthOf({ stored }: Block, row: number): number {
  return stored?.end ? (stored.end[row] as number) - (stored.start[row] as number) : 0
}

function firstKept({ kept }: TrackRows): number {
  return kept === null ? 0 : Math.max(0, kept.rows.indexOf(1))
}
