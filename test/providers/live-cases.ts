/** Every live provider with a fake provider that has some weeks of data of one person, for tests and for trying out live providers. */
import { until } from '../kit/until.ts'
import { busyAccount, openDexcom, reading } from './dexcom/dexcom.ts'
import type { FakeProvider } from './fake-provider.ts'
import { openGoogleHealth } from './google-health/google-health.ts'
import { busyPerson, sampleTime } from './google-health/person.ts'
import { PROJECT_NUMBER } from './google-health/subscribers.ts'
import { openOura } from './oura/oura.ts'
import { openPolar } from './polar/polar.ts'
import { variedDay } from './varied/day.ts'
import { addOuraNight, addWithingsDay, varyDexcom, varyGoogleHealth, varyPolar, varyWhoop } from './varied/people.ts'
import { openWhoop } from './whoop/whoop.ts'
import { weighing } from './withings/busy-person.ts'
import { openWithings } from './withings/withings.ts'

const DAY_MS = 86_400_000
/** Days of data that the person has. */
const DAYS = 20
const ACCOUNT = 'person-1'

export interface OpenCase {
  readonly fake: FakeProvider
  /** The settings of the OAuth app, except the URLs. */
  readonly settings?: Readonly<Record<string, string>>
  /** The key file of a service account, which creates the subscriptions of an OAuth app that has it. */
  readonly serviceAccount?: string
  /** Days of history that are worth pulling: a day may need its own request, and requests are limited. Absent: all. */
  readonly historyDays?: number
  /** A series whose samples are in the history. */
  readonly resource: string
  /** Whether the provider has the subscription for notifications of the series; absent: it needs none. */
  isSubscribed?(): boolean
  /**
   * Adds new samples to the series, and sends a notification if the provider has notifications. Returns the response statuses; null:
   * nothing is sent.
   */
  announce(notificationUrl: string): Promise<readonly number[] | null>
  /** Whether the access was revoked. */
  isRevoked(): boolean
}

export interface LiveCase {
  readonly provider: string
  /** Whether the access token can be refreshed. */
  readonly canRefresh: boolean
  /** Whether the provider has a call that revokes the access. */
  readonly canRevoke: boolean
  /** Starts the fake provider. Default: on a free port. */
  open(port?: number): Promise<OpenCase>
}

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10)
const daysBack = (now: number): readonly number[] =>
  Array.from({ length: DAYS }, (_, n) => Math.floor(now / DAY_MS) * DAY_MS - (n + 1) * DAY_MS)
const isFirstRevoked = (fake: FakeProvider): boolean => fake.tokenSets[0]?.isRevoked ?? false

