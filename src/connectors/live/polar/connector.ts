/** The live connector for Polar (AccessLink v3). */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { Collection } from '../../connector.ts'
import { type AppSession, ProviderError, type ProviderResponse } from '../../provider-session.ts'
import type { TokenSet } from '../../token-set.ts'
import { alone, type CollectionPlan, collection, type LiveCollection, NEWEST } from '../collection.ts'
import { defineConnector, scope } from '../define-connector.ts'
import { buildAuthorizationUrl, endAccess, type StandardOAuth, standardExchange } from '../oauth.ts'
import { apiUrl } from '../requests.ts'
import { activityPages, addActivity, KEPT_DAYS } from './activity.ts'
import {
  addBloodOxygen,
  addElectrocardiogram,
  addTemperatures,
  BLOOD_OXYGEN,
  ELECTROCARDIOGRAMS,
  temperaturePages,
  testPages,
} from './biosensing.ts'
import { addExercise, exerciseNamed, exercisePages } from './exercise.ts'
import { addHeartRate, heartRatePages } from './heart-rate.ts'
import { MAPPING } from './mapping.ts'
import { addNight, nightPages } from './night.ts'
import { polarNotifications } from './notifications.ts'
import { addPhysicalInfo, physicalInfo } from './physical-info.ts'
import { POLAR } from './requests.ts'
import { SETTINGS } from './settings.ts'

const SCOPE = 'accesslink.read_all'
const EXERCISE = ['workouts', 'workout_stream', 'workout_duration', 'workout_distance', 'heartrate']
const NIGHT = [
  ...['sleep', 'sleep_cycle', 'heartrate', 'hrv', 'respiratory_rate'],
  ...['body_temperature', 'body_temperature_delta'],
]
const DAY = ['activity', 'steps', 'distance', 'calories_active', 'calories_basal']
const ECG = ['electrocardiogram', 'electrocardiogram_voltage']

const days = (windowDays: number, historyDays: number, overlapDays: number) => ({
  windowDays,
  historyDays,
  overlapDays,
})

function polar<Item>(named: Omit<Collection, 'scopes'>, plan: CollectionPlan<Item>): LiveCollection {
  return collection(POLAR, { ...named, scopes: [SCOPE] }, plan)
}

/**
 * The collections, with the range of Polar's data and the poll intervals. Each person adds 100 requests per day to the limit; polling uses
 * about 90 of them.
 */
const COLLECTIONS = [
  polar(
    { ...days(30, 30, 1), name: 'exercises', resources: EXERCISE, pollMs: 3 * HOUR_MS },
    { pages: exercisePages, one: exerciseNamed, map: addExercise },
  ),
  polar(
    { ...days(25, 25, 7), name: 'sleep', resources: NIGHT, pollMs: 4 * HOUR_MS },
    { pages: nightPages, map: addNight },
  ),
  polar(
    // including the dates that it touches in any zone, a window has the 28 days that Polar allows
    { ...days(25, KEPT_DAYS, 7), name: 'activities', resources: DAY, pollMs: 4 * HOUR_MS },
    { pages: activityPages, map: addActivity },
  ),
  polar(
    { ...days(14, 28, 7), name: 'continuous_heart_rate', resources: ['heartrate'], pollMs: 4 * HOUR_MS },
    { pages: heartRatePages, map: addHeartRate },
  ),
  polar(
    { ...days(25, 25, 7), name: 'spo2', resources: ['blood_oxygen'], pollMs: 12 * HOUR_MS },
    { pages: testPages(BLOOD_OXYGEN), map: addBloodOxygen },
  ),
  polar(
    { ...days(25, 25, 7), name: 'body_temperature', resources: ['body_temperature'], pollMs: 12 * HOUR_MS },
    { pages: temperaturePages, map: addTemperatures },
  ),
  polar(
    { ...days(25, 25, 7), name: 'ecg', resources: ECG, pollMs: 12 * HOUR_MS },
    { pages: testPages(ELECTROCARDIOGRAMS), map: addElectrocardiogram },
  ),
  polar(
    { ...NEWEST, name: 'physical_info', resources: ['profile', 'body', 'weight', 'vo2_max'] },
    { pages: session => alone(physicalInfo(session)), map: addPhysicalInfo },
  ),
]

const USER_ID = 'user_id'

const OAUTH: StandardOAuth = {
  clientAuth: 'basic',
  takesPkce: false,
  extra: (response): Readonly<Record<string, string>> => {
    const id = response['x_user_id']
    return typeof id === 'number' || typeof id === 'string' ? { [USER_ID]: String(id) } : {}
  },
}

