/** Subscriptions at Withings: one for each person and kind of notification (`appli`). They end after about 20 days of failures. */
import { DAY_MS } from '../../../core/time.ts'
import { asList, member } from '../../files/json/fields.ts'
import type { Subscription, SubscriptionCalls, SubscriptionRequest } from '../../notifications.ts'
import type { AppSession } from '../../provider-session.ts'
import { numberAt } from '../field-table.ts'
import { SUBSCRIBED } from './applis.ts'
import { call } from './requests.ts'

export const withingsSubscriptions: SubscriptionCalls = {
  owner: 'person',
  wanted: scopes =>
    SUBSCRIBED.filter(({ scope }) => scopes.includes(scope)).map(({ appli }) => ({ name: `appli:${appli}` })),
  subscribe,
  renew: (session, _subscription, asked) => subscribe(session, asked),
  remove,
  renewBeforeMs: DAY_MS,
  checkEveryMs: 7 * DAY_MS,
}

async function subscribe(session: AppSession, asked: SubscriptionRequest): Promise<Subscription> {
  if (!(await isListed(session, asked))) {
    const form = { action: 'subscribe', callbackurl: asked.callbackUrl, appli: appliOf(asked) }
    await call(session, '/notify', form)
  }
  return { remoteId: '', expiresAt: null }
}

async function remove(session: AppSession, _subscription: Subscription, asked: SubscriptionRequest): Promise<void> {
  if (!(await isListed(session, asked))) return
  await call(session, '/notify', { action: 'revoke', callbackurl: asked.callbackUrl, appli: appliOf(asked) })
}

async function isListed(session: AppSession, asked: SubscriptionRequest): Promise<boolean> {
  const appli = appliOf(asked)
  const body = await call(session, '/notify', { action: 'list', appli })
  return asList(member(body, 'profiles')).some(
    each => numberAt(each, 'appli') === Number(appli) && member(each, 'callbackurl') === asked.callbackUrl,
  )
}

function appliOf({ name }: SubscriptionRequest): string {
  return name.slice(name.indexOf(':') + 1)
}
