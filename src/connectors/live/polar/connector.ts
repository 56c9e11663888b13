/** Polar, AccessLink v3. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { Collection, PulledPage, PullRequest } from '../../connector.ts'
import type { Grant } from '../../grant.ts'
import { type AppSession, type GrantSession, type ProviderAnswer, ProviderError } from '../../provider-session.ts'
import type { LiveConnector } from '../live-connector.ts'
import { authorizationAddress, type StandardOAuth, standardExchange } from '../oauth.ts'
import { KEPT_DAYS, pullActivities } from './activity.ts'
import { pullBloodOxygen, pullElectrocardiograms, pullTemperature } from './biosensing.ts'
import { pullExercises } from './exercise.ts'
import { pullHeartRate } from './heart-rate.ts'
import { MAPPING } from './mapping.ts'
import { pullNights } from './night.ts'
import { polarNotifications } from './notifications.ts'
import { pullPhysicalInfo } from './physical-info.ts'
import { address } from './requests.ts'
import { SETTINGS } from './settings.ts'

type Pull = (session: GrantSession, asked: PullRequest) => AsyncIterable<PulledPage>

/** How far back Polar answers, and how often it is asked: a person adds 100 requests a day to the limit, of which this takes some 90. */
const COLLECTIONS: readonly (Omit<Collection, 'scopes'> & { readonly pull: Pull })[] = [
  {
    name: 'exercises',
    resources: ['workouts', 'workout_stream', 'workout_duration', 'workout_distance', 'heartrate'],
    windowDays: 30,
    historyDays: 30,
    pollMs: 3 * HOUR_MS,
    overlapDays: 1,
    pull: pullExercises,
  },
  {
    name: 'sleep',
    resources: [
      'sleep',
      'sleep_cycle',
      'heartrate',
      'hrv',
      'respiratory_rate',
      'body_temperature',
      'body_temperature_delta',
    ],
    windowDays: 25,
    historyDays: 25,
    pollMs: 4 * HOUR_MS,
    overlapDays: 7,
    pull: pullNights,
  },
  {
    name: 'activities',
    resources: ['activity', 'steps', 'distance', 'calories_active', 'calories_basal'],
    // with the dates that belong to it in any zone, a window has the 28 days that Polar allows
    windowDays: 25,
    historyDays: KEPT_DAYS,
    pollMs: 4 * HOUR_MS,
    overlapDays: 7,
    pull: pullActivities,
  },
  {
    name: 'continuous_heart_rate',
    resources: ['heartrate'],
    windowDays: 14,
    historyDays: 28,
    pollMs: 4 * HOUR_MS,
    overlapDays: 7,
    pull: pullHeartRate,
  },
  {
    name: 'spo2',
    resources: ['blood_oxygen'],
    windowDays: 25,
    historyDays: 25,
    pollMs: 12 * HOUR_MS,
    overlapDays: 7,
    pull: pullBloodOxygen,
  },
  {
    name: 'body_temperature',
    resources: ['body_temperature'],
    windowDays: 25,
    historyDays: 25,
    pollMs: 12 * HOUR_MS,
    overlapDays: 7,
    pull: pullTemperature,
  },
  {
    name: 'ecg',
    resources: ['electrocardiogram', 'electrocardiogram_voltage'],
    windowDays: 25,
    historyDays: 25,
    pollMs: 12 * HOUR_MS,
    overlapDays: 7,
    pull: pullElectrocardiograms,
  },
  {
    name: 'physical_info',
    resources: ['profile', 'body', 'weight', 'vo2_max'],
    windowDays: 1,
    historyDays: 1,
    pollMs: DAY_MS,
    overlapDays: 0,
    pull: pullPhysicalInfo,
  },
]

const SCOPE = 'accesslink.read_all'
const RESOURCES = [...new Set(COLLECTIONS.flatMap(each => each.resources))]
const USER_ID = 'user_id'

const OAUTH: StandardOAuth = {
  clientAuth: 'basic',
  takesPkce: false,
  extra: (answer): Readonly<Record<string, string>> => {
    const id = answer['x_user_id']
    return typeof id === 'number' || typeof id === 'string' ? { [USER_ID]: String(id) } : {}
  },
}

