/** Kept raw responses that are read again after a connector's mapping was mended. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ProviderRecord, PulledPage } from '../../../src/connectors/connector.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import { NOON } from '../../kit/harness.ts'
import { DAYS, PULSE, pulledConnector } from '../../providers/pulled-connector.ts'
import { openPull, type PullHarness } from './pull-harness.ts'
import { changeConnector } from './pulled-connectors.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./pulled-connectors.ts'))

let pulled: PullHarness

beforeEach(async () => {
  changeConnector({})
  pulled = await openPull()
  await pulled.live.setUp({ keep_raw: true })
})

/** Makes the connector map records in another way. */
function mapping(change: (record: ProviderRecord) => ProviderRecord): void {
  changeConnector({
    async *pull(session, asked) {
      for await (const page of pulledConnector.pull(session, asked)) {
        yield { ...page, records: page.records.map(change) } satisfies PulledPage
      }
    },
  })
}

/** Doubles all values, and stores the sample of the record `moved` an hour too early. */
function older(record: ProviderRecord): ProviderRecord {
  return {
    ...record,
    batches: record.batches.map(batch => ({
      ...batch,
      value: batch.value.map(each => each * 2),
      start: batch.start.map(each => each - (record.id === 'moved' ? HOUR_MS : 0)),
      end: null,
    })),
  }
}

const AT = NOON - 5 * HOUR_MS
const remap = (query: object = {}, body: object = {}) =>
  pulled.live.h.call('provider.remap', { params: { provider: pulled.key.provider }, query, body })
const undo = (import_id: string | null | undefined) =>
  pulled.live.h.call('import.undo', { params: { import_id: import_id ?? '' } })
const dailyEvents = async () => (await pulled.events()).filter(type => type.startsWith('daily.'))
const poll = async () => {
  pulled.live.h.time.ms += 2 * HOUR_MS
  await pulled.pull()
}

async function pullWrongly(): Promise<void> {
  pulled.items.put(DAYS, 'a', AT, 10)
  pulled.items.put(DAYS, 'moved', AT + MINUTE_MS, 20)
  pulled.items.put(PULSE, 'p', AT, 60)
  mapping(older)
  await pulled.pull()
  changeConnector({})
}

const WRONG = [`heartrate ${AT} 120`, `steps ${AT} 20`, `steps ${AT + MINUTE_MS - HOUR_MS} 40`]

describe('a remap of raw responses', () => {
  it('gives what a fresh pull with the new mapping gives, with events only for what changed', async () => {
    await pullWrongly()
    expect(await pulled.stored()).toEqual(WRONG.sort())
    const report = await remap()
    expect(report.users).toMatchObject([
      {
        user_id: pulled.key.userId,
        import_id: expect.any(String),
        records: 3,
        counts: {
          steps: { added: 1, changed: 1, removed: 1, kept: 0 },
          heartrate: { added: 0, changed: 1, removed: 0, kept: 0 },
        },
      },
    ])
    expect(report.left_out).toEqual([])
    expect(await pulled.stored()).toEqual(pulled.items.samples())
    expect((await dailyEvents()).sort()).toEqual([
      'daily.data.heartrate.updated',
      'daily.data.steps.created',
      'daily.data.steps.updated',
    ])
    expect(await remap()).toMatchObject({ users: [{ import_id: null, counts: {} }] })
  })

  it('lists its changes in a dry run, and stores nothing', async () => {
    await pullWrongly()
    const report = await remap({ dry_run: true })
    expect(report).toMatchObject({ total: 4, users: [{ import_id: null }] })
    expect(report.changes.map(each => [each.resource, each.change, each.old, each.new])).toEqual(
      expect.arrayContaining([
        ['steps', 'changed', 20, 10],
        ['steps', 'added', null, 20],
        ['steps', 'removed', 40, null],
        ['heartrate', 'changed', 120, 60],
      ]),
    )
    expect(await pulled.stored()).toEqual(WRONG.sort())
  })

  it('reads only one collection or user', async () => {
    await pullWrongly()
    const report = await remap({}, { collection: PULSE, user_id: pulled.key.userId })
    expect(Object.keys(report.users[0]?.counts ?? {})).toEqual(['heartrate'])
  })

  it('is undone, and can be repeated', async () => {
    await pullWrongly()
    const { users } = await remap()
    expect(await undo(users[0]?.import_id)).toMatchObject({ removed: { steps: 1 }, kept: {} })
    expect(await pulled.stored()).toEqual(WRONG.sort())
    await remap()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
  })

  it('uses the newest response about each record', async () => {
    await pullWrongly()
    pulled.items.put(DAYS, 'a', AT, 11)
    mapping(older)
    await poll()
    changeConnector({})
    await remap()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
  })
})

