/** Reads all of a user's data in the interface through the strict decoder. */
import type { UserId } from '../../../src/core/ids.ts'
import { SUMMARY_KINDS } from '../../../src/core/sample.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { fromParquet } from '../../../src/table/read-parquet.ts'
import type { Harness } from '../../kit/harness.ts'
import { StrictDecoder } from './strict-decoder.ts'

type Row = Readonly<Record<string, unknown>>
const SINCE = '2015-01-01'

export async function decoded(h: Harness, user_id: UserId): Promise<StrictDecoder> {
  const decoder = new StrictDecoder()
  for (const resource of SUMMARY_KINDS) {
    const query = resource === 'profile' ? {} : { start_date: SINCE }
    const response: Row = await h.call('summary.get', { params: { user_id, resource }, query }).catch(() => ({}))
    const rows = resource === 'profile' ? [response] : (Object.values(response)[0] as readonly Row[])
    for (const row of rows) {
      decoder.summary(resource, row)
      if (resource !== 'workouts') continue
      decoder.stream(await h.call('timeseries.workout_stream', { params: { workout_id: String(row['id']) } }))
    }
  }
  const alerts = { user_id, resource: 'heart_rate_alert' }
  const page = await h.call('timeseries.grouped', { params: alerts, query: { start_date: SINCE } })
  for (const { data } of Object.values(page.groups).flat()) decoder.samples('heart_rate_alert', data)
  const csv = (await readBytes(h, 'timeseries.download', alerts, { start_date: SINCE })).toString()
  const [head = '', ...lines] = csv.trimEnd().split('\n')
  const at = head.split(',').indexOf('value')
  for (const line of lines) decoder.integers('heart_rate_alert.value', Number(line.split(',')[at]))
  const parquet = await readBytes(h, 'timeseries.download', alerts, { start_date: SINCE, format: 'parquet' })
  const values = (await fromParquet(parquet)).columns.find(({ name }) => name === 'value')
  if (values?.kind !== 'int64') decoder.wrong.push(`heart_rate_alert.value in Parquet is ${values?.kind}`)
  await events(h, user_id, decoder)
  for (const line of (await readBytes(h, 'user.export', { user_id })).toString().trimEnd().split('\n')) {
    const item = JSON.parse(line) as Row
    if (typeof item['summary'] === 'string') decoder.summary(item['summary'], item['document'] as Row)
    if (typeof item['resource'] === 'string') decoder.samples(item['resource'], [item])
    if ('stream' in item) decoder.stream(item)
  }
  return decoder
}

/** Decodes the webhook body of every event of the user. */
async function events(h: Harness, user_id: UserId, decoder: StrictDecoder): Promise<void> {
  for (let next_cursor: string | null = null; ; ) {
    const query = { user_id, payload: true, limit: 500, order: 'asc' as const, next_cursor }
    const page: { data: readonly Row[]; next_cursor: string | null } = await h.call('event.list', { query })
    for (const { event_type, payload } of page.data) {
      const [name = '', change] = String(event_type).replace('daily.data.', '').split('.')
      if (change !== 'created' && change !== 'updated') continue
      const { data } = payload as { data: Row }
      decoder.summary(name, data)
      if (Array.isArray(data['data'])) decoder.samples(name, data['data'] as Row[])
    }
    if (page.next_cursor === null || page.data.length === 0) return
    next_cursor = page.next_cursor
  }
}

async function readBytes(
  h: Harness,
  id: 'user.export' | 'timeseries.download',
  params: Record<string, string>,
  query: Record<string, unknown> = {},
): Promise<Buffer> {
  const reply = await runOperation(h.engine.context, id, {
    input: { params, query, body: undefined },
    credentials: { kind: 'team', team: h.team, linkToken: null },
    accept: '*/*',
  })
  if (reply.kind !== 'bytes') throw new Error('bytes were expected')
  if (reply.bytes instanceof Uint8Array) return Buffer.from(reply.bytes)
  const pieces: Uint8Array[] = []
  for await (const piece of reply.bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}