export const LIVE_CASES: readonly LiveCase[] = [
  {
    provider: 'oura',
    canRefresh: true,
    canRevoke: true,
    async open(port) {
      const fake = await openOura(port === undefined ? {} : { port })
      const person = fake.person(ACCOUNT)
      const activity = (day: string) => {
        const { steps, activeKcal, distanceMeters } = variedDay(Date.parse(`${day}T00:00:00Z`))
        return {
          id: `activity-${day}`,
          day,
          // at any hour, today's data has begun: samples from then on are found, and none is in the future
          timestamp: `${day}T00:00:00+00:00`,
          steps,
          active_calories: activeKcal,
          total_calories: 1_800 + activeKcal,
          equivalent_walking_distance: distanceMeters,
        }
      }
      person.documents['daily_activity'] = daysBack(Date.now()).map(at => activity(isoDay(at)))
      for (const at of daysBack(Date.now())) {
        addOuraNight(person, at)
        const { averageBpm } = variedDay(at).night
        for (let minute = 0; minute < 1_440; minute += 5) {
          const timestamp = new Date(at + minute * 60_000).toISOString()
          person.heartrate.push({ timestamp, bpm: averageBpm + (minute % 45), source: 'awake' })
        }
      }
      return {
        fake,
        settings: { revoke_url: `${fake.url}/oauth/revoke` },
        resource: 'steps',
        isSubscribed: () =>
          fake.subscriptions.some(each => each.data_type === 'daily_activity' && each.event_type === 'create'),
        async announce() {
          const today = activity(isoDay(Date.now()))
          person.documents['daily_activity']?.push(today)
          const event = {
            event_type: 'create',
            data_type: 'daily_activity',
            object_id: today.id,
            user_id: ACCOUNT,
          } as const
          return fake.notify(event)
        },
        isRevoked: () => isFirstRevoked(fake),
      }
    },
  },
  {
    provider: 'withings',
    canRefresh: true,
    canRevoke: true,
    async open(port) {
      const fake = await openWithings(port === undefined ? {} : { port })
      const person = fake.person(ACCOUNT)
      for (const at of daysBack(Date.now())) addWithingsDay(person, at)
      return {
        fake,
        historyDays: DAYS,
        resource: 'body_weight',
        isSubscribed: () => fake.subscriptions.some(each => each.appli === 1),
        async announce() {
          const second = Math.floor(Date.now() / 1_000) - 60
          person.measuregrps.push(weighing(second))
          return fake.notify(ACCOUNT, 1, { startdate: `${second}`, enddate: `${second + 1}` })
        },
        isRevoked: () => isFirstRevoked(fake),
      }
    },
  },
  {
    provider: 'whoop_v2',
    canRefresh: true,
    canRevoke: true,
    async open(port) {
      const fake = await openWhoop({ days: DAYS, ...(port === undefined ? {} : { port }) })
      const person = fake.person(ACCOUNT)
      varyWhoop(person)
      const late = person.recoveries.splice(0, 1)
      return {
        fake,
        resource: 'hrv',
        async announce(notificationUrl) {
          fake.webhookUrl = notificationUrl
          person.recoveries.push(...late)
          const [{ sleep_id: id = '' } = {}] = late
          return [await fake.notify({ type: 'recovery.updated', id, userId: person.userId })]
        },
        isRevoked: () => fake.revoked.length > 0,
      }
    },
  },
  {
    provider: 'polar',
    canRefresh: false,
    canRevoke: true,
    async open(port) {
      const fake = await openPolar({ days: DAYS, ...(port === undefined ? {} : { port }) })
      const person = fake.person(ACCOUNT)
      varyPolar(person)
      const late = person.activities.splice(1, 1)
      return {
        fake,
        resource: 'steps',
        isSubscribed: () => fake.webhook.current !== null,
        async announce() {
          person.activities.push(...late)
          const [{ date = '' } = {}] = late
          return [await fake.webhook.send({ event: 'ACTIVITY_SUMMARY', user_id: person.userId, date })]
        },
        isRevoked: () => isFirstRevoked(fake),
      }
    },
  },
  {
    provider: 'google_health',
    canRefresh: true,
    canRevoke: true,
    async open(port) {
      const fake = await openGoogleHealth(port === undefined ? {} : { port })
      const person = busyPerson(Date.now() - DAY_MS, DAYS)
      varyGoogleHealth(person)
      fake.people.set(ACCOUNT, person)
      return {
        fake,
        settings: {
          keyset_url: `${fake.url}/keyset`,
          revoke_url: `${fake.url}/revoke`,
          project_number: PROJECT_NUMBER,
        },
        serviceAccount: fake.subscribers.keyFile,
        resource: 'heartrate',
        async announce() {
          const at = Math.floor(Date.now() / 60_000) * 60_000 - 120_000
          const body = { sampleTime: sampleTime(at), beatsPerMinute: '61' }
          fake.people.get(ACCOUNT)?.points['heart-rate']?.push({ body })
          const span = { startTime: new Date(at).toISOString(), endTime: new Date(at + 60_000).toISOString() }
          const data = { version: '1', healthUserId: ACCOUNT, operation: 'UPSERT', dataType: 'heart-rate' }
          const event = { data: { ...data, intervals: [{ physicalTimeInterval: span }] } }
          await until(() => fake.subscribers.all.size > 0, { mostMs: 60_000, everyMs: 100 })
          return fake.announce(event)
        },
        isRevoked: () => isFirstRevoked(fake),
      }
    },
  },
  {
    provider: 'dexcom_v3',
    canRefresh: true,
    canRevoke: false,
    async open(port) {
      const fake = await openDexcom(port === undefined ? {} : { port })
      const account = busyAccount(Date.now() - 4 * 3_600_000, DAYS)
      varyDexcom(account)
      fake.accounts.set(ACCOUNT, account)
      return {
        fake,
        resource: 'glucose',
        async announce() {
          fake.accounts.get(ACCOUNT)?.egvs.push(reading(Math.floor(Date.now() / 300_000) * 300_000 - 300_000, 111))
          return null
        },
        isRevoked: () => false,
      }
    },
  },
]