describe('a record after a remap', () => {
  it('takes all of its data along when it changes', async () => {
    await pullWrongly()
    await remap()
    pulled.items.put(DAYS, 'a', AT + 5 * MINUTE_MS, 10)
    await poll()
    const after = await pulled.stored()
    expect(after).toContain(`steps ${AT + 5 * MINUTE_MS} 10`)
    expect(after).not.toContain(`steps ${AT} 10`)
  })

  it('takes all of its data along after the remap was undone', async () => {
    await pullWrongly()
    const { users } = await remap()
    await undo(users[0]?.import_id)
    pulled.items.put(DAYS, 'moved', AT + 5 * MINUTE_MS, 20)
    await poll()
    expect((await pulled.stored()).filter(each => each.startsWith('steps')).sort()).toEqual([
      `steps ${AT} 20`,
      `steps ${AT + 5 * MINUTE_MS} 20`,
    ])
  })

  it('does not bring its former data back if it changed before the remap was undone', async () => {
    await pullWrongly()
    const { users } = await remap()
    pulled.items.put(DAYS, 'moved', AT + 5 * MINUTE_MS, 20)
    await poll()
    await undo(users[0]?.import_id)
    expect((await pulled.stored()).filter(each => each.startsWith('steps')).sort()).toEqual([
      `steps ${AT} 20`,
      `steps ${AT + 5 * MINUTE_MS} 20`,
    ])
  })
})

describe('what has changed since', () => {
  it('keeps a record that changed while responses were not kept', async () => {
    await pullWrongly()
    await pulled.live.setUp({ keep_raw: false })
    pulled.items.put(DAYS, 'a', AT, 11)
    mapping(older)
    await poll()
    changeConnector({})
    const report = await remap()
    expect(report.left_out).toMatchObject([{ reason: expect.stringContaining('changed since'), count: 1 }])
    expect(await pulled.stored()).toContain(`steps ${AT} 22`)
  })

  it('changes samples without a record, but removes none', async () => {
    const withoutRecords = (change: (record: ProviderRecord) => ProviderRecord) =>
      changeConnector({
        async *pull(session, asked) {
          for await (const page of pulledConnector.pull(session, asked)) {
            yield { ...page, records: [], batches: page.records.map(change).flatMap(({ batches }) => batches) }
          }
        },
      })
    pulled.items.put(DAYS, 'a', AT, 10)
    pulled.items.put(DAYS, 'moved', AT + MINUTE_MS, 20)
    withoutRecords(older)
    await pulled.pull()
    withoutRecords(record => record)
    expect((await remap()).users[0]?.counts).toEqual({ steps: { added: 1, changed: 1, removed: 0, kept: 0 } })
    expect(await pulled.stored()).toEqual([
      `steps ${AT + MINUTE_MS - HOUR_MS} 40`,
      `steps ${AT} 10`,
      `steps ${AT + MINUTE_MS} 20`,
    ])
  })

  it('does not bring back what was deleted, and keeps what an import replaced', async () => {
    await pullWrongly()
    const { h } = pulled.live
    const user_id = pulled.key.userId
    const start_date = new Date(AT).toISOString()
    await h.call('timeseries.delete', {
      params: { user_id, resource: 'steps' },
      query: { start_date, end_date: start_date },
    })
    const line = {
      resource: 'heartrate',
      timestamp: start_date,
      value: 99,
      provider: pulled.key.provider,
      source_type: 'watch',
    }
    const body = {
      kind: 'stream',
      stream: (async function* () {
        yield Buffer.from(JSON.stringify(line))
      })(),
    } as const
    await h.call('import.create', { params: { user_id }, query: {}, body })
    const { users } = await remap()
    expect(users[0]?.counts).toMatchObject({ steps: { kept: 1 }, heartrate: { changed: 0, kept: 1 } })
    expect(await pulled.stored()).toEqual([`heartrate ${AT} 99`, `steps ${AT + MINUTE_MS} 20`])
  })
})

describe('what cannot be read again', () => {
  const refused = (provider: string, body: object = {}) =>
    pulled.live.h.refusal('provider.remap', { params: { provider }, body })

  it('is a provider without stored responses', async () => {
    await pulled.live.setUp({ keep_raw: false })
    await pulled.pull()
    expect(await remap()).toMatchObject({ users: [], left_out: [], changes: [] })
  })

  it('is a provider that is not set up, an unknown collection, and an unknown provider', async () => {
    expect((await refused('fitbit')).code).toBe('not_found')
    expect((await refused(pulled.key.provider, { collection: 'dayz' })).message).toContain('Did you mean "days"?')
    expect((await refused('nobody')).code).toBe('unknown_provider')
  })

  it('are responses that are older than 30 days', async () => {
    await pullWrongly()
    pulled.live.h.time.ms += 31 * DAY_MS
    const { maintainLive } = await import('../../../src/engine/live/due-live.ts')
    await maintainLive(pulled.context, undefined)
    expect((await remap()).users).toEqual([])
  })
})
