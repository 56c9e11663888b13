/** A real Apple Health export, imported by the built binary. */
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { root } from '../kit/sandbox.ts'

const SAMPLE = path.join(root, 'test', 'fixtures', 'samples', 'apple-health', 'tdda', 'export6s3sample.xml')

interface Report {
  readonly import_id: string
  readonly seconds: number
  readonly stored: Readonly<Record<string, object>>
  readonly summaries: Readonly<Record<string, object>>
}
interface Page {
  readonly groups: Readonly<Record<string, readonly { readonly data: readonly { readonly value: number }[] }[]>>
}
interface QueryResponse {
  readonly results: readonly { readonly table: Readonly<Record<string, readonly unknown[]>> }[]
}

const sandbox = new InProcessSandbox()

describe('a real export', () => {
  let userId = ''
  let report: Report

  beforeAll(async () => {
    const user = await sandbox.json<{ user_id: string }>(['user', 'create', 'ada'])
    userId = user.user_id
    report = await sandbox.json<Report>(['import', SAMPLE, '--user', 'ada'])
  })

  test('its report has the documented keys, and accounts for every record', () => {
    expect(report).toEqual({
      import_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      format: 'apple_health',
      user_id: userId,
      records: 18,
      stored: {
        steps: { samples: 10, replaced: 0, unchanged: 0 },
        distance: { samples: 5, replaced: 0, unchanged: 0 },
      },
      summaries: {
        activity: { created: 2, updated: 0, unchanged: 0 },
        workouts: { created: 1, updated: 0, unchanged: 0 },
      },
      streams: { created: 0, updated: 0, unchanged: 0 },
      skipped: [],
      implausible: {},
      days: {
        activity: { first: '2016-04-14', last: '2016-04-15' },
        distance: { first: '2014-09-20', last: '2014-09-20' },
        steps: { first: '2014-09-13', last: '2014-09-13' },
        workouts: { first: '2016-04-02', last: '2016-04-02' },
      },
      notices: [],
      file: { bytes: 7002, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), kept: false, not_kept: null },
      date_order: null,
      dry_run: false,
      partial: null,
      seconds: expect.any(Number),
    })
    expect(report.seconds).toBeGreaterThanOrEqual(0)
  })

  test('its steps can be read back one by one', async () => {
    const page = await sandbox.json<Page>(['timeseries', 'get', userId, 'steps', '--start', '2014-01-01'])
    expect(Object.keys(page.groups)).toEqual(['apple_health_kit'])
    const samples = page.groups['apple_health_kit']?.flatMap(group => group.data) ?? []
    expect(samples).toHaveLength(10)
    expect(samples.reduce((sum, sample) => sum + sample.value, 0)).toBe(2517)
    // 10:27:54 on the phone's clock, an hour east of UTC
    expect(samples[0]).toMatchObject({
      start: '2014-09-13T09:27:54+00:00',
      end: '2014-09-13T09:27:59+00:00',
      timezone_offset: 3600,
      unit: 'count',
      value: 329,
    })
  })

  test('its steps are summed by day and in total', async () => {
    const query = ['aggregate', 'query', 'ada', '--select', 'sum(steps)', '--past', '1y', '--anchor', '2014-12-31']
    const byDay = await sandbox.json<QueryResponse>([...query, '--group-by', '1d'])
    expect(byDay.results).toEqual([{ table: { 'group_key.0': ['2014-09-13T00:00:00'], sum: [2517] } }])
    const inAll = await sandbox.json<QueryResponse>(query)
    expect(inAll.results).toEqual([{ table: { sum: [2517] } }])
  })

  test('it creates a connection to the provider', async () => {
    const { providers } = await sandbox.json<{ providers: object[] }>(['provider', 'list', '--user', 'ada'])
    expect(providers).toMatchObject([{ slug: 'apple_health_kit', status: 'connected' }])
  })

  test('it changes nothing when imported again', async () => {
    const again = await sandbox.json<Report>(['import', SAMPLE, '--user', userId])
    expect(again.import_id).not.toBe(report.import_id)
    expect(again).toMatchObject({
      records: 18,
      stored: {
        steps: { samples: 10, replaced: 0, unchanged: 10 },
        distance: { samples: 5, replaced: 0, unchanged: 5 },
      },
      summaries: {
        activity: { created: 0, updated: 0, unchanged: 2 },
        workouts: { created: 0, updated: 0, unchanged: 1 },
      },
    })
  })
})