const CONSENTS_MISSING =
  'Polar gives no data of this person: mandatory consents are missing. The person must sign in at https://account.polar.com, accept ' +
  'all mandatory consents, and connect again.'

export const polarConnector: LiveConnector = {
  provider: 'polar',
  mode: 'live',
  scopes: [
    {
      name: SCOPE,
      description: 'training, activity and sleep',
      required: true,
      resources: RESOURCES,
      enriches: [],
    },
  ],
  resources: RESOURCES,
  collections: COLLECTIONS.map(({ pull: _pull, ...collection }) => ({ ...collection, scopes: [SCOPE] })),
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
  answerMs: 30 * SECOND_MS,
  mapping: MAPPING,
  unchecked: [
    'The zone of times of daily activity: the reference says UTC, but the values look like a local day (setting activity_times).',
    'The zone of the continuous heart rate, and the name of the list in an answer about several days (setting heart_rate_times).',
    'Whether a zone of activity lasts until the next one in the list begins: svc reads it so.',
    'Whether cadence counts revolutions on foot: svc doubles it, as it does for recorded files.',
    'Heart rate zones: Polar has five; svc takes them as the second to the sixth.',
    'Times of day in a night on which clocks change: svc uses the offset of its start.',
  ],

  authorizationUrl: (app, asked) => authorizationAddress(app, asked, { usesPkce: false }),

  /** Exchanges the code and registers the person, without which Polar gives no data. */
  async exchange(session, granted) {
    const grant = await standardExchange(session, OAUTH, granted)
    await register(session, grant)
    return grant
  },

  async refresh() {
    throw new ProviderError('grant_lost', 'Polar issues no refresh tokens: the person has to connect again.')
  },

  /** Deletes the registration, and with it the token. */
  async revoke(session) {
    const url = address(session, `/v3/users/${encodeURIComponent(accountOf(session.grant))}`)
    try {
      await session.send({ method: 'DELETE', url, accepted: [404] })
    } catch (error) {
      // the person or Polar was faster
      if (error instanceof ProviderError && (error.kind === 'grant_lost' || error.kind === 'access_refused')) return
      throw error
    }
  },

  async profile({ grant }) {
    return { accountId: accountOf(grant) }
  },

  pull(session, asked) {
    const collection = COLLECTIONS.find(each => each.name === asked.collection)
    if (collection === undefined) throw new Error(`polar: no collection ${asked.collection}`)
    return collection.pull(session, asked)
  },

  failureIn(answer, purpose) {
    if (purpose === 'data' && answer.status === 403)
      return new ProviderError('scope_missing', CONSENTS_MISSING, { status: 403 })
    return null
  },

  retryAfterMs,
}

async function register(session: AppSession, grant: Grant): Promise<void> {
  await session.send({
    method: 'POST',
    url: address(session, '/v3/users'),
    headers: { accept: 'application/json', authorization: `Bearer ${grant.accessToken}` },
    // Polar asks for an id that is unique within the client, which its own is
    json: { 'member-id': `svc-${accountOf(grant)}` },
    isRepeatable: true,
    // registered before
    accepted: [409],
  })
}

function accountOf({ extra }: Grant): string {
  const id = extra[USER_ID]
  if (id !== undefined) return id
  throw new ProviderError('bad_answer', 'Polar answered the code without an x_user_id.')
}

/** Returns the reset of the limit that is used up. The headers hold two values: of the short window, and of the long one. */
function retryAfterMs(answer: ProviderAnswer): number | null {
  const numbers = (name: string): readonly number[] =>
    (answer.header(name) ?? '').split(',').map(text => Number.parseInt(text, 10))
  const [usage, limit] = [numbers('ratelimit-usage'), numbers('ratelimit-limit')]
  const resets = numbers('ratelimit-reset').flatMap((seconds, i) => {
    const isUsedUp = (usage[i] ?? 0) >= (limit[i] ?? Number.POSITIVE_INFINITY)
    return seconds >= 0 ? [{ seconds, isUsedUp }] : []
  })
  if (resets.length === 0) return null
  const usedUp = resets.filter(each => each.isUsedUp).map(each => each.seconds)
  return (usedUp.length > 0 ? Math.max(...usedUp) : Math.min(...resets.map(each => each.seconds))) * SECOND_MS
}
