/** Lists the nights, workouts or days that made a number. */
import type { ReadinessValue } from '../../../catalogue/query/column.ts'
import { summaryTable } from '../../../catalogue/query-columns.ts'
import { present } from '../../../core/present.ts'
import { formatFloating } from '../../../core/time.ts'
import { storedSession } from '../merge/sessions/session.ts'
import type { ColumnRef } from '../plan/columns.ts'
import { cellOf } from './cells.ts'
import { OriginList, summaryOrigins } from './origins.ts'
import { findRecords, storedValue, type UsedRecord } from './records.ts'
import type { RowsAsked, RowsFound } from './rows-found.ts'

/** Finds the rows of a question about a table of summaries. */
export async function listRecords(asked: RowsAsked): Promise<RowsFound> {
  const { question, executed, collected, limit, zone, order, winners, why } = asked
  const { argument, func } = question.aggregate
  const table = present(summaryTable(executed.plan.table), 'the table of the column')
  const isAmount = func.name === 'sum'
  const reading = { executed, table, argument, zone }
  const found = findRecords({
    ...{ ...reading, collected, isAmount, window: question.planned.window, limit },
    order: executed.plan.merges ? order : winners,
  })
  const used = found.used.list()
  const { sources, at } = found.sources.list(order, why)
  const origins = new OriginList()
  const summaries = used.flatMap(({ members }) => members.map(({ summary }) => summary))
  const own = await summaryOrigins(asked.origins, summaries)
  const cell = (value: number) => cellOf(argument.type, value, executed.pool)
  const records = used.map(record => ({
    index: formatFloating(record.local),
    role: record.role,
    value: cell(record.value),
    kind: record.kind,
    source: at(record.names),
    members: record.members.map(({ summary, use, supplies, reason }) => ({
      ...storedSession(summary),
      date: summary.date,
      value: cell(storedValue(summary, reading)),
      ...{ use, supplies, reason },
      origin: origins.at(present(own.get(summary.id), 'an origin')),
    })),
    inputs: inputsOf(record, argument),
  }))
  return {
    ...{ sources, samples: [], samples_total: 0 },
    ...{ records, records_total: found.used.total },
    leftOut: found.leftOut.list(),
    origins: origins.list,
  }
}

const RECOVERY: readonly ReadinessValue[] = ['recovery_score', 'recovery_zone', 'stress_score']
const STRAIN: readonly ReadinessValue[] = ['strain_score', 'strain_zone']

/** Returns those inputs that the column is computed from. */
function inputsOf({ inputs }: UsedRecord, argument: ColumnRef): UsedRecord['inputs'] {
  if (inputs === null || argument.kind !== 'summary' || argument.column.origin.kind !== 'readiness') return null
  const { value } = argument.column.origin
  const isWanted = (name: string) =>
    name.endsWith('_intensity_minutes') ? STRAIN.includes(value) : RECOVERY.includes(value)
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => isWanted(name)))
}
