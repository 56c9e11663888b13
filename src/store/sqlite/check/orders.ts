/** What must hold for lab orders: documents that can be read, statuses that agree, and a job for everything that is still to come. */
import type { UserId } from '../../../core/ids.ts'
import type { OrderDocument } from '../../order.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { SqliteDatabase } from '../database.ts'
import { type KeyedRow, parsed, walk, walkOf } from './documents.ts'

const WHAT = 'order'

export async function* checkOrders(db: SqliteDatabase): AsyncIterable<StoreProblem> {
  yield* walk(db, ORDERS)
  const stray = await db.read(() => db.all<KeyedRow & { order_id: string }>(STRAY_JOBS))
  for (const row of stray) {
    yield {
      what: WHAT,
      userId: row.user_id as UserId,
      message: `order ${row.order_id}: it has a job, but nothing is left to do`,
    }
  }
}

const ORDERS = walkOf({
  what: WHAT,
  table: `(SELECT *, EXISTS (SELECT 1 FROM job WHERE job.user_id=lab_order.user_id AND kind='order:'||order_id) AS has_job
           FROM lab_order)`,
  key: ['order_id'],
  columns: { order_id: 'text', status: 'text', document: 'text', result: 'text?', has_job: 'number' },
  nameOf: row => `order ${row.order_id}`,
  faults: row => {
    const document = parsed(row.document) as OrderDocument | undefined
    if (!Array.isArray(document?.events)) return ['its document cannot be read']
    const faults: string[] = []
    if (row.result !== null && parsed(row.result) === undefined) faults.push('its report cannot be read')
    if (document.events.at(-1)?.status !== row.status) faults.push('its status is not that of its last event')
    if (document.plan && row.has_job === 0) faults.push('it has a plan, but no job will carry it out')
    return faults
  },
})

const STRAY_JOBS = `
  SELECT job.user_id, substr(kind, length('order:')+1) AS order_id FROM job
  WHERE kind LIKE 'order:%' AND NOT EXISTS (
    SELECT 1 FROM lab_order WHERE lab_order.user_id=job.user_id AND 'order:'||order_id=kind
      AND json_valid(document) AND json_extract(document, '$.plan') IS NOT NULL)
  LIMIT 1000`
