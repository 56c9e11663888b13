/** Reads and replaces the team's source priorities. See docs/interface/aggregates.md#aggregates-7. */
import { LABS } from '../catalogue/labs/labs.ts'
import { PRIORITY_DATA_TYPES, type PriorityDataType } from '../catalogue/priority-data-types.ts'
import type { ProviderRegistry } from '../catalogue/providers.ts'
import { SOURCE_TYPES } from '../catalogue/source-types.ts'
import type { HandlerInput } from '../contract/kernel/operation.ts'
import type { Operations } from '../contract/operations.ts'
import type { ErrorCode } from '../core/error-catalogue.ts'
import { allowedNames, didYouMean, invalid, type ValidationIssue } from '../core/errors.ts'
import type { SourcePriority } from '../store/priority.ts'
import { type Handler, ok } from './context.ts'

type Row = HandlerInput<Operations['source_priority.replace']>['body'][number]

export const listPriorities: Handler<'source_priority.list'> = async (engine, { query }, call) => {
  const wanted = parseDataType(query.data_type)
  const rows = await engine.store.priorities.ofTeam(call.team.teamId)
  return ok(rows.filter(row => wanted === null || row.dataType === wanted).map(view))
}

/** Replaces the rows for the data type in the query and for all data types in the new rows. Returns all of the team's rows. */
export const replacePriorities: Handler<'source_priority.replace'> = async (engine, { query, body }, call) => {
  const only = parseDataType(query.data_type)
  const found = body.flatMap((row, i) => findFaults(row, i, only, engine.providers))
  const doubles = body.flatMap((row, i) => {
    const first = body.findIndex(each => sameSource(each, row))
    return first < i
      ? [issue(i, 'provider', `names the same source as row ${first}. A source has only one priority.`)]
      : []
  })
  const issues = [...found.map(each => each.issue), ...doubles]
  if (issues.length > 0) throw invalid(issues, found[0]?.code ?? 'invalid_request')
  const rows = body.map(
    (row): SourcePriority => ({
      dataType: row.data_type as PriorityDataType,
      provider: row.provider,
      sourceType: row.source_type ?? null,
      priority: row.priority,
    }),
  )
  const dataTypes = [...new Set([...(only === null ? [] : [only]), ...rows.map(row => row.dataType)])]
  await engine.store.priorities.replace(call.team.teamId, dataTypes, rows, call.now)
  return ok((await engine.store.priorities.ofTeam(call.team.teamId)).map(view))
}

function view(row: SourcePriority) {
  return { data_type: row.dataType, provider: row.provider, source_type: row.sourceType, priority: row.priority }
}

/** Returns the data type, or null for an empty text. Throws a 422 with the most similar names. */
function parseDataType(text: string): PriorityDataType | null {
  if (text === '') return null
  const known = PRIORITY_DATA_TYPES.find(each => each === text)
  if (known) return known
  throw invalid([
    { loc: ['query', 'data_type'], msg: unknownName('data type', text, PRIORITY_DATA_TYPES), type: 'enum' },
  ])
}

interface Fault {
  readonly code: ErrorCode
  readonly issue: ValidationIssue
}

function findFaults(row: Row, i: number, only: PriorityDataType | null, providers: ProviderRegistry): Fault[] {
  const faults: Fault[] = []
  const add = (field: string, msg: string, code: ErrorCode = 'invalid_request', type = 'enum'): void => {
    faults.push({ code, issue: issue(i, field, msg, type) })
  }
  if (!(PRIORITY_DATA_TYPES as readonly string[]).includes(row.data_type)) {
    add('data_type', unknownName('data type', row.data_type, PRIORITY_DATA_TYPES))
  } else if (only !== null && row.data_type !== only) {
    add('data_type', `must be ${only}, the data type in the query`, 'invalid_request', 'value_error')
  }
  const slugs = [...providers.slugs, ...LABS.map(lab => lab.slug)]
  if (!slugs.includes(row.provider)) {
    add('provider', unknownName('provider or lab', row.provider, slugs), 'unknown_provider')
  }
  const type = row.source_type ?? null
  if (type !== null && !(SOURCE_TYPES as readonly string[]).includes(type)) {
    add('source_type', unknownName('source type', type, SOURCE_TYPES))
  }
  return faults
}

function issue(row: number, field: string, msg: string, type = 'value_error'): ValidationIssue {
  return { loc: ['body', row, field], msg, type }
}

/** Returns the text about an unknown name, with the most similar ones, or all if they are few. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const how = '`svc provider list` and `svc labs list` list all'
  const all =
    known.length <= 20 ? `${didYouMean(name, known)} Allowed: ${known.join(', ')}` : allowedNames(name, known, how)
  return `unknown ${what} "${name}".${all}.`
}

function sameSource(a: Row, b: Row): boolean {
  return a.data_type === b.data_type && a.provider === b.provider && (a.source_type ?? null) === (b.source_type ?? null)
}
