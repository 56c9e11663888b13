/** The live connector for Oura (API v2). See docs/live-providers.md. */
import { MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import { ProviderError, type TokenSession } from '../../provider-session.ts'
import { defineConnector, scope } from '../define-connector.ts'
import { withTexts } from '../field-table.ts'
import { buildAuthorizationUrl, checkedUrl, type StandardOAuth, standardExchange, standardRefresh } from '../oauth.ts'
import { getObject } from '../requests.ts'
import { OURA_COLLECTIONS } from './collections.ts'
import { collectionPath, OURA } from './document.ts'
import { OURA_MAPPING } from './mapping.ts'
import { ouraNotifications } from './notifications.ts'

const OAUTH: StandardOAuth = { clientAuth: 'body', takesPkce: false, scopeNames }

/** Names from older documentation, which calls some scopes differently. */
const ALIASES: Readonly<Record<string, string>> = { spo2Daily: 'spo2' }

/** Returns the scopes in a response. Names may have a prefix that ends in a colon. */
function scopeNames(text: string): readonly string[] {
  return text
    .split(/[\s,]+/)
    .map(name => name.slice(name.lastIndexOf(':') + 1))
    .filter(name => name !== '')
    .map(name => ALIASES[name] ?? name)
}

export const ouraConnector = defineConnector(OURA, {
  defaults: {
    authorizeUrl: 'https://cloud.ouraring.com/oauth/authorize',
    tokenUrl: 'https://api.ouraring.com/oauth/token',
    apiUrl: 'https://api.ouraring.com',
  },
  settings: [
    {
      name: 'revoke_url',
      description:
        'URL that revokes an access. For apps of the new developer portal: https://moi.ouraring.com/oauth/v2/ext/oauth-revoke',
      default: 'https://api.ouraring.com/oauth/revoke',
    },
    {
      name: 'signature_age_seconds',
      description: "Maximum age of a notification's signature, in seconds. Oura repeats notifications for an hour",
      default: '4500',
    },
  ],
  scopes: [
    scope('daily', 'daily activity, sleep and recovery', {
      required: true,
      resources: [
        ...['activity', 'steps', 'distance', 'calories_active', 'calories_basal'],
        ...['sleep', 'sleep_cycle', 'heartrate', 'hrv', 'respiratory_rate', 'body_temperature_delta'],
      ],
    }),
    scope('heartrate', 'heart rate throughout the day', { resources: ['workout_stream'], enriches: ['heartrate'] }),
    scope('workout', 'workouts', {
      resources: ['workouts', 'workout_stream', 'workout_duration', 'workout_distance'],
    }),
    scope('spo2', 'blood oxygen at night', { resources: ['blood_oxygen'] }),
    scope('heart_health', 'cardio capacity', { enriches: ['vo2_max'] }),
    scope('session', 'meditations and other sessions', {
      resources: ['mindfulness_minutes'],
      enriches: ['heartrate'],
    }),
    scope('tag', 'tags', { resources: ['note'] }),
    scope('personal', 'height, weight, age and sex', { resources: ['profile', 'body', 'weight'] }),
  ],
  collections: OURA_COLLECTIONS,
  notifications: ouraNotifications,
  limits: [{ scope: 'app', most: 5000, windowMs: 5 * MINUTE_MS }],
  responseTimeoutMs: 30 * SECOND_MS,
  mapping: OURA_MAPPING,
  unchecked: [
    'Which identity host an app belongs to. Apps of the new developer portal use moi.ouraring.com, whose URLs are set with --authorize-url, --token-url and the setting revoke_url.',
    'The prefix that the provider may add to the names of granted scopes.',
    'The unit of the time stamp of a notification, and whether a repetition is signed anew.',
    'The scope that is required for the maximal oxygen uptake.',
    "Which measure a session's heart rate variability is. It is omitted.",
    'Whether a range of heart rates includes its ends. Requests add a second on both sides.',
    'How long a subscription lasts. The response that creates it contains the end.',
    'Dates in the future as the end of a range, which are sent so that a day in the east is not missed.',
  ],
  authorizationUrl: (app, asked) => buildAuthorizationUrl(app, asked, { usesPkce: false }),
  async exchange(session, granted) {
    const tokenSet = await standardExchange(session, OAUTH, granted)
    // a token set belongs to the host that issued it
    return { ...tokenSet, extra: { ...tokenSet.extra, token_url: session.app.tokenUrl } }
  },
  refresh: (session, tokenSet) =>
    standardRefresh(session, { ...OAUTH, tokenUrl: tokenSet.extra['token_url'] ?? session.app.tokenUrl }, tokenSet),
  revoke,
  async profile(session) {
    const named = withTexts(await getObject(session, collectionPath('personal_info')), 'id')
    if (named === undefined) throw new ProviderError('bad_answer', 'The response for personal_info has no id.')
    return { accountId: named.id }
  },
})

async function revoke(session: TokenSession): Promise<void> {
  const url = checkedUrl(session.app.settings['revoke_url'] ?? '', 'revocation')
  url.searchParams.set('access_token', session.tokenSet.accessToken)
  // Oura refuses to revoke a token that is no longer valid
  await session.send({ method: 'POST', url, isRepeatable: true, accepted: [400, 401, 404] })
}
