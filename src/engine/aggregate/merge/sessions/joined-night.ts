/** Joins the parts of a night, such as those before and after getting up. See docs/interface/merging.md#merging-11. */
import type { StoredSummary } from '../../../../store/sample.ts'
import type { Session } from './session.ts'

type Document = StoredSummary['document']

/** Fields in seconds. They are added up. */
const ADDED = ['duration', 'total', 'awake', 'light', 'rem', 'deep', 'stage_unknown_second']
/** Fields that become the mean of the parts, weighted by their lengths. */
const WEIGHTED = [
  'hr_average',
  'average_hrv',
  'hrv_mean_sdnn',
  'respiratory_rate',
  'skin_temperature',
  'temperature_delta',
  'efficiency',
]

/**
 * Returns a session for parts in order of time. Times add up without the gaps between the parts, and are null if a part does not state them.
 * Means are weighted by the parts' lengths, and everything else is from the longest part.
 */
export function joinedNight(parts: readonly [Session, ...Session[]]): Session {
  const last = parts.reduce((a, b) => (b.end > a.end ? b : a))
  const longest = parts.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a))
  const [first] = parts
  let until = first.start
  const weighed = parts.map(part => {
    // parts are in order of their start, so earlier ones can cover only the beginning of this one
    const covered = Math.max(0, Math.min(until, part.end) - part.start)
    until = Math.max(until, part.end)
    return { document: part.row.document, share: 1 - covered / lengthOf(part), part }
  })
  const document: Record<string, unknown> = { ...longest.row.document }
  for (const name of ADDED) {
    const values = weighed.map(({ document: own, share }) => numberIn(own, name) * share)
    document[name] = orNull(values.reduce((sum, each) => sum + each, 0))
  }
  for (const name of WEIGHTED) {
    let [sum, weights] = [0, 0]
    for (const { document: own, part } of weighed) {
      const value = numberIn(own, name)
      if (Number.isNaN(value)) continue
      sum += value * lengthOf(part)
      weights += lengthOf(part)
    }
    document[name] = orNull(sum / weights)
  }
  for (const [name, best] of [
    ['hr_lowest', Math.min],
    ['heart_rate_maximum', Math.max],
  ] as const) {
    const values = weighed.map(({ document: own }) => numberIn(own, name)).filter(value => !Number.isNaN(value))
    document[name] = values.length === 0 ? null : values.reduce((a, b) => best(a, b))
  }
  document['latency'] = first.row.document['latency'] ?? null
  document['bedtime_start'] = first.row.document['bedtime_start']
  document['bedtime_stop'] = last.row.document['bedtime_stop']
  const { at, date, offset } = last.row
  return {
    source: first.source,
    row: { ...longest.row, at, date, offset, document },
    start: first.start,
    end: last.end,
    parts: parts.flatMap(each => each.parts),
    versions: parts.flatMap(each => each.versions),
    partReasons: new Map(parts.flatMap(each => [...(each.partReasons ?? [])])),
  }
}

const lengthOf = ({ start, end }: Session): number => end - start

function numberIn(document: Document, name: string): number {
  const value = document[name]
  return typeof value === 'number' ? value : Number.NaN
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
