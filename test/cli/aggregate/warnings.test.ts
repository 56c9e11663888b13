/** The lines on stderr about the result of an aggregate query. */
import { describe, expect, it } from 'vitest'
import { warningLines } from '../../../src/cli/aggregate/warnings.ts'
import type { QueryBatchInput } from '../../../src/contract/aggregates/aggregate.ts'

type Queries = QueryBatchInput['queries']

const steps = { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }
const index = { index: 'timeseries' }
const byDay: Queries[number] = { select: [steps], group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: index }] }
const LEFT_OUT = { code: 'sources_left_out', query: 0, resource: 'steps', sources: 1, groups: 3, of: 7 }

function lines(warnings: unknown, queries: Queries = [byDay], how: 'flags' | 'file' = 'flags'): readonly string[] {
  return warningLines({ 'x-svc-warnings': JSON.stringify(warnings) }, queries, how)
}

describe('a warning about sources that were left out', () => {
  it('says how many, in how many groups, and what to do', () => {
    expect(lines([LEFT_OUT])).toEqual([
      'Steps: 1 other source was left out in 3 of 7 days. --merge counts what only that source covers.',
    ])
    expect(lines([{ ...LEFT_OUT, sources: 2 }], [byDay], 'file')).toEqual([
      'Steps: 2 other sources were left out in 3 of 7 days. "merge": true counts what only they cover.',
    ])
  })

  it('suggests only what applies to the data', () => {
    const about = (resource: string) => lines([{ ...LEFT_OUT, resource, of: 1, groups: 1 }])[0]
    expect(about('blood_oxygen')).toBe(
      'Blood oxygen: 1 other source was left out in 1 of 1 day. --merge uses one source a day.',
    )
    const explain = '1 other source was left out in 1 of 1 day. `svc aggregate explain` shows which.'
    expect(about('sleep')).toContain('--merge makes one row of each night')
    expect(about('workout')).toContain('--merge makes one row of each workout')
    expect(about('activity')).toBe(`Activity: ${explain}`)
    expect(about('note')).toBe(`Note: ${explain}`)
  })

  it('says how many naps are not counted', () => {
    const naps = (count: number) => lines([{ code: 'naps_left_out', query: 0, resource: 'sleep', naps: count }])
    expect(naps(1)).toEqual(['Sleep: 1 nap is not counted. Group by role to see naps and nights apart.'])
    expect(naps(1_200)).toEqual(['Sleep: 1,200 naps are not counted. Group by role to see naps and nights apart.'])
  })

  it('names the query if there are several, and groups that are no days', () => {
    const longer: Queries[number] = {
      select: [steps],
      group_by: [{ date_trunc: { unit: 'day', value: 2 }, arg: index }],
    }
    expect(lines([{ ...LEFT_OUT, query: 1 }], [byDay, longer])[0]).toContain(
      'Query 1: Steps: 1 other source was left out in 3 of 7 groups.',
    )
  })
})

it('counts values outside the limits, and says how to leave them out or include them', () => {
  const about = (code: string, samples: number, resource = 'heartrate') =>
    lines([{ code, query: 0, resource, samples }])[0]
  expect(about('implausible_values', 1)).toBe(
    'Heartrate: the result includes 1 sample outside 1 to 300 bpm. To leave it out, add where heartrate.implausible = false.',
  )
  expect(about('implausible_values', 1_200, 'hrv')).toBe(
    'HRV: the result includes 1,200 samples outside 1 to 200 ms (sdnn: 1 to 400 ms). To leave them out, add where hrv.implausible = false.',
  )
  expect(about('implausible_left_out', 2, 'body_weight')).toBe(
    'Body weight: 2 samples outside 0 to 1,000 kg are left out. Group by weight.implausible to include them.',
  )
})

it('counts totals without a value', () => {
  const totals = { code: 'totals_without_value', query: 0, resource: 'steps', totals: 2 }
  expect(lines([totals])).toEqual([
    'Steps: the totals of 2 days count, which have no value in shorter buckets. Group by 1d or longer to see them.',
  ])
})

it('names the kinds that a result mixes, and how to separate them', () => {
  const kinds = [
    { kind: 'rmssd', samples: 1_200 },
    { kind: 'sdnn', samples: 1 },
  ]
  expect(lines([{ code: 'mixed_kinds', query: 0, resource: 'hrv', kinds }])).toEqual([
    'HRV: the result mixes rmssd (1,200 samples) and sdnn (1 sample). Choose one, such as where ' +
      "hrv.kind = 'rmssd', or group by hrv.kind.",
  ])
})

it.each([
  ['vo2_max', 'VO2 max'],
  ['blood_oxygen', 'Blood oxygen'],
])('lists several kinds, and begins with the name of %s', (resource, subject) => {
  const kinds = ['a', 'b', 'c'].map(kind => ({ kind, samples: 2 }))
  const [line] = lines([{ code: 'mixed_kinds', query: 0, resource, kinds }])
  expect(line).toContain(`${subject}: the result mixes a (2 samples), b (2 samples) and c (2 samples). Choose one`)
})

it.each([
  [[null]],
  [[1]],
  [[{ code: 'mixed_kinds', query: 0, resource: 'hrv', kinds: 'both' }]],
  [[{ code: 'new_code', query: 0 }]],
  ['text'],
  [{}],
])('prints nothing for %j', warnings => {
  expect(lines(warnings)).toEqual([])
})

it('prints nothing without the header, or for one that is not JSON', () => {
  expect(warningLines({}, [byDay], 'flags')).toEqual([])
  expect(warningLines({ 'x-svc-warnings': '199 - "stale"' }, [byDay], 'flags')).toEqual([])
})
