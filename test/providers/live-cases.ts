/** Every live provider with a stand-in that has some weeks of data of one person, for tests and for trying live providers out. */
import { until } from '../kit/until.ts'
import { busyAccount, openDexcom, reading } from './dexcom/dexcom.ts'
import { openGoogleHealth } from './google-health/google-health.ts'
import { busyPerson, sampleTime } from './google-health/person.ts'
import { PROJECT_NUMBER } from './google-health/subscribers.ts'
import { openOura } from './oura/stand-in.ts'
import { openPolar } from './polar/polar.ts'
import type { StandIn } from './stand-in.ts'
import { openWhoop } from './whoop/whoop.ts'
import { openWithings } from './withings/stand-in.ts'

const DAY_MS = 86_400_000
/** Days of data that the person has. */
const DAYS = 20
const ACCOUNT = 'person-1'

export interface OpenCase {
  readonly standIn: StandIn
  /** What a set-up needs besides the addresses. */
  readonly settings?: Readonly<Record<string, string>>
  /** The key file of a service account, which makes the subscriptions of a set-up that has it. */
  readonly serviceAccount?: string
  /** Scopes to request; absent: all. */
  readonly scopes?: readonly string[]
  /** A series whose samples the history brings. */
  readonly resource: string
  /**
   * Makes one new sample of the series appear, and announces it if the provider announces anything. Returns the statuses of the answers;
   * null: nothing is sent.
   */
  announce(notificationUrl: string): Promise<readonly number[] | null>
  /** Whether the access was ended. */
  isRevoked(): boolean
}

export interface LiveCase {
  readonly provider: string
  /** Whether the access token can be renewed. */
  readonly renews: boolean
  /** Whether the provider has a call that ends the access. */
  readonly revokes: boolean
  open(port?: number): Promise<OpenCase>
}

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10)
const daysBack = (now: number): readonly number[] =>
  Array.from({ length: DAYS }, (_, n) => Math.floor(now / DAY_MS) * DAY_MS - (n + 1) * DAY_MS)
const firstGrant = (standIn: StandIn): boolean => standIn.grants[0]?.isRevoked ?? false

export const LIVE_CASES: readonly LiveCase[] = [
  {
    provider: 'oura',
    renews: true,
    revokes: true,
    async open(port) {
      const standIn = await openOura({ ...(port === undefined ? {} : { port }) })
      const person = standIn.person(ACCOUNT)
      const activity = (day: string) => ({
        id: `activity-${day}`,
        day,
        timestamp: `${day}T04:00:00+01:00`,
        steps: 8_000,
        active_calories: 400,
        total_calories: 2_300,
        equivalent_walking_distance: 6_000,
      })
      person.documents['daily_activity'] = daysBack(Date.now()).map(at => activity(isoDay(at)))
      for (const at of daysBack(Date.now())) {
        for (let minute = 0; minute < 1_440; minute += 5) {
          const timestamp = new Date(at + minute * 60_000).toISOString()
          person.heartrate.push({ timestamp, bpm: 50 + (minute % 60), source: 'awake' })
        }
      }
      return {
        standIn,
        settings: { revoke_url: `${standIn.url}/oauth/revoke` },
        resource: 'steps',
        async announce() {
          const today = activity(isoDay(Date.now()))
          person.documents['daily_activity']?.push(today)
          const event = {
            event_type: 'create',
            data_type: 'daily_activity',
            object_id: today.id,
            user_id: ACCOUNT,
          } as const
          return standIn.notify(event)
        },
        isRevoked: () => firstGrant(standIn),
      }
    },
  },
  {
    provider: 'withings',
    renews: true,
    revokes: true,
    async open(port) {
      const standIn = await openWithings({ ...(port === undefined ? {} : { port }) })
      const person = standIn.person(ACCOUNT)
      const group = (at: number) => ({
        grpid: Math.floor(at / 1_000),
        attrib: 0,
        date: Math.floor(at / 1_000),
        modified: Math.floor(at / 1_000),
        category: 1,
        measures: [{ type: 1, value: 70_500, unit: -3 }],
      })
      for (const at of daysBack(Date.now())) person.measuregrps.push(group(at + 7 * 3_600_000))
      return {
        standIn,
        // days and nights take a request each, and the limit is 120 a minute
        scopes: ['user.metrics'],
        resource: 'body_weight',
        async announce() {
          const at = Date.now() - 60_000
          person.measuregrps.push(group(at))
          const seconds = { startdate: `${Math.floor(at / 1_000)}`, enddate: `${Math.floor(at / 1_000) + 1}` }
          return standIn.notify(ACCOUNT, 1, seconds)
        },
        isRevoked: () => firstGrant(standIn),
      }
    },
  },
  {
    provider: 'whoop_v2',
    renews: true,
    revokes: true,
    async open(port) {
      const standIn = await openWhoop({ days: DAYS, ...(port === undefined ? {} : { port }) })
      return {
        standIn,
        resource: 'hrv',
        async announce(notificationUrl) {
          standIn.webhookUrl = notificationUrl
          const person = standIn.person(ACCOUNT)
          const id = person.sleeps[0]?.id ?? ''
          return [await standIn.notify({ type: 'sleep.updated', id, userId: person.userId })]
        },
        isRevoked: () => standIn.revoked.length > 0,
      }
    },
  },
  {
    provider: 'polar',
    renews: false,
    revokes: true,
    async open(port) {
      const standIn = await openPolar({ days: DAYS, ...(port === undefined ? {} : { port }) })
      return {
        standIn,
        resource: 'steps',
        announce: async () => null,
        isRevoked: () => firstGrant(standIn),
      }
    },
  },
  {
    provider: 'google_health',
    renews: true,
    revokes: true,
    async open() {
      const standIn = await openGoogleHealth()
      standIn.people.set(ACCOUNT, busyPerson(Date.now() - DAY_MS, DAYS))
      return {
        standIn,
        settings: {
          keyset_url: `${standIn.url}/keyset`,
          revoke_url: `${standIn.url}/revoke`,
          project_number: PROJECT_NUMBER,
        },
        serviceAccount: standIn.subscribers.keyFile,
        resource: 'heartrate',
        async announce() {
          const at = Math.floor(Date.now() / 60_000) * 60_000 - 120_000
          const body = { sampleTime: sampleTime(at), beatsPerMinute: '61' }
          standIn.people.get(ACCOUNT)?.points['heart-rate']?.push({ body })
          const span = { startTime: new Date(at).toISOString(), endTime: new Date(at + 60_000).toISOString() }
          const data = { version: '1', healthUserId: ACCOUNT, operation: 'UPSERT', dataType: 'heart-rate' }
          const event = { data: { ...data, intervals: [{ physicalTimeInterval: span }] } }
          await until(() => standIn.subscribers.all.size > 0, { mostMs: 60_000, everyMs: 100 })
          return standIn.announce(event)
        },
        isRevoked: () => firstGrant(standIn),
      }
    },
  },
  {
    provider: 'dexcom_v3',
    renews: true,
    revokes: false,
    async open() {
      const standIn = await openDexcom()
      standIn.accounts.set(ACCOUNT, busyAccount(Date.now() - 4 * 3_600_000, DAYS))
      return {
        standIn,
        resource: 'glucose',
        async announce() {
          standIn.accounts.get(ACCOUNT)?.egvs.push(reading(Math.floor(Date.now() / 300_000) * 300_000 - 300_000, 111))
          return null
        },
        isRevoked: () => false,
      }
    },
  },
]
