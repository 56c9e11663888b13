/**
 * One collection of each live provider that gets hostile responses, the format of its pages, and another collection that must continue
 * meanwhile.
 */
import { busyAccount, openDexcom } from './dexcom/dexcom.ts'
import type { FakeProvider } from './fake-provider.ts'
import { openGoogleHealth } from './google-health/google-health.ts'
import { busyPerson, interval } from './google-health/person.ts'
import { openOura } from './oura/oura.ts'
import { openPolar } from './polar/polar.ts'
import { addWithingsDay } from './varied/people.ts'
import { openWhoop } from './whoop/whoop.ts'
import { openWithings } from './withings/withings.ts'

const ACCOUNT = 'person-1'
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

export interface HostileTarget {
  readonly provider: string
  /** Real time as the engine sees it. */
  readonly now: number
  /** The collection that is attacked, its path, and the resource that a good row has one sample of. */
  readonly collection: string
  readonly path: string
  readonly resource: string
  /** A collection that is not attacked, and a resource that it has samples of. */
  readonly other: { readonly collection: string; readonly resource: string }
  /** Whether its lists are paged. */
  readonly hasPages: boolean
  /** Opens a fake provider with some days of data. */
  open(): Promise<FakeProvider>
  isAttacked(url: URL, form: URLSearchParams): boolean
  /** Returns a page in the provider's format. */
  page(rows: readonly unknown[], next?: unknown): unknown
  /** Returns a row with one sample of the resource. */
  row(at: number): object
  /** Rows with times that are invalid or cannot be stored. */
  readonly badRows: readonly object[]
}

const iso = (at: number): string => new Date(at).toISOString()
const day = (at: number): string => iso(at).slice(0, 10)

/** Times as texts that are invalid, too early or too late. */
const BAD_TIMES = [
  '+275760-09-13T00:00:00.000Z',
  '-271821-04-20T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '0000-00-00T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2026-13-45T99:99:99Z',
  '2026-02-30T12:00:00+99:99',
  'NaN',
  '',
]
const BAD_NUMBERS = [8.64e12, 8.64e15, -8.64e12, -1e300, 2 ** 53, 1e18, -1, 0.5]

