/**
 * The people that `svc engine seed` creates: a seed's person with a given number, and that person's devices. See docs/synthetic-data.md.
 */
import { ownedId, pathId, type UserId } from '../../core/ids.ts'
import { present } from '../../core/present.ts'
import { Stream } from '../../core/random.ts'
import type { IsoDate } from '../../core/time.ts'
import { LifeCourse } from './course/course.ts'
import { deriveIdentity } from './identity.ts'
import { drawTraits } from './traits.ts'

/** Identifies a person permanently. The key is stored, so that a later pull continues the same life. */
export interface PersonKey {
  readonly seed: number
  /** The person's number, starting at 1. */
  readonly number: number
}

/** A person's account at a simulated provider. */
export interface PersonAccount {
  /** Slug of a provider in the catalogue. */
  readonly provider: string
  /** Whether the connection ends in an error, several days before the end of the data. */
  readonly fails: boolean
}

export interface SeededPerson {
  readonly key: PersonKey
  readonly userId: UserId
  /** `person-001`. */
  readonly clientUserId: string
  /** IANA zone identifier. */
  readonly timeZone: string
  readonly birthDate: IsoDate
  /** Accounts, starting with the worn device's account. */
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

/** Returns the seed for the random streams of a person's days. */
export function streamSeed({ seed }: PersonKey): string {
  return `people:${seed}`
}

/**
 * Returns the person with this key in a team. Of ten people, one has a connection that ends in an error (3, 13 …), two sometimes forget
 * their device (2, 7 …), and every third travels (1, 4 …), so even three people show everything. The user_id is also derived from the
 * team's name, because two teams in a store may use the same seed.
 */
export function makePerson(key: PersonKey, team: string): SeededPerson {
  const { seed, number } = key
  const userId = pathId('person', seed, number, team) as UserId
  const streams = streamSeed(key)
  const chance = new Stream(streams, number, 'person')
  const timeZone = chance.pick(HOMES)
  // chosen in rotation, so that even a few people wear different devices
  const first = new Stream(streams, 'devices').whole(0, WORN.length - 1)
  const worn = present(WORN[(first + number) % WORN.length], 'a device')
  const sensor = present(SENSORS[(number + seed) % SENSORS.length], 'a sensor')
  const beside = chance.pick(BESIDE)
  const others = number % 3 === 0 ? [sensor] : number % 2 === 0 ? [beside] : []
  return {
    key,
    userId,
    clientUserId: `person-${String(number).padStart(3, '0')}`,
    timeZone,
    birthDate: deriveIdentity(streams, userId, drawTraits(streams, userId)).birthDate,
    accounts: [{ provider: worn, fails: number % 10 === 3 }, ...others.map(provider => ({ provider, fails: false }))],
  }
}

/** Returns the course of the person's life. `home` is the user's current zone, which may differ from the first one. */
export function createCourse(key: PersonKey, userId: string, home: string | null): LifeCourse {
  const { number } = key
  return new LifeCourse({
    seed: streamSeed(key),
    userId,
    home,
    travels: number % 3 === 1,
    forgets: number % 5 === 2,
  })
}

/** Returns the name of the person's account at a provider, in the form that the provider's sign-in uses. */
export function accountName({ userId, clientUserId }: SeededPerson, provider: string, authType: string): string {
  return authType === 'oauth' ? ownedId(userId, 'account', provider) : `${clientUserId}@sandbox.test`
}
