/** Explains a number of a table of summaries: the nights, workouts or days that count, what they are made of, and why others do not. */
import type { SummaryTable } from '../../../catalogue/query/column.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { StoredSummary } from '../../../store/sample.ts'
import { type Executed, splitWhere } from '../execute.ts'
import { explainMember } from '../explain.ts'
import type { SourceOrder } from '../functions/priority.ts'
import { Filter } from '../group/filter.ts'
import type { MergedSession } from '../merge/report.ts'
import { sessionRules } from '../merge/sessions/session-blocks.ts'
import type { Window } from '../plan/calendar.ts'
import type { ColumnRef } from '../plan/columns.ts'
import type { ComputedRow } from '../scan/block.ts'
import { SummaryRows } from '../scan/summary-rows.ts'
import { sourceText } from './amount-cover.ts'
import { type CollectedRows, eachKept } from './collected-rows.ts'
import { LeftOut } from './left-out.ts'
import { OldestRows } from './listed-rows.ts'
import { kindsIn, type SourceNames, SourceNamesPool, Sources } from './sources.ts'

const DROPPED = 'the condition does not keep it'

/** A stored summary that a record is made of. */
export interface UsedMember {
  readonly summary: StoredSummary
  readonly use: 'values' | 'fields' | 'none'
  readonly supplies: boolean
  readonly reason: string
}

/** A row that counts. */
export interface UsedRecord {
  readonly names: SourceNames
  readonly local: EpochMs
  readonly role: string | null
  readonly value: number
  readonly kind: string | null
  readonly members: readonly UsedMember[]
  readonly inputs: ComputedRow['inputs'] | null
}

export interface RecordsAsked {
  readonly executed: Executed
  readonly collected: CollectedRows
  readonly table: SummaryTable
  readonly argument: ColumnRef
  readonly isAmount: boolean
  readonly window: Window
  readonly order: SourceOrder
  readonly limit: number
  /** Zone of summaries without an offset. */
  readonly zone: string
}

export interface RecordsFound {
  readonly sources: Sources
  readonly leftOut: LeftOut
  readonly used: OldestRows<UsedRecord>
}

/** Finds the rows that count and those that do not. */
export function findRecords(asked: RecordsAsked): RecordsFound {
  const finder = new RecordFinder(asked)
  if (asked.executed.plan.merges) finder.addMerged()
  else finder.addStored()
  return finder
}

class RecordFinder implements RecordsFound {
  readonly sources: Sources
  readonly leftOut = new LeftOut()
  readonly used: OldestRows<UsedRecord>
  private readonly names = new SourceNamesPool()
  private readonly asked: RecordsAsked
  private readonly splitsKinds: boolean

  constructor(asked: RecordsAsked) {
    this.asked = asked
    this.sources = new Sources(null, asked.isAmount)
    this.used = new OldestRows(asked.limit, (a, b) => a.local - b.local)
    this.splitsKinds = asked.executed.plan.keys.some(key => key.kind === 'column')
  }

  /** Adds the rows of a query that does not merge: in each group, those of one source count. */
  addStored(): void {
    const { executed, collected, argument, window } = this.asked
    const { plan, pool } = executed
    const where = plan.where ? new Filter(plan.where, pool) : null
    const winner = this.winners()
    for (const block of collected.blocks) {
      const mask = where?.mask(block)?.rows ?? null
      const values = block.column(argument)
      const kinds = kindsIn(block)
      for (let row = 0; row < block.n; row++) {
        const local = block.local[row] as number
        if (local < window.from || local >= window.to) continue
        const computed = block.computed?.(row) ?? null
        const summaries = computed?.summaries ?? [block.summaries?.[row] as StoredSummary]
        const kind = kinds(row)
        const names = this.namesOf(summaries[0] as StoredSummary, kind)
        if (mask !== null && mask[row] === 0) {
          this.leaveOut(names, 'where', 'aggregates-5', DROPPED, values[row] as number)
          continue
        }
        this.sources.addRow(names)
        const value = values[row] as number
        if (Number.isNaN(value)) continue
        const best = winner(names)
        if (best !== null) {
          this.leaveOut(names, 'other_source', 'aggregates-7', `${sourceText(best)} comes first`, value)
          continue
        }
        const members = summaries.map(summary => ({
          summary,
          use: 'values' as const,
          supplies: true,
          reason: computed ? 'its values are inputs' : 'its own value',
        }))
        this.use({ names, local, role: null, value, kind, members, inputs: computed?.inputs ?? null })
      }
    }
  }

  /** Returns a function that returns the source that counts instead of another one, or null if the other one counts itself. */
  private winners(): (names: SourceNames) => SourceNames | null {
    const { plan, groups, candidates, pool } = this.asked.executed
    if (plan.keys.length === 0) return () => null
    const kindKey = plan.keys.findIndex(key => key.kind === 'column')
    const ranked = candidates.rowsOf(this.asked.order)
    const best = new Map<string | null, SourceNames>()
    for (let group = 0; group < groups.count; group++) {
      const first = ranked(group)[0]?.[0]?.source
      const kind = kindKey === -1 ? null : pool.text(groups.value(kindKey, group))
      if (first) best.set(kind, { ...first, type: null, app: null, device: null, kind })
    }
    return names => {
      const first = best.get(names.kind)
      const isIt = first?.provider === names.provider && first.sourceType === names.sourceType
      return isIt ? null : (first ?? null)
    }
  }

