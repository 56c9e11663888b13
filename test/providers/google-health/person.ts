/** A person's data at the fake Google Health provider, and points in the provider's format. */

/** A point as the provider stores it, with an ID for types with IDs. */
export interface GoogleHealthPoint {
  readonly id?: string
  readonly body: Readonly<Record<string, unknown>>
  readonly dataSource?: unknown
}

export interface GoogleHealthPerson {
  /** False: the Google account has no Google Health account. */
  isLinked: boolean
  readonly timeZone: string
  /** By type: `heart-rate`. */
  readonly points: Record<string, GoogleHealthPoint[]>
  /** Daily sums by type and local date: `{ steps: { '2026-11-20': { countSum: '812' } } }`. */
  readonly days: Record<string, Record<string, Readonly<Record<string, unknown>>>>
}

export function emptyPerson(timeZone = 'Europe/Berlin'): GoogleHealthPerson {
  return { isLinked: true, timeZone, points: {}, days: {} }
}

const iso = (ms: number): string => new Date(ms).toISOString()

export interface CivilDateTime {
  readonly date: { readonly year: number; readonly month: number; readonly day: number }
  /** Parts that are 0 are left out. */
  readonly time: { readonly hours?: number; readonly minutes?: number; readonly seconds?: number }
}

function civil(at: number, offset: number): CivilDateTime {
  const local = new Date(at + offset * 1000)
  const [hours, minutes, seconds] = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()]
  return {
    date: { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() },
    time: { ...(hours && { hours }), ...(minutes && { minutes }), ...(seconds && { seconds }) },
  }
}

/** Times of an interval, with one offset in seconds. */
export function interval(start: number, end: number, offset = 3600): Readonly<Record<string, unknown>> {
  return {
    startTime: iso(start),
    endTime: iso(end),
    startUtcOffset: `${offset}s`,
    endUtcOffset: `${offset}s`,
    civilStartTime: civil(start, offset),
    civilEndTime: civil(end, offset),
  }
}

export function sampleTime(at: number, offset = 3600): Readonly<Record<string, unknown>> {
  return {
    physicalTime: iso(at),
    utcOffset: `${offset}s`,
    civilTime: civil(at, offset),
  }
}

export function civilDate(text: string): Readonly<Record<string, number>> {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number)
  return { year, month, day }
}

/** Returns a person with some of everything on each of the last days, ending at `now`. The same arguments give the same data. */
export function busyPerson(now: number, days: number): GoogleHealthPerson {
  const person = emptyPerson()
  const dayMs = 86_400_000
  const today = Math.floor(now / dayMs) * dayMs
  const add = (type: string, body: Readonly<Record<string, unknown>>, id?: string): void => {
    person.points[type] ??= []
    person.points[type].push({ body, ...(id === undefined ? {} : { id }) })
  }
  for (let i = days; i >= 0; i--) {
    const day = today - i * dayMs
    const date = iso(day).slice(0, 10)
    for (let minute = 480; minute < 1200; minute += 15) {
      const at = day + minute * 60_000
      if (at > now) break
      add('steps', { interval: interval(at, at + 900_000), count: String(100 + (minute % 90)) })
      add('heart-rate', { sampleTime: sampleTime(at), beatsPerMinute: String(60 + (minute % 40)) })
    }
    person.days['steps'] ??= {}
    person.days['steps'][date] = { countSum: String(6_800 + i) }
    if (day + 7 * 3_600_000 > now) continue
    const night = [day - 3_600_000, day + 6 * 3_600_000] as const
    add(
      'sleep',
      {
        interval: interval(...night),
        type: 'STAGES',
        stages: [
          { startTime: iso(night[0]), endTime: iso(night[0] + 3_600_000), type: 'LIGHT' },
          { startTime: iso(night[0] + 3_600_000), endTime: iso(night[1]), type: 'DEEP' },
        ],
        metadata: { processed: true, mainSleep: true },
      },
      `sleep-${date}`,
    )
    add('weight', { sampleTime: sampleTime(day + 7 * 3_600_000), weightGrams: 70_000 + i }, `weight-${date}`)
  }
  return person
}
