/** WHOOP, API v2. */
import type { ProviderScope } from '../../../catalogue/provider.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { Collection, PulledPage, PullRequest } from '../../connector.ts'
import { type GrantSession, ProviderError } from '../../provider-session.ts'
import type { LiveConnector } from '../live-connector.ts'
import { authorizationAddress, standardExchange, standardRefresh } from '../oauth.ts'
import { pullBody } from './body.ts'
import { pullCycles } from './cycle.ts'
import { MAPPING } from './mapping.ts'
import { whoopNotifications } from './notifications.ts'
import { address, one } from './requests.ts'
import { pullSleeps } from './sleep.ts'
import { pullWorkouts } from './workout.ts'

const NIGHT = ['sleep', 'hrv', 'respiratory_rate', 'blood_oxygen', 'body_temperature', 'heartrate'] as const
const WORKOUT = ['workouts', 'workout_duration', 'workout_distance'] as const
const BODY = ['body', 'weight', 'profile'] as const

const scope = (name: string, description: string, required: boolean, resources: readonly string[]): ProviderScope => ({
  name,
  description,
  required,
  resources,
  enriches: [],
})

const SCOPES: readonly ProviderScope[] = [
  scope('offline', 'access while you are away', true, []),
  scope('read:profile', 'profile of your account', true, []),
  scope('read:cycles', 'daily activity and strain', true, ['activity']),
  {
    ...scope('read:recovery', 'recovery', false, ['hrv', 'blood_oxygen', 'body_temperature', 'heartrate']),
    enriches: ['sleep'],
  },
  scope('read:sleep', 'nights', false, ['sleep', 'respiratory_rate']),
  scope('read:workout', 'workouts', false, WORKOUT),
  scope('read:body_measurement', 'height, weight and maximum heart rate', false, BODY),
]

/** What records have in common: no documented limit of the history, and changes up to a week later. */
const RECORDS = { windowDays: 90, historyDays: Number.POSITIVE_INFINITY, emptyWindows: 2, overlapDays: 7 } as const

const COLLECTIONS: readonly Collection[] = [
  { name: 'sleep', resources: NIGHT, scopes: ['read:sleep'], pollMs: HOUR_MS, ...RECORDS },
  { name: 'workout', resources: WORKOUT, scopes: ['read:workout'], pollMs: HOUR_MS, ...RECORDS },
  { name: 'cycle', resources: ['activity'], scopes: ['read:cycles'], pollMs: 2 * HOUR_MS, ...RECORDS },
  {
    name: 'body_measurement',
    resources: BODY,
    scopes: ['read:body_measurement'],
    windowDays: 1,
    historyDays: 1,
    pollMs: DAY_MS,
    overlapDays: 0,
  },
]

const PULLS: Readonly<Record<string, (session: GrantSession, asked: PullRequest) => AsyncIterable<PulledPage>>> = {
  sleep: pullSleeps,
  workout: pullWorkouts,
  cycle: pullCycles,
  body_measurement: pullBody,
}

const OAUTH = { clientAuth: 'body', takesPkce: false, refreshParameters: { scope: 'offline' } } as const

export const whoopConnector: LiveConnector = {
  provider: 'whoop_v2',
  mode: 'live',
  scopes: SCOPES,
  resources: [...new Set(COLLECTIONS.flatMap(each => each.resources))],
  collections: COLLECTIONS,
  notifications: whoopNotifications,
  defaults: {
    authorizeUrl: 'https://api.prod.whoop.com/oauth/oauth2/auth',
    tokenUrl: 'https://api.prod.whoop.com/oauth/oauth2/token',
    apiUrl: 'https://api.prod.whoop.com/developer',
  },
  settings: [],
  limits: [
    { scope: 'app', most: 100, windowMs: MINUTE_MS },
    { scope: 'app', most: 10_000, windowMs: DAY_MS },
  ],
  answerMs: 30 * SECOND_MS,
  mapping: MAPPING,
  unchecked: [
    'The state of an authorization: WHOOP speaks of eight characters; svc sends a longer one, which other clients report to work.',
    'Whether WHOOP accepts http://localhost as a redirect URL: reports differ.',
    'How long an access token lasts (an hour in reports) and how fast a notification must be answered (one second or ten).',
    'Whether WHOOP dates a recovery by its cycle or by its sleep: svc asks for one day more on both sides.',
    'The type of samples that svc marks itself (resting heart rate, skin temperature) and the names of rare sports.',
  ],

  authorizationUrl: (app, asked) => authorizationAddress(app, asked, { usesPkce: false }),
  exchange: (session, granted) => standardExchange(session, OAUTH, granted),
  refresh: (session, grant) => standardRefresh(session, OAUTH, grant),

  async revoke(session) {
    try {
      await session.send({ method: 'DELETE', url: address(session, '/v2/user/access'), accepted: [404] })
    } catch (error) {
      // the person or WHOOP was faster
      if (error instanceof ProviderError && (error.kind === 'grant_lost' || error.kind === 'access_refused')) return
      throw error
    }
  },

  async profile(session) {
    const id = (await one(session, '/v2/user/profile/basic'))?.['user_id']
    if (typeof id === 'number' || typeof id === 'string') return { accountId: String(id) }
    throw new ProviderError('bad_answer', 'WHOOP answered the profile without a user_id.')
  },

  pull(session, asked) {
    const pull = PULLS[asked.collection]
    if (pull === undefined) throw new Error(`whoop: no collection ${asked.collection}`)
    return pull(session, asked)
  },

  failureIn: () => null,

  retryAfterMs(answer) {
    const seconds = Number(answer.header('x-ratelimit-reset') ?? Number.NaN)
    return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * SECOND_MS) : null
  },
}
