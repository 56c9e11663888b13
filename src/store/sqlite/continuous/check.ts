/**
 * What must hold for continuous queries: definitions that can be read, rows of the right width, and a run for everything that was touched.
 */
import type { UserId } from '../../../core/ids.ts'
import { type ContinuousQuery, TASK_STATUSES } from '../../continuous-query.ts'
import { queryJob } from '../../logic/jobs.ts'
import type { StoreProblem } from '../../upkeep.ts'
import { parsed, walk, walkOf } from '../check/documents.ts'
import type { SqliteDatabase } from '../database.ts'

const WHAT = 'continuous_query'

interface Definition {
  readonly query_id: string
  readonly definition: string
}

export async function* checkContinuousQueries(db: SqliteDatabase): AsyncIterable<StoreProblem> {
  const definitions = await db.read(() =>
    db.all<Definition>('SELECT query_id, definition FROM continuous_query ORDER BY query_id'),
  )
  const widths = new Map<string, number>()
  for (const { query_id, definition } of definitions) {
    const width = (parsed(definition) as Partial<ContinuousQuery> | undefined)?.columns?.length
    widths.set(query_id, width ?? -1)
    if (width !== undefined) continue
    yield { what: WHAT, userId: null, message: `continuous query ${query_id}: its definition cannot be read` }
  }
  yield* walk(db, rowsOf(widths))
  yield* walk(db, TASKS)
  for (const { sql, message } of RULES) {
    const rows = await db.read(() => db.all<{ user_id: string; query_id: string }>(sql))
    for (const row of rows) {
      yield { what: WHAT, userId: row.user_id as UserId, message: `continuous query ${row.query_id}: ${message}` }
    }
  }
}

/** Rows of a deleted query are only waiting to be removed. */
const rowsOf = (widths: ReadonlyMap<string, number>) =>
  walkOf({
    what: WHAT,
    table: 'continuous_row',
    key: ['query_id', 'bucket', 'key'],
    columns: { query_id: 'text', bucket: 'number', key: 'text', cells: 'text' },
    nameOf: row => `a row of continuous query ${row.query_id}`,
    faults: row => {
      const [key, cells] = [parsed(row.key), parsed(row.cells)]
      if (!Array.isArray(key) || !Array.isArray(cells)) return ['its key or its cells cannot be read']
      const width = widths.get(row.query_id) ?? -1
      return width >= 0 && cells.length !== width ? [`it has ${cells.length} cells instead of ${width}`] : []
    },
  })

const TASKS = walkOf({
  what: WHAT,
  table: 'continuous_task',
  key: ['query_id', 'number'],
  columns: { query_id: 'text', number: 'number', status: 'text' },
  nameOf: row => `task ${row.number} of continuous query ${row.query_id}`,
  faults: row => (TASK_STATUSES.some(status => status === row.status) ? [] : ['there is no such status']),
})

const HAS_JOB = `EXISTS (SELECT 1 FROM job WHERE job.user_id=state.user_id AND job.kind='${queryJob('')}'||state.query_id)`
const HAS_QUERY = 'EXISTS (SELECT 1 FROM continuous_query AS query WHERE query.query_id=state.query_id)'

const RULES: readonly { readonly sql: string; readonly message: string }[] = [
  {
    sql: `SELECT user_id, query_id FROM continuous_state AS state
          WHERE (scheduled_task IS NOT NULL OR running_task IS NOT NULL) AND NOT ${HAS_JOB} LIMIT 1000`,
    message: 'a run is still to come, but no job will run it',
  },
  {
    sql: `SELECT user_id, query_id FROM continuous_state AS state WHERE NOT ${HAS_QUERY} AND NOT ${HAS_JOB} LIMIT 1000`,
    message: 'it is deleted, but no job will remove its rows',
  },
]
