/** The live connector for Withings. See docs/live-providers.md. */
import { MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import { ProviderError } from '../../provider-session.ts'
import { defineConnector, scope } from '../define-connector.ts'
import { buildAuthorizationUrl } from '../oauth.ts'
import { WITHINGS_COLLECTIONS } from './collections.ts'
import { WITHINGS_MAPPING } from './mapping.ts'
import { withingsNotifications } from './notifications.ts'
import { WITHINGS } from './requests.ts'
import { classifyStatus, readResponse, statusFailure } from './status.ts'
import { exchange, refresh, revoke } from './token.ts'

export const withingsConnector = defineConnector(WITHINGS, {
  defaults: {
    authorizeUrl: 'https://account.withings.com/oauth2_user/authorize2',
    tokenUrl: 'https://wbsapi.withings.net/v2/oauth2',
    apiUrl: 'https://wbsapi.withings.net',
  },
  scopes: [
    scope('user.metrics', 'measurements: weight, blood pressure, temperature, electrocardiograms', {
      required: true,
      resources: [
        ...['body', 'weight', 'fat', 'blood_pressure', 'body_temperature', 'vo2_max', 'profile'],
        ...['electrocardiogram', 'electrocardiogram_voltage'],
      ],
    }),
    scope('user.activity', 'daily activity, sleep and workouts', {
      resources: [
        ...['activity', 'steps', 'distance', 'floors_climbed', 'calories_active', 'calories_basal'],
        ...['workouts', 'workout_stream', 'workout_duration', 'workout_distance', 'workout_swimming_stroke'],
        ...['sleep', 'sleep_cycle', 'hrv', 'respiratory_rate', 'sleep_breathing_disturbance'],
      ],
      enriches: ['heartrate', 'blood_oxygen', 'body_temperature'],
    }),
    scope('user.info', 'when you end the access'),
  ],
  collections: WITHINGS_COLLECTIONS,
  notifications: withingsNotifications,
  limits: [{ scope: 'app', most: 120, windowMs: MINUTE_MS }],
  responseTimeoutMs: 30 * SECOND_MS,
  mapping: WITHINGS_MAPPING,
  unchecked: [
    'What a deletion looks like: Withings does not report deleted measures, so they stay.',
    'Which scope sleep requires. svc reads it with user.activity.',
    'Which status a wrong client secret, a used code and a used refresh token have at the token URL.',
    'Whether a range includes its ends. Rows outside of a window are dropped.',
    'The zone of points within a day: the response may not contain it, and their offset is then unknown.',
    'Whether the length of a pool is in metres.',
    'Whether a negative result for atrial fibrillation is a sinus rhythm, as svc assumes.',
    'Whether the time of an electrocardiogram is that of its first sample.',
    'Which subscriptions are offered to an app; one that is refused is shown by svc provider status, and the data is polled.',
  ],
  authorizationUrl: (app, asked) => buildAuthorizationUrl(app, asked, { scopeSeparator: ',', usesPkce: false }),
  exchange,
  refresh,
  revoke,
  async profile({ tokenSet }) {
    const accountId = tokenSet.extra['userid']
    if (accountId === undefined) throw new ProviderError('bad_answer', 'The response to the code has no person.')
    return { accountId }
  },
  failureIn(response, purpose) {
    // an error, or a page from a gateway, does not have a Withings body
    if (response.status >= 400 || /^text\/html\b/i.test(response.header('content-type') ?? '')) return null
    const { status } = readResponse(response)
    // the meaning of a refused token depends on the request, so the request checks it
    if (purpose === 'token' && classifyStatus(status) !== 'rate_limited') return null
    return statusFailure(status)
  },
})
