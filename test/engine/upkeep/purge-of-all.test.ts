/** The end of a deletion for a user with data in every table: no row and no byte is left in any table or file. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.ts'
import { inBytes, linkedUser } from '../links/linked-user.ts'
import { orderBody, PATIENT } from '../orders/orders.ts'

const MARK = 'Canaryperson'
/** Tables in which the user has rows. Tables that only jobs, imports and continuous queries fill have their own tests. */
const FILLED = [
  'chunk',
  'connection',
  'device',
  'directory',
  'insurance',
  'job',
  'lab_order',
  'link_token',
  'outbox',
  'pull',
  'series',
  'summary',
  'user',
  'user_answer',
  'user_info',
  'user_rate',
]

it('a purge leaves nothing of a user in any table with user data', async () => {
  const { h, user_id, params } = await linkedUser(['whoop'])
  const rows = (): Record<string, number> => {
    const db = new DatabaseSync(h.engine.folder.database)
    const sql = `SELECT s.name FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS c WHERE s.type='table' AND c.name='user_id'`
    const counts = (db.prepare(sql).all() as { name: string }[]).map(({ name }) => {
      const { n } = db.prepare(`SELECT count(*) AS n FROM "${name}" WHERE user_id=?`).get(user_id) as { n: number }
      return [name, n] as const
    })
    db.close()
    return Object.fromEntries(counts.filter(([, n]) => n > 0))
  }
  const address = { first_line: '1 Any Street', city: 'Anytown', state: 'CA', zip: '94103', country: 'US' }
  const person = { ...PATIENT, first_name: MARK }
  const { gender, ...rest } = person
  await h.call('user.set_info', { params, body: { ...rest, gender, address } })
  const insured = { ...rest, gender, address }
  const insurance = { payor_code: 'SVC01', member_id: MARK, relationship: 'Self' as const, insured }
  await h.call('user.add_insurance', { params, body: insurance })
  const body = orderBody(user_id, undefined, { patient_details: person })
  const { order } = await h.call('order.create', { body }, { headers: { 'x-idempotency-key': 'k' } })
  await h.call('order.simulate', { params: { order_id: order.id }, query: { delay: 3600 } })
  await h.refusal(
    'order.create',
    { body: { ...body, collection_method: 'testkit' } },
    { headers: { 'x-idempotency-key': 'no' } },
  )
  await h.call('user.refresh', { params })
  await h.call('samples.push', {
    params,
    body: inBytes({
      samples: [
        {
          resource: 'heartrate',
          provider: 'polar',
          source_type: 'watch',
          timestamp: '2026-11-20T07:00:00Z',
          value: 61,
        },
      ],
    }),
  })
  await h.call('link.token', { body: { user_id } })
  expect(Object.keys(rows()).sort()).toEqual(expect.arrayContaining(FILLED))
  await h.call('user.delete', { params })
  h.time.ms += 7 * DAY_MS
  await h.call('engine.run_due', {})
  expect(rows()).toEqual({ tombstone: 1 })
  await h.engine.close()
  const files = readdirSync(h.dataDir, { recursive: true, encoding: 'utf8' }).map(name => join(h.dataDir, name))
  expect(files.filter(path => statSync(path).isFile() && readFileSync(path).includes(MARK))).toEqual([])
})