/** Returns the targets, with data up to this time. */
export function hostileTargets(now: number): readonly HostileTarget[] {
  const clock = { now: () => now }
  const dayOf = (date: unknown, n: number) => ({
    id: `activity-${n}`,
    day: date,
    timestamp: date,
    steps: 8_000,
    active_calories: 400,
    total_calories: 2_300,
    equivalent_walking_distance: 6_000,
  })
  const group = (date: unknown) => ({
    grpid: 77,
    attrib: 0,
    date,
    modified: date,
    category: 1,
    measures: [{ type: 1, value: 70_500, unit: -3 }],
  })
  const workout = (start: string, end: string) => ({
    id: '2b6b9c0e-0000-4000-8000-000000000001',
    user_id: 1,
    start,
    end,
    timezone_offset: '+02:00',
    score_state: 'SCORED',
    sport_name: 'running',
    score: { average_heart_rate: 128, max_heart_rate: 166, kilojoule: 1569.3, distance_meter: 8200.5 },
  })
  const steps = (times: object) => ({ dataSource: {}, steps: { interval: times, count: '812' } })
  const carbs = (time: string) => ({
    recordId: 'event-1',
    systemTime: time,
    displayTime: time,
    eventStatus: 'created',
    eventType: 'carbs',
    value: '45',
    unit: 'grams',
  })
  const activity = (time: string) => ({
    start_time: time,
    end_time: time,
    active_duration: 'PT2H',
    calories: 2_300,
    active_calories: 400,
    steps: 8_000,
  })
  return [
    {
      provider: 'oura',
      now,
      collection: 'daily_activity',
      path: '/v2/usercollection/daily_activity',
      resource: 'steps',
      other: { collection: 'heartrate', resource: 'heartrate' },
      hasPages: true,
      async open() {
        const fake = await openOura(clock)
        for (let n = 1; n < 20; n++) {
          fake.person(ACCOUNT).heartrate.push({ timestamp: iso(now - n * HOUR_MS), bpm: 60, source: 'awake' })
        }
        return fake
      },
      isAttacked: ({ pathname }) => pathname === '/v2/usercollection/daily_activity',
      page: (data, next = null) => ({ data, next_token: next }),
      row: at => ({ ...dayOf(day(at), 1), timestamp: iso(at) }),
      badRows: BAD_TIMES.flatMap((time, n) => [
        dayOf(time, n),
        { ...dayOf(day(now - 2 * DAY_MS), n + 100), id: '', timestamp: time },
        dayOf(time.replace(/T.*/, ''), n + 200),
      ]),
    },
    {
      provider: 'withings',
      now,
      collection: 'getmeas',
      path: '/measure',
      resource: 'body_weight',
      other: { collection: 'getintradayactivity', resource: 'steps' },
      hasPages: true,
      async open() {
        const fake = await openWithings(clock)
        for (let n = 1; n < 4; n++) addWithingsDay(fake.person(ACCOUNT), Math.floor(now / DAY_MS - n) * DAY_MS)
        return fake
      },
      // the profile requests only heights
      isAttacked: (_url, form) => form.get('action') === 'getmeas' && form.get('meastypes') !== '4',
      page: (measuregrps, next) => ({
        status: 0,
        body: {
          updatetime: 1,
          timezone: 'Etc/UTC',
          measuregrps,
          ...(next === undefined ? {} : { more: 1, offset: next }),
        },
      }),
      row: at => group(Math.floor(at / 1_000)),
      badRows: [...BAD_TIMES, ...BAD_NUMBERS].map(group),
    },
    {
      provider: 'whoop_v2',
      now,
      collection: 'workout',
      path: '/v2/activity/workout',
      resource: 'workout_distance',
      other: { collection: 'sleep', resource: 'hrv' },
      hasPages: true,
      open: () => openWhoop({ ...clock, days: 4, perMinute: 100_000 }),
      isAttacked: ({ pathname }) => pathname.endsWith('/v2/activity/workout'),
      page: (records, next = null) => ({ records, next_token: next }),
      row: at => workout(iso(at), iso(at + HOUR_MS)),
      badRows: BAD_TIMES.map(time => workout(time, time)),
    },
    {
      provider: 'polar',
      now,
      collection: 'activities',
      path: '/v3/users/activities',
      resource: 'steps',
      other: { collection: 'continuous_heart_rate', resource: 'heartrate' },
      hasPages: false,
      open: () => openPolar({ ...clock, days: 4 }),
      isAttacked: ({ pathname }) => pathname === '/v3/users/activities',
      page: rows => rows,
      row: at => activity(iso(at).slice(0, 19)),
      badRows: BAD_TIMES.map(activity),
    },
    {
      provider: 'google_health',
      now,
      collection: 'steps',
      path: '/v4/users/me/dataTypes/steps/dataPoints:reconcile',
      resource: 'steps',
      other: { collection: 'heart-rate', resource: 'heartrate' },
      hasPages: true,
      async open() {
        const fake = await openGoogleHealth(clock)
        fake.people.set(ACCOUNT, busyPerson(now, 2))
        return fake
      },
      isAttacked: ({ pathname }) => pathname === '/v4/users/me/dataTypes/steps/dataPoints:reconcile',
      page: (dataPoints, next = '') => ({ dataPoints, nextPageToken: next }),
      row: at => steps(interval(at, at + 900_000)),
      badRows: BAD_TIMES.map(time => steps({ startTime: time, endTime: time, startUtcOffset: '1e9s' })),
    },
    {
      provider: 'dexcom_v3',
      now,
      collection: 'events',
      path: '/v3/users/self/events',
      resource: 'carbohydrates',
      other: { collection: 'egvs', resource: 'glucose' },
      hasPages: false,
      async open() {
        const fake = await openDexcom(clock)
        fake.accounts.set(ACCOUNT, { ...busyAccount(now, 2), calibrations: [] })
        return fake
      },
      isAttacked: ({ pathname }) => pathname === '/v3/users/self/events',
      page: records => ({ recordType: 'event', recordVersion: '3.0', userId: 'u', records }),
      row: at => carbs(iso(at).slice(0, 19)),
      badRows: BAD_TIMES.map(carbs),
    },
  ]
}
