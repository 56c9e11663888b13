/** Checks that the documents of lab orders can be parsed, that their statuses agree, and that there is a job for every remaining step. */
import type { UserId } from '../../../core/ids.ts'
import type { OrderDocument } from '../../order.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import { one, query, type Steps, together } from '../steps.ts'
import { tryParseJson } from './documents.ts'
import { definePages, isThere, pagesWith, type RowIn } from './pages.ts'
import { defineTraversal, findProblems } from './traversal.ts'

const WHAT = 'order'
const JOB = 'order:'

export async function* checkOrders(db: Database): AsyncIterable<StoreProblem> {
  yield* findProblems(db, ORDERS)
  for await (const { rows, beside: hasPlan } of pagesWith(db, JOBS, whichHavePlans)) {
    for (const [i, { user_id: userId, kind }] of rows.entries()) {
      if (hasPlan[i]) continue
      const message = `order ${kind.slice(JOB.length)}: it has a job, but nothing is left to do`
      yield { what: WHAT, userId: userId as UserId, message }
    }
  }
}

const ORDERS = defineTraversal({
  what: WHAT,
  table: 'lab_order',
  joins: `LEFT JOIN job ON job.user_id=lab_order.user_id AND job.kind='${JOB}'||lab_order.order_id`,
  key: ['user_id', 'order_id'],
  columns: {
    user_id: 'text',
    order_id: 'text',
    status: 'text',
    document: 'text',
    result: 'text?',
    has_job: 'number',
  },
  computed: { has_job: isThere('job.kind') },
  nameOf: row => `order ${row.order_id}`,
  faults: row => {
    const document = tryParseJson(row.document) as OrderDocument | undefined
    if (!Array.isArray(document?.events)) return ['its document cannot be read']
    const faults: string[] = []
    if (row.result !== null && tryParseJson(row.result) === undefined) faults.push('its report cannot be read')
    if (document.events.at(-1)?.status !== row.status) faults.push('its status is not that of its last event')
    if (document.plan && row.has_job === 0) faults.push('it has a plan, but no job will carry it out')
    return faults
  },
})

const JOBS = definePages({
  table: 'job',
  where: `job.kind LIKE '${JOB}%'`,
  key: ['user_id', 'kind'],
  columns: { user_id: 'text', kind: 'text' },
  atOnce: 100,
})
type JobRow = RowIn<typeof JOBS>
const DOCUMENT = query<{ readonly document: string }>('SELECT document FROM lab_order WHERE user_id=? AND order_id=?')

function* whichHavePlans(jobs: readonly JobRow[]): Steps<boolean[]> {
  const orders = yield* together(
    ...jobs.map(({ user_id: userId, kind }) => one(DOCUMENT, [userId, kind.slice(JOB.length)])),
  )
  return orders.map(order => {
    const document = tryParseJson(order?.document ?? '') as Partial<OrderDocument> | null | undefined
    return (document?.plan ?? null) !== null
  })
}
