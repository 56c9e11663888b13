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
