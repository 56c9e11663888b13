/** How an explanation is shown: on a terminal, and as rows. */
import { expect, test } from 'vitest'
import { type Explanation, explainText, explainView } from '../../../src/cli/aggregate/explain-view.ts'

const SOURCE = { resource: 'steps', provider: 'garmin', source_type: 'watch' }
const RESPONSE: Explanation = {
  results: [
    {
      table: 'timeseries',
      window: { from: '2026-11-19T00:00:00', to: '2026-11-21T00:00:00' },
      stages: [
        { stage: 'plan', milliseconds: 0.25 },
        { stage: 'scan', milliseconds: 1.5 },
      ],
      reads: [{ ...SOURCE, type: null, chunks: 2, rows: 1234, bytes: 4000 }],
      merged: null,
      sessions: [],
      groups: [
        {
          key: { 'group_key.0': '2026-11-19T00:00:00' },
          sources: [
            { ...SOURCE, rows: 10, used: true, reason: 'best source type' },
            { ...SOURCE, provider: 'oura', source_type: 'ring', rows: 7, used: false, reason: 'watch comes first' },
          ],
          kinds: [],
          rows_used: 10,
          rows_dropped: 7,
        },
      ],
      diff: {
        priority: ['oura'],
        rows: [
          {
            key: { 'group_key.0': '2026-11-19T00:00:00' },
            before: { 'group_key.0': '2026-11-19T00:00:00', sum: 100, max: 5 },
            after: { 'group_key.0': '2026-11-19T00:00:00', sum: 90, max: 5 },
          },
        ],
      },
    },
  ],
}
type Result = Explanation['results'][number]
const [RESULT] = RESPONSE.results as [Explanation['results'][number]]

test('shows stages, reads, each group’s sources with the reasons, and the effect of another order on a terminal', () => {
  const text = explainText(RESPONSE, {})
  expect(text).toContain('Table timeseries, from 2026-11-19T00:00:00 (inclusive) to 2026-11-21T00:00:00 (exclusive)')
  expect(text).toContain('Stages, 1.8 ms in total')
  expect(text).toMatch(/steps\s+garmin\s+watch\s+2\s+1234\s+4 kB/)
  expect(text).toMatch(/2026-11-19T00:00:00\s+steps\s+garmin\s+watch\s+10\s+yes\s+best source type/)
  expect(text).toMatch(/\n\s+steps\s+oura\s+ring\s+7\s+no\s+watch comes first/)
  expect(text).toContain('10 rows used, 7 rows dropped.')
  expect(text).toMatch(/With --diff oura\n\n.*sum before\s+sum after/)
  expect(text).not.toContain('max before')
  expect(explainText(RESPONSE, { width: 80 })).toMatch(
    /\bno +2\n\nReason 1: best source type\nReason 2: watch comes first\n/,
  )
  const tables = explainText(RESPONSE, { width: 60 }).split('\n').slice(1)
  for (const line of tables) expect(line.length).toBeLessThanOrEqual(60)
})

test('shows contributions to the groups of a merged query, with reasons only for sources that it leaves out', () => {
  const part = { ...SOURCE, type: null, app_id: null, device_id: null, rows: 1, parts: 1, used: true }
  const [group] = RESULT.groups as [Result['groups'][number]]
  const merged = {
    ...RESULT,
    merged: [{ ...part, rank: 1, reason: 'the only source' }],
    groups: [
      {
        ...group,
        sources: [
          { ...part, value: 600, minutes: 59.96, share: 0.6543, reason: 'source type watch comes before ring' },
          {
            ...{ ...part, provider: 'oura', source_type: 'ring', parts: 0, used: false, value: null, minutes: null },
            ...{ share: 0, reason: 'other samples cover its time' },
          },
        ],
        kinds: [
          { resource: 'heartrate', kind: 'point', rows: 1200 },
          { resource: 'heartrate', kind: 'resting', rows: 2 },
        ],
      },
    ],
    diff: null,
  }
  const text = explainText({ results: [merged] }, {})
  expect(text).toMatch(
    /steps\s+garmin watch\s+1\s+1\s+600\s+60\s+65\.4 % *\n\s+steps\s+oura ring\s+1\s+0\s+0\.0 %\s+other samples/,
  )
  expect(text).toContain('Kinds of heartrate: point (rows: 1,200), resting (rows: 2).\n')
  expect(text.slice(text.indexOf('Sources of each group'))).not.toContain('watch comes before')
  expect(explainView({ results: [merged] }).rows[0]).toMatchObject({
    'group_key.0': '2026-11-19T00:00:00',
    share: 0.6543,
  })
})

test('says in words when nothing was read, grouped or changed', () => {
  const empty = { ...RESULT, reads: [], groups: [], diff: { priority: ['oura'], rows: [] } }
  const text = explainText({ results: [empty, empty] }, {})
  expect(text).toContain('Query 1\n')
  expect(text).toContain('no data in this timeframe')
  expect(text).toContain('No groups.')
  expect(text).toContain('No row would change.')
})

test('prints a row for each source in csv and ndjson, or for each changed row with a diff, with the query number', () => {
  const plain = { results: [{ ...RESULT, diff: null }] }
  expect(explainView(plain).rows).toEqual([
    { 'group_key.0': '2026-11-19T00:00:00', ...SOURCE, rows: 10, used: true, reason: 'best source type' },
    expect.objectContaining({ provider: 'oura', used: false }),
  ])
  expect(explainView(RESPONSE).rows).toEqual([
    { 'group_key.0': '2026-11-19T00:00:00', 'sum before': 100, 'sum after': 90 },
  ])
  const columns = explainView({ results: [RESULT, RESULT] }).columns.map(({ name }) => name)
  expect(columns[0]).toBe('query')
  const unchanged = { ...RESULT, diff: { priority: ['oura'], rows: [] } }
  expect(explainView({ results: [unchanged] }).columns.map(({ name }) => name)).toEqual(['group_key.0'])
  const nothing = { ...RESULT, groups: [], diff: null }
  expect(explainView({ results: [nothing] }).columns.map(({ name }) => name)).toContain('reason')
})
