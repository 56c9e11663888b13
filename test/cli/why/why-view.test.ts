/** How `svc why` shows a number on a terminal, and as rows. */
import { describe, expect, it } from 'vitest'
import { parseNumber, readPeriod } from '../../../src/cli/aggregate/why/why-question.ts'
import { type Why, whyText, whyView } from '../../../src/cli/aggregate/why/why-view.ts'

const source = {
  ...{
    provider: 'garmin',
    source_type: 'watch',
    type: null,
    app_id: null,
    device_id: null,
    kind: null,
    rank: 1,
    used: true,
  },
  ...{ rows: 2, rows_used: 2, value: 110, minutes: 90, share: 1, reason: 'the only source', kinds: [] },
}
const sample = { source: 0, end: '2026-11-20T09:00:00', timezone_offset: 0, kind: null, implausible: false, origin: 0 }
const WHY: Why = {
  question: {
    ...{
      user_id: 'u',
      function: 'sum',
      column: 'steps.value',
      period: '2026-11-20',
      from: 'a',
      to: 'b',
      time_zone: 'UTC',
    },
    ...{ where: null, merge: true, merge_from: 'team', mixed_kinds: 'warn', as_of: null },
  },
  query: {
    timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'hour', value: 24 } },
    queries: [],
  } as never,
  ...{
    value: 110,
    unit: 'count',
    by_kind: [],
    summary: 'The sum of 2 samples from 1 source.',
    formula: null,
    conversion: null,
  },
  rules: [{ rule: 'merging-3', text: 'At each time, only the best source that covers it counts.' }],
  warnings: [],
  sources: [source],
  samples: [
    { ...sample, start: '2026-11-20T08:00:00', value: 100, counted: 100, parts: 1 },
    { ...sample, start: '2026-11-20T08:30:00', value: 20, counted: 10, parts: 1 },
  ],
  ...{ samples_total: 4, records: [], records_total: 0 },
  left_out: [
    {
      ...{
        code: 'covered',
        reason: 'garmin watch covers that time',
        rule: 'merging-3',
        provider: 'apple_health_kit',
        source_type: 'phone',
      },
      ...{ app_id: null, device_id: null, rows: 1, value: 60 },
    },
  ],
  origins: [
    {
      ...{
        kind: 'import',
        at: '2026-11-20T12:00:00+00:00',
        import_id: 'i',
        format: 'csv',
        sha256: null,
        provider: 'garmin',
        collection: null,
      },
      ...{ record_id: null, event_id: null },
    },
  ],
  computed_at: '2026-11-20T12:00:00+00:00',
  signature: { kid: 'k', jws: 'j' },
}

describe('the text', () => {
  const text = whyText(WHY, { width: 80 })

  it('has the number first, then the sources, the samples, and what was left out', () => {
    expect(text.split('\n').slice(0, 4)).toEqual([
      '110 steps',
      'sum(steps.value), 2026-11-20, local time',
      'Sources are merged (default of the team).',
      'The sum of 2 samples from 1 source.',
    ])
    const titles = ['Sources', 'Samples that count (the first 2 of 4', 'Left out', 'Origins', 'Rules']
    const places = titles.map(title => text.indexOf(`\n${title}`))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(Math.min(...places)).toBeGreaterThan(0)
    expect(text).toContain('- apple_health_kit phone: 1 row, 60 steps, because garmin watch covers that time')
    expect(text).toContain('[1] imported: garmin, import i, csv, 2026-11-20T12:00:00+00:00')
  })

  it('fits a terminal of 80 columns', () => {
    expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  })

  it('says that there is no data', () => {
    const none = {
      ...WHY,
      value: null,
      summary: 'There is no data in this period.',
      sources: [],
      samples: [],
      samples_total: 0,
      left_out: [],
      origins: [],
    }
    expect(whyText(none, {})).toMatch(/^No value\n[\s\S]*There is no data in this period\.\n\nNothing was left out\./)
  })

  it('has a line for each kind', () => {
    const split = {
      ...WHY,
      value: null,
      unit: 'ms',
      by_kind: [
        { kind: 'rmssd', value: 40 },
        { kind: 'sdnn', value: 60 },
      ],
    }
    expect(whyText(split, {})).toMatch(/^rmssd: 40 ms\nsdnn: 60 ms\n/)
  })
})

it('has one row for each sample in csv and ndjson', () => {
  const { rows } = whyView(WHY)
  expect(rows.map(row => [row['start'], row['counted'], row['provider'], row['origin'], row['import_id']])).toEqual([
    ['2026-11-20T08:00:00', 100, 'garmin', 'import', 'i'],
    ['2026-11-20T08:30:00', 10, 'garmin', 'import', 'i'],
  ])
})

describe('a question', () => {
  it.each([
    ['sum(steps)', 'sum', 'steps.value'],
    ['mean(efficiency)', 'mean', 'sleep.efficiency'],
    ['max(blood_pressure.systolic)', 'max', 'blood_pressure.systolic'],
    ['mean(sleep_score)', 'mean', 'sleep.sleep_score'],
    ['sum(activity.steps)', 'sum', 'activity.steps'],
  ])('%s names its function and its column', (text, func, column) => {
    expect(parseNumber(text)).toEqual({ function: func, column })
  })

  it.each([
    'steps',
    'count(*)',
    'sum(step)',
    'count(sleep.index)',
    'total(steps)',
    'mean(count(menstrual_cycle.menstrual_flow))',
  ])('%s is refused with the argument that is wrong', text => {
    expect(() => parseNumber(text)).toThrow(/^FUNCTION/)
  })

  it('may name days in words, which are read in the time zone of the user', async () => {
    const day = async (text: string) => `<${text}>`
    const read = (text: string) => readPeriod(text, day)
    expect(
      await Promise.all(['2026-11', '2026-W47', 'yesterday', '2026-11-01..2026-11-03', '7d..today'].map(read)),
    ).toEqual([...['2026-11', '2026-W47', '<yesterday>', '2026-11-01..2026-11-03', '<7d>..<today>']])
  })
})
