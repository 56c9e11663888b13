/** The live connector for Dexcom (API v3), which is polled because it has no notifications. */
import { HOUR_MS } from '../../../core/time.ts'
import { type AppSession, ProviderError, type TokenSession } from '../../provider-session.ts'
import { asText } from '../../shared/json-fields.ts'
import { collection } from '../collection.ts'
import { defineConnector, scope } from '../define-connector.ts'
import { buildAuthorizationUrl, checkedUrl, standardExchange, standardRefresh } from '../oauth.ts'
import { addEvent } from './events.ts'
import { addCalibration, addReading } from './glucose.ts'
import { MAPPING } from './mapping.ts'
import { accountRegion, DEFAULTS, DEXCOM, dataRange, HOSTS, inRegion, recordPages, regional } from './requests.ts'

const SCOPE = 'offline_access'
const EVENT_RESOURCES = ['carbohydrates', 'insulin_injection', 'glucose', 'note', 'workouts', 'workout_duration']
/** Schedule for the collections. 28 days, plus a second at each end, stay below the 30 days that a request may cover. */
const PACE = {
  scopes: [SCOPE],
  windowDays: 28,
  historyDays: Number.POSITIVE_INFINITY,
  // a year without a sensor is a long pause, and windows before the first record need only one small request
  emptyWindows: 13,
  // Dexcom releases a reading an hour or more after it was measured
  pollMs: HOUR_MS,
}

/** Returns a collection for one kind of record, named as in the record's path. */
function records(name: string, overlapDays: number, resources: readonly string[], map: typeof addReading) {
  return collection(DEXCOM, { name, resources, ...PACE, overlapDays }, { pages: recordPages(name), map })
}

export const dexcomConnector = defineConnector(DEXCOM, {
  scopes: [
    scope(SCOPE, 'glucose readings and the entries you add to them', { required: true, resources: EVENT_RESOURCES }),
  ],
  resources: EVENT_RESOURCES,
  collections: [
    // receivers that are uploaded late fill old gaps
    records('egvs', 2, ['glucose'], addReading),
    records('events', 7, EVENT_RESOURCES, addEvent),
    records('calibrations', 7, ['glucose'], addCalibration),
  ],
  notifications: null,
  defaults: DEFAULTS,
  settings: [
    {
      name: 'region',
      description: 'Region of the accounts, which determines the hosts unless their URLs are given',
      default: 'us',
      values: Object.keys(HOSTS),
    },
    { name: 'pkce', description: 'Send a PKCE challenge with the request', default: 'no', values: ['no', 'yes'] },
    {
      name: 'out_of_range',
      description:
        'Readings outside 40 to 400 mg/dL, by status or by value: leave them out, or keep the value that comes with them',
      default: 'skip',
      values: ['skip', 'keep'],
    },
    {
      name: 'revoke_url',
      description: 'URL that revokes a token, in the form of RFC 7009; empty: none is called',
      default: '',
    },
  ],
  limits: [{ scope: 'app', most: 60_000, windowMs: HOUR_MS }],
  // responses take up to half a minute
  responseTimeoutMs: 45_000,
  mapping: MAPPING,
  unchecked: [
    'Whether PKCE is accepted. The setting pkce sends it.',
    'Whether the path of the consent page is /v3/oauth2/login or /v2/oauth2/login. Both are in use, and --authorize-url changes it.',
    'Whether the bounds of a request are inclusive. Each request covers a second more at both ends.',
    'What the value of a reading outside 40 to 400 mg/dL is. The setting out_of_range leaves it out or keeps it.',
    'A call that ends an access. None is documented: the person removes the app in their Dexcom account.',
    'How long a refresh token lasts: one year according to the documentation, 90 days according to another source.',
    'What the body of an error looks like. The status alone decides.',
    'Whether a reading can change its time. A reading replaces the one at the same time.',
  ],

  authorizationUrl(app, asked) {
    return buildAuthorizationUrl(inRegion(app, app.settings['region']), asked, {
      usesPkce: app.settings['pkce'] === 'yes',
    })
  },
  exchange(session, granted) {
    const region = accountRegion(session)
    return standardExchange(regional(session, region), regionOAuth(session, region), granted)
  },
  refresh(session, tokenSet) {
    const region = accountRegion(session, tokenSet)
    return standardRefresh(regional(session, region), regionOAuth(session, region), tokenSet)
  },
  revoke,

  async profile(session) {
    const accountId = asText((await dataRange(session))['userId'])
    if (accountId !== undefined && accountId !== '') return { accountId }
    throw new ProviderError('bad_answer', 'Dexcom did not return the owner of the account.')
  },
})

function regionOAuth({ app }: AppSession, region: string) {
  const takesPkce = app.settings['pkce'] === 'yes'
  return { clientAuth: 'body', takesPkce, extra: () => ({ region }) } as const
}

async function revoke(session: TokenSession): Promise<void> {
  const revokeUrl = session.app.settings['revoke_url'] ?? ''
  if (revokeUrl === '') return
  const { refreshToken, accessToken } = session.tokenSet
  const { clientId, clientSecret } = session.app
  await session.send({
    method: 'POST',
    url: checkedUrl(revokeUrl, 'revocation'),
    form: { token: refreshToken ?? accessToken, client_id: clientId, client_secret: clientSecret },
    isRepeatable: true,
  })
}