  /** Adds merged nights or workouts. */
  addMerged(): void {
    const { executed, collected, argument, window } = this.asked
    const { merge } = executed
    const sessions = new Map<StoredSummary, MergedSession>((merge?.sessions ?? []).map(each => [each.row, each]))
    for (const { block, kept } of collected.used) {
      const values = block.column(argument)
      const kinds = kindsIn(block)
      eachKept(block.n, kept, row => {
        const session = sessions.get(block.summaries?.[row] as StoredSummary)
        if (!session) return
        this.addSession(session, values[row] as number, kinds(row))
      })
    }
    for (const nap of merge?.naps ?? []) {
      const names = this.namesOf(nap.resolved.winner.row, null)
      this.leaveOut(names, 'nap', 'merging-13', 'a nap, and the question does not name role', this.valueOf(nap.row))
    }
    for (const dropped of merge?.dropped ?? []) {
      const names = this.namesOf(dropped.resolved.winner.row, null)
      this.leaveOut(names, 'where', 'merging-2', DROPPED, this.valueOf(dropped.row))
    }
    const { stored } = splitWhere(executed.plan.where)
    const where = stored && new Filter(stored, executed.pool)
    for (const block of where ? collected.blocks : []) {
      const mask = where?.mask(block)?.rows ?? null
      for (let row = 0; row < block.n; row++) {
        const local = block.local[row] as number
        if (mask === null || mask[row] === 1 || local < window.from || local >= window.to) continue
        const names = this.namesOf(block.summaries?.[row] as StoredSummary, null)
        this.leaveOut(names, 'where', 'aggregates-5', DROPPED, block.column(argument)[row] as number)
      }
    }
  }

  private addSession(session: MergedSession, value: number, kind: string | null): void {
    const { table, argument } = this.asked
    const { cluster, resolved, role, local } = session
    const names = this.namesOf(resolved.winner.row, kind)
    const key = documentKey(argument)
    const groups = sessionRules(table).fields.groups.filter(group => key !== null && group.keys.includes(key))
    const filled = resolved.filled.find(({ fields }) => groups.some(group => fields.includes(group.name)))
    const members = cluster.flatMap(member => {
      const supplies = member.session === (filled?.from ?? resolved.winner)
      const explained = explainMember(member, resolved)
      const rows = [...member.session.parts, ...member.session.versions.map(each => each.row)]
      return rows.map((summary, i): UsedMember => {
        const { use, reason } = explained[i] as { readonly use: UsedMember['use']; readonly reason: string }
        return { summary, use, supplies: supplies && use !== 'none', reason }
      })
    })
    for (const { summary } of members) this.sources.addRow(this.namesOf(summary, kind))
    for (const { session: own, match } of cluster) {
      for (const version of own.versions)
        this.leaveOut(
          this.namesOf(version.row, kind),
          'version',
          'merging-9',
          version.reason,
          this.valueOf(version.row),
        )
      const gives = own === resolved.winner || resolved.filled.some(({ from }) => from === own)
      if (gives) continue
      const rule = table.name === 'sleep' ? 'merging-10' : 'merging-14'
      const reason = `the same as one that counts: ${match?.reason() ?? 'too short or without stages'}`
      for (const part of own.parts)
        this.leaveOut(this.namesOf(part, kind), 'same_session', rule, reason, this.valueOf(part))
    }
    if (Number.isNaN(value)) return
    const supplier = filled ? this.namesOf(filled.from.row, kind) : names
    this.use({ names: supplier, local, role, value, kind, members, inputs: null })
  }

  private use(record: UsedRecord): void {
    const { names, kind, value } = record
    this.sources.addUsed(names, kind, this.asked.isAmount ? value : 0, 0)
    this.used.add(record)
  }

  private leaveOut(
    names: SourceNames,
    code: Parameters<LeftOut['add']>[1],
    rule: string,
    reason: string,
    value: number,
  ): void {
    this.leftOut.add(names, code, rule, reason, this.asked.isAmount && !Number.isNaN(value) ? value : null)
  }

  private valueOf(row: StoredSummary): number {
    return storedValue(row, this.asked)
  }

  private namesOf({ provider, sourceType, appId, deviceId }: StoredSummary, kind: string | null): SourceNames {
    const own = this.splitsKinds ? kind : null
    return this.names.of({ provider, sourceType, type: null, app: appId, device: deviceId, kind: own })
  }
}

/** Returns a stored summary's own number in a column; NaN if it has none, or the column is not a cell of a summary. */
export function storedValue(
  row: StoredSummary,
  { table, argument, zone, executed }: Pick<RecordsAsked, 'table' | 'argument' | 'zone' | 'executed'>,
): number {
  if (argument.kind !== 'summary' || argument.column.origin.kind === 'readiness') return Number.NaN
  return new SummaryRows([row], table, zone, executed.pool).cells(argument.column)[0] ?? Number.NaN
}

/** Returns the field of the document that a column shows, or null. */
function documentKey(argument: ColumnRef): string | null {
  const origin = argument.kind === 'summary' ? argument.column.origin : null
  return origin && 'path' in origin ? (origin.path[0] ?? null) : null
}
