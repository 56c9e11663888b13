/**
 * Creates, lists and removes a team's OAuth apps. Once a provider has an OAuth app, the team's new connections to that provider are live.
 */
import type { LiveConnector } from '../../../connectors/live/live-connector.ts'
import { liveConnector } from '../../../connectors/live/live-connectors.ts'
import type { ReplyBody } from '../../../contract/kernel/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import { ServiceError } from '../../../core/errors.ts'
import { formatInstant } from '../../../core/time.ts'
import type { LiveConnectionRecord, LiveKey } from '../../../store/live/connections.ts'
import type { OAuthAppRecord } from '../../../store/live/oauth-apps.ts'
import { type EngineContext, type Handler, ok } from '../../context.ts'
import { removeSubscriptions } from '../subscriptions.ts'
import { checkOAuthApp, serviceAccountIn, settableConnector } from './app-checks.ts'
import { type AppSecrets, newSecrets, notificationHash, openAppSecrets, sealAppSecrets } from './app-secrets.ts'
import { buildNotificationUrl, chooseRedirectUrl, resolveAppSettings, toProviderApp } from './live-app.ts'

const AT_ONCE = 100

type OAuthAppView = ReplyBody<Operations['provider.setup']>

/** Creates or replaces an OAuth app. The notification token is kept on a change, because the provider may already know it. */
export const setupProvider: Handler<'provider.setup'> = async (engine, { params, body }, call) => {
  const connector = await settableConnector(engine, params.provider, ['path', 'provider'])
  checkOAuthApp(connector, body, call.isOperator)
  const { provider } = connector
  const owner = { teamId: call.team.teamId, provider }
  const { oauthApps } = engine.store.live
  const known = await oauthApps.find(owner.teamId, provider)
  const given = { clientSecret: body.client_secret, serviceAccount: serviceAccountIn(connector, body) }
  const knownSecrets = known && openAppSecrets(engine, known)
  const secrets = newSecrets(engine.random, owner, given, knownSecrets)
  const now = engine.time.now()
  const oauthApp: OAuthAppRecord = {
    ...owner,
    clientId: body.client_id,
    redirectUrl: body.redirect_url ?? null,
    scopes: [...new Set(body.scopes ?? connector.scopes.map(each => each.name))],
    authorizeUrl: body.authorize_url ?? null,
    tokenUrl: body.token_url ?? null,
    apiUrl: body.api_url ?? null,
    settings: body.settings ?? {},
    keepsRaw: body.keep_raw ?? false,
    sealed: sealAppSecrets(engine, owner, secrets),
    notificationHash: notificationHash(secrets),
    createdOn: known?.createdOn ?? now,
    updatedAt: now,
  }
  // only the credentials that created the subscriptions can remove them
  if (known && subscriberKey(known, knownSecrets) !== subscriberKey(oauthApp, secrets)) {
    await removeSubscriptions(engine, known)
  }
  await oauthApps.put(oauthApp)
  if (known) await retryFailing(engine, owner)
  return ok(oauthAppView(engine, oauthApp, connector))
}

/** Makes the OAuth app's failed work due again, because the change may have fixed it. */
async function retryFailing(engine: EngineContext, { teamId, provider }: Pick<OAuthAppRecord, 'teamId' | 'provider'>) {
  const { pulls } = engine.store.live
  for (let after: LiveKey | null = null; ; ) {
    const some: readonly LiveConnectionRecord[] = await pulls.list(teamId, provider, after, AT_ONCE)
    for (const record of some) {
      const failing = Object.entries(record.progress).flatMap(([name, { failures }]) => (failures > 0 ? [name] : []))
      if (failing.length > 0) await pulls.hasten(record, failing, engine.wall.now())
    }
    after = some.at(-1) ?? null
    if (some.length < AT_ONCE) return
  }
}

/** Returns a value that identifies the owner of the subscriptions at the provider. */
function subscriberKey({ clientId, apiUrl, settings }: OAuthAppRecord, secrets: AppSecrets | null): string {
  return JSON.stringify([clientId, apiUrl, settings, secrets?.serviceAccount?.email ?? null])
}

export const listOAuthApps: Handler<'provider.setups'> = async (engine, _input, call) => {
  const known = await engine.store.live.oauthApps.list(call.team.teamId)
  const views = await Promise.all(
    known.map(async oauthApp => {
      const connector = await liveConnector(oauthApp.provider)
      return connector ? [oauthAppView(engine, oauthApp, connector)] : []
    }),
  )
  return ok({ setups: views.flat() })
}

/** Returns the 404 error for a provider without an OAuth app. */
export function notSetUp(provider: string): ServiceError {
  return new ServiceError('not_found', `${provider} is not set up for this team.`, {
    suggestions: ['`svc provider setups` lists the OAuth apps.', `To make it live: svc provider setup ${provider}`],
  })
}

function oauthAppView(engine: EngineContext, oauthApp: OAuthAppRecord, connector: LiveConnector): OAuthAppView {
  const { authorizeUrl, tokenUrl, apiUrl, settings } = resolveAppSettings(oauthApp, connector)
  return {
    provider: oauthApp.provider,
    client_id: oauthApp.clientId,
    redirect_url: chooseRedirectUrl(engine, oauthApp),
    scopes: [...oauthApp.scopes],
    authorize_url: authorizeUrl,
    token_url: tokenUrl,
    api_url: apiUrl,
    settings: { ...settings },
    keep_raw: oauthApp.keepsRaw,
    notification_url: buildNotificationUrl(engine, oauthApp, apiUrl),
    notes: oauthAppNotes(engine, oauthApp, connector),
    created_at: formatInstant(oauthApp.createdOn),
    updated_at: formatInstant(oauthApp.updatedAt),
  }
}

function oauthAppNotes(engine: EngineContext, oauthApp: OAuthAppRecord, connector: LiveConnector): string[] {
  const { notifications } = connector
  const redirectUrl = chooseRedirectUrl(engine, oauthApp)
  const redirecting =
    redirectUrl === null
      ? 'Nobody can connect an account yet: start `svc serve`, or set a redirect URL.'
      : `Register this redirect URL at the provider, exactly as shown: ${redirectUrl}`
  if (notifications === null) return [redirecting, 'The provider does not announce new data, so it is polled.']
  const url = buildNotificationUrl(engine, oauthApp, resolveAppSettings(oauthApp, connector).apiUrl)
  if (url === null) {
    const polled = "Polling only: the provider's notifications need a server with a public https URL (SVC_PUBLIC_URL)."
    return [redirecting, polled]
  }
  const secrets = { ...openAppSecrets(engine, oauthApp), issued: async () => [] }
  return [redirecting, ...notifications.instructions(url, secrets, toProviderApp(engine, oauthApp, connector))]
}
