/** Counts a user's samples that are outside the limits of their resource. See docs/interface/plausibility.md#plausibility-7. */
import { allLimitsText, limitsOf } from '../../catalogue/plausibility.ts'
import { RESOURCES } from '../../catalogue/resources.ts'
import { getOrInsert } from '../../core/maps.ts'
import { startAt } from '../../core/sample.ts'
import { type EpochMs, formatInstant } from '../../core/time.ts'
import { TimeSlice } from '../../core/time-slice.ts'
import type { SeriesSlice } from '../../store/sample.ts'
import { implausibleRows } from '../aggregate/scan/implausible.ts'
import { rowKinds } from '../aggregate/scan/sample-kinds.ts'
import { type Handler, ok } from '../context.ts'
import { activeUser } from '../users/users.ts'

/** All times that have a date, in epoch milliseconds. */
const ALL = { provider: null, from: -8.64e15, to: 8.64e15 }

interface Counts {
  samples: number
  of: number
  oldest: EpochMs
  newest: EpochMs
}

export const listImplausible: Handler<'timeseries.implausible'> = async (engine, { params }, call) => {
  const { userId } = await activeUser(engine, call.team.teamId, params.user_id)
  const slice = new TimeSlice()
  const data = []
  for (const { name, unit } of RESOURCES) {
    const limits = limitsOf(name)
    if (limits === undefined) continue
    const sources = new Map<string, Counts>()
    for await (const some of engine.store.samples.scan(userId, { ...ALL, resource: name })) {
      addSlice(some, sources)
      if (slice.isOver) await slice.rest(call.signal)
    }
    for (const [key, { samples, of, oldest, newest }] of sources) {
      if (samples === 0) continue
      const [provider = '', source_type = ''] = key.split('\u0000')
      const times = { oldest: formatInstant(oldest), newest: formatInstant(newest) }
      data.push({ resource: name, provider, source_type, limits: allLimitsText(limits, unit), samples, of, ...times })
    }
  }
  return ok({ data })
}

function addSlice({ series, columns, packing }: SeriesSlice, sources: Map<string, Counts>): void {
  const counts = getOrInsert(sources, [series.provider, series.sourceType].join('\u0000'), () => ({
    samples: 0,
    of: 0,
    oldest: Number.POSITIVE_INFINITY,
    newest: Number.NEGATIVE_INFINITY,
  }))
  counts.of += columns.n
  const rows = implausibleRows({ source: series, stored: columns, packing, kinds: () => rowKinds(series, columns) })
  for (let row = rows?.indexOf(1) ?? -1; rows !== null && row >= 0; row = rows.indexOf(1, row + 1)) {
    const at = startAt(columns, row)
    counts.samples++
    counts.oldest = Math.min(counts.oldest, at)
    counts.newest = Math.max(counts.newest, at)
  }
}
