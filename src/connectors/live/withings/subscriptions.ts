/**
 * Subscriptions at Withings: one for each person and kind of notification (`appli`). They end after about 20 days of failed notifications.
 */
import { DAY_MS } from '../../../core/time.ts'
import type { Subscription, SubscriptionCalls, SubscriptionRequest } from '../../notifications.ts'
import type { AppSession } from '../../provider-session.ts'
import { asList, asText, member } from '../../shared/json-fields.ts'
import { numberAt } from '../field-table.ts'
import { callApi } from './requests.ts'

/** A kind of Withings notification (`appli`), and the collection to pull. */
interface Appli {
  readonly appli: number
  readonly collections: readonly string[]
  /** The scope that the subscription requires; null if there is no subscription, because another one covers this kind. */
  readonly scope: string | null
}

export const APPLIS: readonly Appli[] = [
  { appli: 1, collections: ['getmeas'], scope: 'user.metrics' },
  { appli: 2, collections: ['getmeas'], scope: 'user.metrics' },
  { appli: 4, collections: ['getmeas'], scope: 'user.metrics' },
  { appli: 16, collections: ['getactivity', 'getintradayactivity', 'getworkouts'], scope: 'user.activity' },
  { appli: 44, collections: ['sleep'], scope: 'user.activity' },
  { appli: 54, collections: ['heart'], scope: 'user.metrics' },
  { appli: 62, collections: ['sleep'], scope: null },
]

/** The kind of notification about a person whose access has ended or changed. */
export const ACCOUNT = 46

const SUBSCRIBED: readonly { readonly appli: number; readonly scope: string }[] = [
  ...APPLIS.flatMap(({ appli, scope }) => (scope === null ? [] : [{ appli, scope }])),
  { appli: ACCOUNT, scope: 'user.info' },
]

export const withingsSubscriptions: SubscriptionCalls = {
  owner: 'person',
  wanted: scopes =>
    SUBSCRIBED.filter(({ scope }) => scopes.includes(scope)).map(({ appli }) => ({ name: `appli:${appli}` })),
  subscribe,
  renew: (session, _subscription, asked) => subscribe(session, asked),
  remove,
  removeAll,
  renewBeforeMs: DAY_MS,
  checkEveryMs: 7 * DAY_MS,
}

async function subscribe(session: AppSession, asked: SubscriptionRequest): Promise<Subscription> {
  if (!(await isListed(session, asked))) {
    const form = { action: 'subscribe', callbackurl: asked.callbackUrl, appli: readAppli(asked) }
    await callApi(session, '/notify', form)
  }
  return { remoteId: '', expiresAt: null }
}

async function remove(session: AppSession, _subscription: Subscription, asked: SubscriptionRequest): Promise<void> {
  if (!(await isListed(session, asked))) return
  await callApi(session, '/notify', { action: 'revoke', callbackurl: asked.callbackUrl, appli: readAppli(asked) })
}

async function removeAll(session: AppSession, isOurs: (callbackUrl: string) => boolean): Promise<void> {
  for (const appli of new Set(SUBSCRIBED.map(each => String(each.appli)))) {
    for (const callbackurl of (await listCallbackUrls(session, appli)).filter(isOurs)) {
      await callApi(session, '/notify', { action: 'revoke', callbackurl, appli })
    }
  }
}

async function isListed(session: AppSession, asked: SubscriptionRequest): Promise<boolean> {
  return (await listCallbackUrls(session, readAppli(asked))).includes(asked.callbackUrl)
}

/** Returns the URLs that receive one kind of notification about the person. */
async function listCallbackUrls(session: AppSession, appli: string): Promise<readonly string[]> {
  const body = await callApi(session, '/notify', { action: 'list', appli })
  const profiles = asList(member(body, 'profiles')).filter(each => numberAt(each, 'appli') === Number(appli))
  return profiles.flatMap(each => asText(member(each, 'callbackurl')) ?? [])
}

function readAppli({ name }: SubscriptionRequest): string {
  return name.slice(name.indexOf(':') + 1)
}
