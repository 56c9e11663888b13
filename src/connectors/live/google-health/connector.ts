/** The live connector for Google Health (API v4, the successor of the Fitbit Web API). */
import { DAY_MS, MINUTE_MS } from '../../../core/time.ts'
import { isTimeZone } from '../../../core/zones.ts'
import type { AccountProfile } from '../../connector.ts'
import { ProviderError, type ProviderResponse, type TokenSession } from '../../provider-session.ts'
import { asText, member } from '../../shared/json-fields.ts'
import { defineConnector } from '../define-connector.ts'
import { buildAuthorizationUrl, checkedUrl, type StandardOAuth, standardExchange, standardRefresh } from '../oauth.ts'
import { apiUrl, getObject, objectIn } from '../requests.ts'
import { COLLECTIONS } from './collections.ts'
import { GOOGLE } from './data-types.ts'
import { MAPPING } from './mapping.ts'
import { notifications } from './notifications.ts'
import { reasonIn } from './requests.ts'
import { qualifiedScope, REPRODUCTIVE, SCOPES, SETTINGS, scopeNames } from './scopes.ts'
import { readServiceAccount } from './subscriber.ts'

/** The OAuth settings. A refresh response has no refresh token, so the existing one stays. */
const OAUTH: StandardOAuth = { clientAuth: 'body', takesPkce: true, scopeNames }

export const googleHealthConnector = defineConnector(GOOGLE, {
  scopes: SCOPES,
  resources: [...new Set(SCOPES.flatMap(scope => scope.resources))],
  collections: COLLECTIONS,
  notifications,
  defaults: {
    authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    apiUrl: 'https://health.googleapis.com',
  },
  settings: [
    {
      name: 'data_source_family',
      description: 'Sources that are merged into one stream',
      default: 'all-sources',
      values: ['all-sources', 'google-wearables', 'google-sources'],
    },
    {
      name: 'menstrual_cycle',
      description: `Request the scope ${REPRODUCTIVE}. Google documents periods and ovulation tests for writing only`,
      default: 'no',
      values: ['no', 'yes'],
    },
    {
      name: 'revoke_url',
      description: 'URL that revokes an access',
      default: 'https://oauth2.googleapis.com/revoke',
    },
    {
      name: 'keyset_url',
      description: 'URL of the public keys for notification signatures',
      default: 'https://www.gstatic.com/googlehealthapi/webhooks/webhooks_public_keyset.json',
    },
    {
      name: 'project_number',
      description:
        'Number of the cloud project, for the service account; empty: the number at the start of the client id',
      default: '',
    },
  ],
  limits: [
    { scope: 'person', most: 300, windowMs: MINUTE_MS },
    { scope: 'app', most: 120_000, windowMs: MINUTE_MS },
    { scope: 'app', most: 86_400_000, windowMs: DAY_MS },
  ],
  readServiceAccount,
  responseTimeoutMs: 30_000,
  mapping: MAPPING,
  unchecked: [
    'The limits of an app that Google has not verified, which are lower. A 429 slows the pulls down.',
    "How to follow Google's check of the URL: svc reads the operation that the call returns until it is done.",
    'Whether the number that a client id begins with is always that of the project. The setting project_number changes it.',
    'Where the four heart rate zones begin. They are taken as the first, second, fourth and sixth of hr_zones: below 50 %, and from 50, 70 and 85 % of the highest heart rate.',
    'How far back the provider lists data. Samples are read for 90 days, and sessions until a year has none.',
  ],

  authorizationUrl(app, asked) {
    const isWanted = (name: string): boolean => name !== REPRODUCTIVE || app.settings['menstrual_cycle'] === 'yes'
    const scopes = app.scopes.filter(isWanted).map(qualifiedScope)
    // without a consent prompt, linking the same account again returns no refresh token
    const parameters = { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true' }
    return buildAuthorizationUrl({ ...app, scopes }, asked, { parameters, usesPkce: true })
  },
  exchange: (session, granted) => standardExchange(session, OAUTH, granted),
  refresh: (session, tokenSet) => standardRefresh(session, OAUTH, tokenSet),
  revoke,
  profile,

  failureIn,
})

async function revoke(session: TokenSession): Promise<void> {
  const { refreshToken, accessToken } = session.tokenSet
  const response = await session.send({
    method: 'POST',
    url: checkedUrl(session.app.settings['revoke_url'] ?? '', 'revocation'),
    form: { token: refreshToken ?? accessToken },
    isRepeatable: true,
    accepted: [400],
  })
  // Google returns `invalid_token` if the token is already invalid, which is the goal
  if (response.status === 400 && member(response.json(), 'error') !== 'invalid_token') {
    throw new ProviderError('bad_request', 'Google refused to revoke the access.', { status: 400 })
  }
}

async function profile(session: TokenSession): Promise<AccountProfile> {
  const { tokenSet } = session
  const identity = await getObject(session, '/v4/users/me/identity')
  const accountId = asText(identity['healthUserId'])
  if (accountId === undefined || accountId === '') {
    throw new ProviderError('bad_answer', 'Google Health did not return the owner of the account.')
  }
  if (tokenSet.scopes !== null && !tokenSet.scopes.includes(SETTINGS)) return { accountId }
  // the time zone is optional, so its absence is not a reason to refuse the account
  const url = apiUrl(session, '/v4/users/me/settings')
  const response = await session.send({ method: 'GET', url, accepted: [403, 404] })
  const timeZone = response.status < 400 ? asText(objectIn(response)['timeZone']) : undefined
  return timeZone !== undefined && isTimeZone(timeZone) ? { accountId, timeZone } : { accountId }
}

function failureIn(response: ProviderResponse, purpose: 'token' | 'data'): ProviderError | null {
  const { status } = response
  if (purpose === 'token' || (status !== 400 && status !== 403)) return null
  const reason = reasonIn(response)
  if (reason === 'ACCOUNT_NOT_LINKED') {
    const message =
      'The Google account has no Google Health account. The person sets one up in the Google Health app, and connects again.'
    return new ProviderError('grant_lost', message, { status })
  }
  if (reason === 'SERVICE_DISABLED') {
    const message = 'The Google Health API is not enabled in the Google Cloud project of the client. Enable it there.'
    return new ProviderError('credentials', message, { status })
  }
  if (reason === 'USER_PROJECT_DENIED') {
    const message =
      'Google does not let the client use its Google Cloud project. Check in the console that the project exists and is active, and that the client id is one of its own.'
    return new ProviderError('credentials', message, { status })
  }
  if (reason === 'RATE_LIMIT_EXCEEDED')
    return new ProviderError('rate_limited', 'Google Health requested a pause.', { status })
  return null
}
