/** One small result with every kind of column, nulls in each, and the same without rows. */
import { activity, series, sleep, table } from '../engine/aggregate/memory-source.ts'

const SELECT = [
  { index: 'activity' },
  { activity: 'date' },
  { activity: 'steps' },
  { activity: 'calories_total' },
  { activity: 'time_zone' },
  { activity: 'wheelchair_use' },
]

/** Three rows: a full one, one of nulls, one of texts that need quoting. */
export function everyKind() {
  const summaries = [
    activity('2024-12-11', {
      steps: 9007199254740991,
      calories_total: 0.1 + 0.2,
      time_zone: 'Europe/Berlin',
      wheelchair_use: true,
    }),
    activity('2024-12-12', {}),
    activity('2024-12-13', { steps: -3, calories_total: 1e-300, time_zone: 'a "b",\r\nc', wheelchair_use: false }),
  ]
  return table({ summaries }, { select: SELECT })
}

export function noRows() {
  return table({}, { select: SELECT })
}

/** A grouped result: two keys, a mean, a count. */
export function grouped() {
  const summaries = [
    sleep('2024-12-12T06:00:00', { efficiency: 90 }),
    sleep('2024-12-13T06:00:00', { efficiency: 91 }),
    sleep('2024-12-13T14:00:00', {}),
  ]
  const index = { index: 'sleep' }
  return table(
    { summaries },
    {
      select: [{ group_key: '*' }, { func: 'mean', arg: { sleep: 'efficiency' } }, { func: 'count', arg: index }],
      group_by: [
        { date_trunc: { unit: 'day' }, arg: index },
        { date_part: 'weekday', arg: index },
      ],
    },
  )
}

/** So many rows that a rendering works in several chunks. */
export function manyRows(n: number) {
  const samples = Array.from(
    { length: n },
    (_, i) => [new Date(Date.UTC(2024, 11, 13) + i * 1000).toISOString().slice(0, 19), i / 10] as const,
  )
  return table(
    { samples: [series({ resource: 'steps' }, samples)] },
    { select: [{ timeseries: 'steps', field: 'value' }] },
  )
}
