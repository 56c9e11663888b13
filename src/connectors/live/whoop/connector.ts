/** The live connector for WHOOP (API v2). */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import { ProviderError } from '../../provider-session.ts'
import { alone, collection, NEWEST } from '../collection.ts'
import { defineConnector, scope } from '../define-connector.ts'
import { buildAuthorizationUrl, endAccess, standardExchange, standardRefresh } from '../oauth.ts'
import { getRecord } from '../requests.ts'
import { addBody } from './body.ts'
import { addCycle, cycleNamed, cyclePages } from './cycle.ts'
import { MAPPING } from './mapping.ts'
import { whoopNotifications } from './notifications.ts'
import { findRecord, listed, WHOOP } from './requests.ts'
import { addNight, nightNamed, nightPages } from './sleep.ts'
import { addWorkout } from './workout.ts'

const NIGHT = ['sleep', 'hrv', 'respiratory_rate', 'blood_oxygen', 'body_temperature', 'heartrate'] as const
const WORKOUT = ['workouts', 'workout_duration', 'workout_distance'] as const
const BODY = ['body', 'weight', 'profile'] as const

const SCOPES = [
  scope('offline', 'access while you are away', { required: true }),
  scope('read:profile', 'profile of your account', { required: true }),
  scope('read:cycles', 'daily activity and strain', { required: true, resources: ['activity'] }),
  scope('read:recovery', 'recovery', {
    resources: ['hrv', 'blood_oxygen', 'body_temperature', 'heartrate'],
    enriches: ['sleep'],
  }),
  scope('read:sleep', 'nights', { resources: ['sleep', 'respiratory_rate'] }),
  scope('read:workout', 'workouts', { resources: WORKOUT }),
  scope('read:body_measurement', 'height, weight and maximum heart rate', { resources: BODY }),
]

/** Common schedule for records: the history has no documented limit, and records change up to a week later. */
const RECORDS = { windowDays: 90, historyDays: Number.POSITIVE_INFINITY, emptyWindows: 2, overlapDays: 7 } as const

const WORKOUTS = '/v2/activity/workout'

const COLLECTIONS = [
  collection(
    WHOOP,
    { ...RECORDS, name: 'sleep', resources: NIGHT, scopes: ['read:sleep'], pollMs: HOUR_MS },
    { pages: nightPages, one: nightNamed, map: addNight },
  ),
  collection(
    WHOOP,
    { ...RECORDS, name: 'workout', resources: WORKOUT, scopes: ['read:workout'], pollMs: HOUR_MS },
    {
      pages: (session, asked) => listed(session, WORKOUTS, asked),
      one: (session, id) => findRecord(session, WORKOUTS, id),
      map: addWorkout,
    },
  ),
  collection(
    WHOOP,
    { ...RECORDS, name: 'cycle', resources: ['activity'], scopes: ['read:cycles'], pollMs: 2 * HOUR_MS },
    { pages: cyclePages, one: cycleNamed, map: addCycle },
  ),
  collection(
    WHOOP,
    { ...NEWEST, name: 'body_measurement', resources: BODY, scopes: ['read:body_measurement'] },
    { pages: session => alone(getRecord(session, '/v2/user/measurement/body')), map: addBody },
  ),
]

const OAUTH = { clientAuth: 'body', takesPkce: false, refreshParameters: { scope: 'offline' } } as const

export const whoopConnector = defineConnector(WHOOP, {
  scopes: SCOPES,
  collections: COLLECTIONS,
  notifications: whoopNotifications,
  defaults: {
    authorizeUrl: 'https://api.prod.whoop.com/oauth/oauth2/auth',
    tokenUrl: 'https://api.prod.whoop.com/oauth/oauth2/token',
    apiUrl: 'https://api.prod.whoop.com/developer',
  },
  limits: [
    { scope: 'app', most: 100, windowMs: MINUTE_MS },
    { scope: 'app', most: 10_000, windowMs: DAY_MS },
  ],
  responseTimeoutMs: 30 * SECOND_MS,
  mapping: MAPPING,
  unchecked: [
    'The state of an authorization: WHOOP speaks of eight characters; svc sends a longer one, which other clients report to work.',
    'Whether WHOOP accepts http://localhost as a redirect URL: reports differ.',
    'How long an access token lasts (an hour in reports) and how quickly a notification needs a response (one second or ten).',
    'Whether WHOOP dates a recovery by its cycle or by its sleep: svc requests one more day on both sides.',
    'The type of samples that svc marks itself (resting heart rate, skin temperature) and the names of rare sports.',
  ],

  authorizationUrl: (app, asked) => buildAuthorizationUrl(app, asked, { usesPkce: false }),
  exchange: (session, granted) => standardExchange(session, OAUTH, granted),
  refresh: (session, tokenSet) => standardRefresh(session, OAUTH, tokenSet),

  revoke: session => endAccess(session, '/v2/user/access'),

  async profile(session) {
    const id = (await getRecord(session, '/v2/user/profile/basic'))?.['user_id']
    if (typeof id === 'number' || typeof id === 'string') return { accountId: String(id) }
    throw new ProviderError('bad_answer', 'WHOOP returned a profile without a user_id.')
  },

  retryAfterMs(response) {
    const seconds = Number(response.header('x-ratelimit-reset') ?? Number.NaN)
    return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * SECOND_MS) : null
  },
})
