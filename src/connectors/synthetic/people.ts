/** The people that `svc engine seed` brings: who number so-and-so of a seed is, and what they wear (docs/synthetic-data.md). */
import { ownedId, pathId, type UserId } from '../../core/ids.ts'
import { Stream } from '../../core/random.ts'
import type { IsoDate } from '../../core/time.ts'
import { LifeCourse } from './course/course.ts'
import { identityOf } from './identity.ts'
import { traitsOf } from './traits.ts'

/** Names a person for ever: a store keeps it, so that a later pull tells of the same life. */
export interface PersonKey {
  readonly seed: number
  /** From 1. */
  readonly number: number
}

/** An account of a person at a simulated provider. */
export interface PersonAccount {
  /** Slug of the catalogue. */
  readonly provider: string
  /** Whether the provider ends it in an error, days before the story ends. */
  readonly fails: boolean
}

export interface SeededPerson {
  readonly key: PersonKey
  readonly userId: UserId
  /** `person-001`. */
  readonly clientUserId: string
  /** IANA tz identifier. */
  readonly timeZone: string
  readonly birthDate: IsoDate
  /** What is worn first, then what there is beside it. */
  readonly accounts: readonly PersonAccount[]
}

const HOMES = [
  'Europe/Berlin',
  'America/New_York',
  'Europe/London',
  'America/Los_Angeles',
  'Asia/Tokyo',
  'Europe/Paris',
  'Australia/Sydney',
  'America/Chicago',
  'Asia/Kolkata',
  'America/Sao_Paulo',
] as const
const WORN = ['oura', 'fitbit', 'whoop', 'garmin', 'withings', 'google_health'] as const
const SENSORS = ['dexcom_v3', 'freestyle_libre'] as const
const BESIDE = ['strava', 'omron', 'cronometer'] as const

/** The seed of the streams of chance of a person's days. */
export function streamSeedOf({ seed }: PersonKey): string {
  return `people:${seed}`
}

/**
 * The person of a key in a team. Of ten, one has an account that ends in an error (3, 13 …), two forget their device now and
 * then (2, 7 …), and every third travels (1, 4 …), so that even three people show all of it. The user_id holds the name of the
 * team, as two teams of a store may seed alike.
 */
export function personOf(key: PersonKey, team: string): SeededPerson {
  const { seed, number } = key
  const userId = pathId('person', seed, number, team) as UserId
  const streams = streamSeedOf(key)
  const chance = new Stream(streams, number, 'person')
  const timeZone = HOMES[chance.whole(0, HOMES.length - 1)] as string
  // in turn, so that a handful of people wear a handful of devices
  const first = new Stream(streams, 'devices').whole(0, WORN.length - 1)
  const worn = WORN[(first + number) % WORN.length] as string
  const sensor = SENSORS[(number + seed) % SENSORS.length] as string
  const beside = BESIDE[chance.whole(0, BESIDE.length - 1)] as string
  const others = number % 3 === 0 ? [sensor] : number % 2 === 0 ? [beside] : []
  return {
    key,
    userId,
    clientUserId: `person-${String(number).padStart(3, '0')}`,
    timeZone,
    birthDate: identityOf(streams, userId, traitsOf(streams, userId)).birthDate,
    accounts: [{ provider: worn, fails: number % 10 === 3 }, ...others.map(provider => ({ provider, fails: false }))],
  }
}

/** The course of the person's life; `home` is the zone the user has now, which may be another than at first. */
export function courseOf(key: PersonKey, userId: string, home: string | null): LifeCourse {
  const { number } = key
  return new LifeCourse({
    seed: streamSeedOf(key),
    userId,
    home,
    travels: number % 3 === 1,
    forgets: number % 5 === 2,
  })
}

/** The name of the person's account at a provider, in the form of the way it signs in. */
export function accountName({ userId, clientUserId }: SeededPerson, provider: string, authType: string): string {
  return authType === 'oauth' ? ownedId(userId, 'account', provider) : `${clientUserId}@sandbox.test`
}