const CONSENTS_MISSING =
  'Polar returns no data for this person: mandatory consents are missing. The person must sign in at https://account.polar.com, accept ' +
  'all mandatory consents, and connect again.'

export const polarConnector = defineConnector(POLAR, {
  scopes: [
    scope(SCOPE, 'training, activity and sleep', {
      required: true,
      resources: [...new Set(COLLECTIONS.flatMap(each => each.resources))],
    }),
  ],
  collections: COLLECTIONS,
  notifications: polarNotifications,
  defaults: {
    authorizeUrl: 'https://flow.polar.com/oauth2/authorization',
    tokenUrl: 'https://polarremote.com/v2/oauth2/token',
    apiUrl: 'https://www.polaraccesslink.com',
  },
  settings: SETTINGS,
  limits: [
    { scope: 'app', most: 500, windowMs: 15 * MINUTE_MS, mostForEachPerson: 20 },
    { scope: 'app', most: 5000, windowMs: DAY_MS, mostForEachPerson: 100 },
  ],
  responseTimeoutMs: 30 * SECOND_MS,
  mapping: MAPPING,
  unchecked: [
    'The zone of times of daily activity: the reference says UTC, but the values look like a local day (setting activity_times).',
    'The zone of the continuous heart rate, and the name of the list in a response about several days (setting heart_rate_times).',
    'Whether a zone of activity lasts until the next one in the list begins, as svc assumes.',
    'Whether cadence counts revolutions on foot: svc doubles it, as it does for recorded files.',
    'Heart rate zones: Polar has five; svc uses them as the second to the sixth.',
    'Times of day in a night during which clocks change: svc uses the offset at its start.',
  ],

  authorizationUrl: (app, asked) => buildAuthorizationUrl(app, asked, { usesPkce: false }),

  /** Exchanges the code and registers the person. Polar returns data only for registered people. */
  async exchange(session, granted) {
    const tokenSet = await standardExchange(session, OAUTH, granted)
    await register(session, tokenSet)
    return tokenSet
  },

  async refresh() {
    throw new ProviderError('grant_lost', 'Polar issues no refresh tokens: the person has to connect again.')
  },

  /** Deletes the registration, which also deletes the token. */
  async revoke(session) {
    await endAccess(session, `/v3/users/${encodeURIComponent(accountId(session.tokenSet))}`)
  },

  async profile({ tokenSet }) {
    return { accountId: accountId(tokenSet) }
  },

  failureIn(response, purpose) {
    if (purpose === 'data' && response.status === 403)
      return new ProviderError('scope_missing', CONSENTS_MISSING, { status: 403 })
    return null
  },

  retryAfterMs,
})

async function register(session: AppSession, tokenSet: TokenSet): Promise<void> {
  await session.send({
    method: 'POST',
    url: apiUrl(session, '/v3/users'),
    headers: { accept: 'application/json', authorization: `Bearer ${tokenSet.accessToken}` },
    // Polar requires an ID that is unique within the client, as Polar's own ID is
    json: { 'member-id': `svc-${accountId(tokenSet)}` },
    isRepeatable: true,
    // already registered
    accepted: [409],
  })
}

function accountId({ extra }: TokenSet): string {
  const id = extra[USER_ID]
  if (id !== undefined) return id
  throw new ProviderError('bad_answer', 'Polar responded to the code without an x_user_id.')
}

/** Returns when the exhausted limit is reset. The headers contain one value for the short window and one for the long window. */
function retryAfterMs(response: ProviderResponse): number | null {
  const numbers = (name: string): readonly number[] =>
    (response.header(name) ?? '').split(',').map(text => Number.parseInt(text, 10))
  const [usage, limit] = [numbers('ratelimit-usage'), numbers('ratelimit-limit')]
  const resets = numbers('ratelimit-reset').flatMap((seconds, i) => {
    const isUsedUp = (usage[i] ?? 0) >= (limit[i] ?? Number.POSITIVE_INFINITY)
    return seconds >= 0 ? [{ seconds, isUsedUp }] : []
  })
  if (resets.length === 0) return null
  const usedUp = resets.filter(each => each.isUsedUp).map(each => each.seconds)
  return (usedUp.length > 0 ? Math.max(...usedUp) : Math.min(...resets.map(each => each.seconds))) * SECOND_MS
}
