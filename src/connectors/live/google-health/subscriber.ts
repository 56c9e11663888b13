/** A cloud project's subscriber, to which Google sends notifications. A service account creates, maintains and removes it. */
import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { DAY_MS } from '../../../core/time.ts'
import type { Subscription, SubscriptionCalls, SubscriptionRequest } from '../../notifications.ts'
import {
  type AppSession,
  type ProviderApp,
  ProviderError,
  type ProviderRequest,
  type ProviderResponse,
  type ServiceAccount,
} from '../../provider-session.ts'
import { asText, type JsonObject, member } from '../../shared/json-fields.ts'
import { apiUrl, objectIn } from '../requests.ts'
import { readKeyFile, serviceAccountToken } from '../service-account.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const FIELDS = 'endpointUri,subscriberConfigs,endpointAuthorization'
/** Maximum number of polls, and poll interval, for an operation during which Google checks the URL. */
const LOOKS = 10
const LOOK_MS = 500
/** Length of the subscriber ID at Google. The ID must be unique in the project. */
const ID_CHARACTERS = 24

/** Returns a subscriber in Google's structure. */
export function subscriberBody(callbackUrl: string, secretHeader: string, dataTypes: readonly string[]) {
  return {
    endpointUri: callbackUrl,
    subscriberConfigs: [{ dataTypes, subscriptionCreatePolicy: 'AUTOMATIC' }],
    endpointAuthorization: { secret: secretHeader },
  }
}

/** Returns the calls for subscribers. The argument returns a subscriber's body. */
export function subscriberCalls(bodyOf: (asked: SubscriptionRequest) => unknown): SubscriptionCalls {
  const change = async (session: AppSession, id: string, asked: SubscriptionRequest): Promise<Subscription> => {
    const send = await manager(session)
    await ended(session, send, await send('PATCH', `/${id}?updateMask=${FIELDS}`, { json: bodyOf(asked) }))
    return { remoteId: id, expiresAt: null }
  }
  return {
    owner: 'app',
    wanted: (_scopes, { serviceAccount }) => (serviceAccount ? [{ name: 'subscriber' }] : []),

    async subscribe(session, asked) {
      const id = `svc-${hash('sha256', asked.verificationToken).slice(0, ID_CHARACTERS)}`
      const send = await manager(session)
      const response = await send('POST', `?subscriberId=${id}`, { json: bodyOf(asked), accepted: [409] })
      // an earlier attempt created the subscriber, or it sends to an earlier URL
      if (response.status === 409) return change(session, id, asked)
      await ended(session, send, response)
      return { remoteId: id, expiresAt: null }
    },

    renew: (session, { remoteId }, asked) => change(session, remoteId, asked),

    async remove(session, { remoteId }) {
      const send = await manager(session)
      await send('DELETE', `/${remoteId}?force=true`, { accepted: [404] })
    },

    renewBeforeMs: 0,
    // Google may disable a subscriber whose URL did not respond for a long time
    checkEveryMs: DAY_MS,
  }
}

/** Reads an OAuth app's key file. Throws ProviderError `credentials`, with a message that completes a sentence. */
export function readServiceAccount(text: string, app: Pick<ProviderApp, 'clientId' | 'settings'>): ServiceAccount {
  const account = readKeyFile(text)
  if (projectNumber(app) !== null) return account
  const message =
    'needs the number of the cloud project, which this client id does not begin with. Set project_number to it, as in ' +
    '--setting project_number=123456789012'
  throw new ProviderError('credentials', message)
}

/** Returns the cloud project's number: the configured number, or the prefix of the OAuth client ID. */
function projectNumber({ clientId, settings }: Pick<ProviderApp, 'clientId' | 'settings'>): string | null {
  const given = settings['project_number'] ?? ''
  return /^\d+$/.exec(given)?.[0] ?? (given === '' ? (/^(\d+)-/.exec(clientId)?.[1] ?? null) : null)
}

type Send = (
  method: ProviderRequest['method'],
  path: string,
  more?: Pick<ProviderRequest, 'json' | 'accepted'>,
) => Promise<ProviderResponse>

/** Returns a session in which the service account sends requests about subscribers. Throws ProviderError. */
async function manager(session: AppSession): Promise<Send> {
  const base = `/v4/projects/${projectNumber(session.app)}/subscribers`
  const headers = { authorization: `Bearer ${await serviceAccountToken(session, SCOPE)}` }
  return async (method, path, { accepted = [], ...more } = {}) => {
    const url = apiUrl(session, path.startsWith('/v4/') ? path : base + path)
    const response = await session.send({ method, url, headers, ...more, accepted: [...accepted, 401, 403] })
    const { status } = response
    if (status !== 401 && status !== 403) return response
    const message =
      'Google Health does not let the service account manage subscribers. Give it a role that may edit them, in the project of the client.'
    throw new ProviderError('credentials', message, { status })
  }
}

/** Waits until an operation has ended. Throws ProviderError if it fails or takes too long. */
async function ended(session: AppSession, send: Send, response: ProviderResponse): Promise<void> {
  let operation: JsonObject = objectIn(response)
  const name = asText(operation['name']) ?? ''
  for (let looks = 0; operation['done'] !== true; looks++) {
    // a response that is not an operation contains the subscriber itself
    if (!/^(?:projects\/[^/]+\/)?(?:locations\/[^/]+\/)?operations\//.test(name)) return
    if (looks === LOOKS) throw new ProviderError('unavailable', 'Google Health is still checking the URL.')
    await pause(LOOK_MS, undefined, session.signal ? { signal: session.signal } : {})
    operation = objectIn(await send('GET', `/v4/${name}`))
  }
  if (member(operation, 'error') === undefined) return
  const message =
    'Google Health did not accept the URL for notifications. The server must be running, and reachable from the internet at its public URL.'
  throw new ProviderError('bad_request', message)
}
