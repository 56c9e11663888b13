/**
 * Checks that the definitions of continuous queries can be parsed, that result rows have the correct width, and that a run is due for all
 * touched data.
 */
import { type ContinuousQuery, TASK_STATUSES } from '../../continuous-query.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import { queryJob } from '../jobs.ts'
import { many, query } from '../steps.ts'
import { tryParseJson } from './documents.ts'
import { isThere } from './pages.ts'
import { defineRows, defineTraversal, findProblems, type RowsToCheck } from './traversal.ts'

const WHAT = 'continuous_query'

interface Definition {
  readonly query_id: string
  readonly definition: string
}

const DEFINITIONS = query<Definition>('SELECT query_id, definition FROM continuous_query ORDER BY query_id')

export async function* checkContinuousQueries(db: Database): AsyncIterable<StoreProblem> {
  const definitions = await db.read(() => many(DEFINITIONS))
  const widths = new Map<string, number>()
  for (const { query_id, definition } of definitions) {
    const width = (tryParseJson(definition) as Partial<ContinuousQuery> | undefined)?.columns?.length
    widths.set(query_id, width ?? -1)
    if (width !== undefined) continue
    yield { what: WHAT, userId: null, message: `continuous query ${query_id}: its definition cannot be read` }
  }
  yield* findProblems(db, { ...RESULTS, faults: row => faultsOfResult(row, widths) })
  yield* findProblems(db, TASKS)
  yield* findProblems(db, STATES)
}

const RESULTS = defineRows({
  what: WHAT,
  table: 'continuous_row',
  key: ['user_id', 'query_id', 'bucket', 'key'],
  columns: { user_id: 'text', query_id: 'text', bucket: 'number', key: 'text', cells: 'text' },
  nameOf: row => `a row of continuous query ${row.query_id}`,
})
type ResultRow = typeof RESULTS extends RowsToCheck<infer Row> ? Row : never

/** Returns a result row's faults. The number of cells is not checked for a deleted query, whose rows are only waiting to be removed. */
function faultsOfResult(row: ResultRow, widths: ReadonlyMap<string, number>): string[] {
  const [key, cells] = [tryParseJson(row.key), tryParseJson(row.cells)]
  if (!Array.isArray(key) || !Array.isArray(cells)) return ['its key or its cells cannot be read']
  const width = widths.get(row.query_id) ?? -1
  return width >= 0 && cells.length !== width ? [`it has ${cells.length} cells instead of ${width}`] : []
}

const TASKS = defineTraversal({
  what: WHAT,
  table: 'continuous_task',
  key: ['user_id', 'query_id', 'number'],
  columns: { user_id: 'text', query_id: 'text', number: 'number', status: 'text' },
  nameOf: row => `task ${row.number} of continuous query ${row.query_id}`,
  faults: row => (TASK_STATUSES.some(status => status === row.status) ? [] : ['there is no such status']),
})

const STATES = defineTraversal({
  what: WHAT,
  table: 'continuous_state',
  joins: `LEFT JOIN job ON job.user_id=continuous_state.user_id AND job.kind='${queryJob('')}'||continuous_state.query_id
    LEFT JOIN continuous_query ON continuous_query.query_id=continuous_state.query_id`,
  key: ['user_id', 'query_id'],
  columns: {
    user_id: 'text',
    query_id: 'text',
    scheduled_task: 'number?',
    running_task: 'number?',
    has_job: 'number',
    has_query: 'number',
  },
  computed: { has_job: isThere('job.kind'), has_query: isThere('continuous_query.query_id') },
  nameOf: row => `continuous query ${row.query_id}`,
  faults: row => {
    if (row.has_job) return []
    const isToRun = row.scheduled_task !== null || row.running_task !== null
    return [
      ...(isToRun ? ['a run is still to come, but no job will run it'] : []),
      ...(row.has_query ? [] : ['it is deleted, but no job will remove its rows']),
    ]
  },
})
