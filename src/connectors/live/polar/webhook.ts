/** Creates a client's only webhook at Polar and keeps it active. */
import { DAY_MS } from '../../../core/time.ts'
import type { Subscription, SubscriptionCalls } from '../../notifications.ts'
import { type AppSession, ProviderError, type ProviderRequest, type ProviderResponse } from '../../provider-session.ts'
import { asObject, asText, type JsonObject, member, objectsIn } from '../../shared/json-fields.ts'
import { basicAuthorization } from '../oauth.ts'
import { apiUrl } from '../requests.ts'

const WEBHOOKS = '/v3/webhooks'

/** Returns the calls. Polar returns the signature key only when the webhook is created. */
export function webhookCalls(events: readonly string[]): SubscriptionCalls {
  const calls: SubscriptionCalls = {
    owner: 'app',
    wanted: () => [{ name: 'webhook' }],

    async subscribe(session, { callbackUrl }) {
      const made = await make(session, callbackUrl, events)
      if (made !== null) return made
      const existing = await list(session)
      const own = existing.find(each => each['url'] === callbackUrl)
      if (own === undefined) {
        throw new ProviderError(
          'bad_request',
          'The Polar client already has a webhook with another URL, and Polar allows one for each client. Delete that ' +
            'webhook, or set up a Polar client of its own for this service.',
          { status: 409 },
        )
      }
      // the webhook's key is lost, but a new webhook has a new key
      await send(session, { method: 'DELETE', path: `${WEBHOOKS}/${webhookId(own)}`, accepted: [404] })
      const again = await make(session, callbackUrl, events)
      if (again !== null) return again
      throw new ProviderError('unavailable', 'Polar refused a webhook although the earlier one was deleted.')
    },

    async renew(session, subscription, asked) {
      const found = (await list(session)).find(each => webhookId(each) === subscription.remoteId)
      if (found === undefined || found['url'] !== asked.callbackUrl) return calls.subscribe(session, asked)
      if (found['active'] !== true)
        await send(session, { method: 'POST', path: `${WEBHOOKS}/activate`, isRepeatable: true })
      return subscription
    },

    async remove(session, { remoteId }) {
      if (remoteId === '') return
      const path = `${WEBHOOKS}/${encodeURIComponent(remoteId)}`
      await send(session, { method: 'DELETE', path, accepted: [404] })
    },

    renewBeforeMs: 0,
    checkEveryMs: DAY_MS,
  }
  return calls
}

/** Creates the webhook, or returns null if one already exists. Polar pings the URL before it responds. */
async function make(session: AppSession, url: string, events: readonly string[]): Promise<Subscription | null> {
  const response = await send(session, { method: 'POST', path: WEBHOOKS, json: { events, url }, accepted: [409] })
  if (response.status === 409) return null
  const data = member(response.json(), 'data')
  const secret = asText(member(data, 'signature_secret_key'))
  const made = asObject(data)
  if (made === undefined || secret === undefined || secret === '') {
    throw new ProviderError('bad_answer', 'Polar created a webhook without returning its signature key.')
  }
  return { remoteId: webhookId(made), expiresAt: null, secret }
}

async function list(session: AppSession): Promise<readonly JsonObject[]> {
  const response = await send(session, { method: 'GET', path: WEBHOOKS, accepted: [404] })
  if (response.status !== 200) return []
  const data = member(response.json(), 'data')
  return objectsIn(Array.isArray(data) ? data : [data])
}

function webhookId({ id }: JsonObject): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : ''
}

/** Sends a request with the client's own credentials. Throws ProviderError `credentials` if they are refused. */
async function send(
  session: AppSession,
  { path, accepted = [], ...request }: Omit<ProviderRequest, 'url'> & { readonly path: string },
): Promise<ProviderResponse> {
  const headers = { accept: 'application/json', authorization: basicAuthorization(session.app) }
  const url = apiUrl(session, path)
  const response = await session.send({ ...request, url, headers, accepted: [...accepted, 401, 403] })
  const { status } = response
  if (status !== 401 && status !== 403) return response
  throw new ProviderError('credentials', 'Polar refused the client id and secret for its webhooks.', { status })
}
