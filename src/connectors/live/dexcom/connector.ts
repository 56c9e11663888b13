/** The live connector of Dexcom (API v3). It has no notifications: it is polled. */
import type { ProviderScope } from '../../../catalogue/provider.ts'
import { HOUR_MS } from '../../../core/time.ts'
import type { Collection, PulledPage, PullRequest } from '../../connector.ts'
import { asObject, asText, type JsonObject } from '../../files/json/fields.ts'
import type { Grant } from '../../grant.ts'
import { type AppSession, type GrantSession, ProviderError } from '../../provider-session.ts'
import type { LiveConnector } from '../live-connector.ts'
import { authorizationAddress, checkedAddress, standardExchange, standardRefresh } from '../oauth.ts'
import { LivePage } from '../page.ts'
import { addEvent } from './events.ts'
import { addCalibration, addReading } from './glucose.ts'
import { MAPPING } from './mapping.ts'
import { PROVIDER, timeOf } from './records.ts'
import { DEFAULTS, dataRange, HOSTS, inRegion, mayHave, type RecordKind, recordsIn } from './requests.ts'

const SCOPE = 'offline_access'
const EVENT_RESOURCES = ['carbohydrates', 'insulin_injection', 'glucose', 'note', 'workouts', 'workout_duration']
const SCOPES: readonly ProviderScope[] = [
  {
    name: SCOPE,
    description: 'glucose readings and the entries you add to them',
    required: true,
    resources: EVENT_RESOURCES,
    enriches: [],
  },
]

/** 28 days and the second at each end stay below the 30 days that a request may cover. */
const PACE = {
  scopes: [SCOPE],
  windowDays: 28,
  historyDays: Number.POSITIVE_INFINITY,
  // a year without a sensor is a long pause, and windows before the first record take one small request
  emptyWindows: 13,
  // Dexcom releases a reading an hour or more after it was measured
  pollMs: HOUR_MS,
}

const COLLECTIONS: readonly (Collection & { readonly name: RecordKind })[] = [
  // receivers that are read late fill old gaps
  { name: 'egvs', resources: ['glucose'], ...PACE, overlapDays: 2 },
  { name: 'events', resources: EVENT_RESOURCES, ...PACE, overlapDays: 7 },
  { name: 'calibrations', resources: ['glucose'], ...PACE, overlapDays: 7 },
]

export const dexcomConnector: LiveConnector = {
  provider: PROVIDER,
  mode: 'live',
  scopes: SCOPES,
  resources: SCOPES.flatMap(scope => scope.resources),
  collections: COLLECTIONS,
  notifications: null,
  defaults: DEFAULTS,
  settings: [
    {
      name: 'region',
      description: 'Region of the accounts, which chooses the hosts unless their addresses are given',
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
      description: 'Address that ends an access when it gets a token, in the form of RFC 7009; empty: none is called',
      default: '',
    },
  ],
  limits: [{ scope: 'app', most: 60_000, windowMs: HOUR_MS }],
  // answers take up to half a minute
  answerMs: 45_000,
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
    return authorizationAddress(inRegion(app, app.settings['region']), asked, {
      usesPkce: app.settings['pkce'] === 'yes',
    })
  },
  exchange(session, granted) {
    const region = session.app.settings['region'] ?? 'us'
    return standardExchange(regional(session, region), oauthOf(session, region), granted)
  },
  refresh(session, grant) {
    const region = regionOf(session, grant)
    return standardRefresh(regional(session, region), oauthOf(session, region), grant)
  },
  revoke,

  async profile(session) {
    const accountId = asText((await dataRange(session))['userId'])
    if (accountId !== undefined && accountId !== '') return { accountId }
    throw new ProviderError('bad_answer', 'Dexcom did not say whose account it is.')
  },

  pull,
  // nothing is known of the bodies of errors
  failureIn: () => null,
  retryAfterMs: () => null,
}

function oauthOf({ app }: AppSession, region: string) {
  const takesPkce = app.settings['pkce'] === 'yes'
  return { clientAuth: 'body', takesPkce, extra: () => ({ region }) } as const
}

/** Returns the region that issued a grant: the account exists only there, whatever the setting says now. */
function regionOf({ app }: AppSession, grant: Grant): string {
  return grant.extra['region'] ?? app.settings['region'] ?? 'us'
}

function regional(session: AppSession, region: string): AppSession {
  return {
    app: inRegion(session.app, region),
    signal: session.signal,
    send: request => session.send(request),
    now: () => session.now(),
  }
}

async function revoke(session: GrantSession): Promise<void> {
  const address = session.app.settings['revoke_url'] ?? ''
  if (address === '') return
  const { refreshToken, accessToken } = session.grant
  const { clientId, clientSecret } = session.app
  await session.send({
    method: 'POST',
    url: checkedAddress(address, 'revocation'),
    form: { token: refreshToken ?? accessToken, client_id: clientId, client_secret: clientSecret },
    isRepeatable: true,
  })
}

async function* pull(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const kind = COLLECTIONS.find(each => each.name === asked.collection)?.name
  if (kind === undefined) throw new Error(`no collection ${asked.collection}`)
  const { window, now } = asked
  const page = new LivePage(PROVIDER, asked)
  if (await mayHave(session, kind, window, now)) {
    for (const each of await recordsIn(session, kind, window)) {
      const record = asObject(each)
      if (record === undefined) page.skip(`${kind} in an unknown form`)
      else if (isIn(record, asked)) addRecord(kind, record, session, asked, page)
    }
  }
  yield page.take()
}

/** A record without a time is let through, to be counted. */
function isIn(record: JsonObject, { window }: PullRequest): boolean {
  const time = timeOf(record)
  return time === undefined || (time.ms >= window.from && time.ms < window.to)
}

function addRecord(
  kind: RecordKind,
  record: JsonObject,
  { app }: GrantSession,
  asked: PullRequest,
  page: LivePage,
): void {
  if (kind === 'egvs') addReading(record, page, app.settings['out_of_range'] ?? 'skip')
  else if (kind === 'events') addEvent(record, asked, page)
  else addCalibration(record, page)
}
