/** Checks an OAuth app before it is stored. Every message lists the allowed values, and no message repeats a secret. */
import type { LiveConnector } from '../../../connectors/live/live-connector.ts'
import { LIVE_PROVIDERS, liveConnector } from '../../../connectors/live/live-connectors.ts'
import { ProviderError, type ServiceAccount } from '../../../connectors/provider-session.ts'
import type { HandlerInput } from '../../../contract/kernel/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import { allowedNames, didYouMean, invalid, ServiceError, type ValidationIssue } from '../../../core/errors.ts'
import { parseUrl } from '../../../core/web-host.ts'
import { knownProvider } from '../../connections/providers.ts'
import type { EngineContext } from '../../context.ts'
import { isLoopbackHost } from './live-app.ts'

export type OAuthAppBody = HandlerInput<Operations['provider.setup']>['body']

/** The fields that determine where the service sends requests. */
const URL_FIELDS = ['authorize_url', 'token_url', 'api_url'] as const

/** Returns the connector of a provider that can be set up. Otherwise, throws 422 at `loc` and lists the providers that can be set up. */
export async function settableConnector(
  engine: EngineContext,
  slug: string,
  loc: readonly string[],
): Promise<LiveConnector> {
  const provider = knownProvider(engine, slug, loc)
  const connector = await liveConnector(provider.slug)
  if (connector) return connector
  const names = LIVE_PROVIDERS.filter(engine.providers.find)
  const msg = `${slug} has no live connector, so it is always simulated.${didYouMean(slug, names)} Providers that can be set up: ${names.join(', ')}`
  throw invalid([{ loc, msg, type: 'enum' }])
}

/**
 * Checks an OAuth app's fields. Throws 422 for an invalid field, and 403 `operator_only` if a caller without an operator's key chooses
 * where requests are sent, because the service must not be directed into networks that only it can reach.
 */
export function checkOAuthApp(connector: LiveConnector, body: OAuthAppBody, isOperator: boolean): void {
  const issues: ValidationIssue[] = [
    ...(['redirect_url', ...URL_FIELDS] as const).flatMap(name => urlIssue([name], body[name] ?? null)),
    ...scopeIssues(connector, body.scopes ?? null),
    ...settingIssues(connector, body.settings ?? {}),
  ]
  if (issues.length > 0) throw invalid(issues)
  const chosen: string[] = [
    ...URL_FIELDS.filter(name => (body[name] ?? null) !== null),
    ...Object.keys(body.settings ?? {}).filter(isUrlSetting),
  ]
  if (isOperator || chosen.length === 0) return
  throw new ServiceError('operator_only', `Setting ${chosen.join(', ')} needs an operator's API key.`, {
    suggestions: ["Leave them out to use the provider's own URLs."],
  })
}

/** Returns an OAuth app's service account, or null. Throws a 422 that repeats nothing from the key file. */
export function serviceAccountIn(connector: LiveConnector, body: OAuthAppBody): ServiceAccount | null {
  const text = body.service_account ?? null
  if (text === null) return null
  const refused = (msg: string): ServiceError =>
    invalid([{ loc: ['body', 'service_account'], msg, type: 'value_error' }])
  if (!connector.readServiceAccount) {
    throw refused(`must be left out: ${connector.provider} needs no service account`)
  }
  try {
    return connector.readServiceAccount(text, { clientId: body.client_id, settings: body.settings ?? {} })
  } catch (error) {
    throw error instanceof ProviderError ? refused(error.message) : error
  }
}

/** Returns whether a setting determines where requests are sent. */
function isUrlSetting(setting: string): boolean {
  return setting.endsWith('_url')
}

function urlIssue(path: readonly string[], text: string | null): ValidationIssue[] {
  const problem = text === null ? null : urlProblem(text)
  return problem === null ? [] : [{ loc: ['body', ...path], msg: problem, type: 'value_error' }]
}

function urlProblem(text: string): string | null {
  // the parser accepts backslashes and spaces, which another parser might interpret differently
  const url = /[\s\\]/.test(text) ? null : parseUrl(text)
  if (url === null) return 'must be a URL, such as https://app.example.com/oauth/callback'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (text.includes('#')) return 'must not contain a fragment (#…)'
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))) return null
  return 'must begin with https: plain http is only for this machine (localhost, 127.0.0.1, [::1])'
}

function scopeIssues({ provider, scopes }: LiveConnector, asked: readonly string[] | null): ValidationIssue[] {
  if (asked === null) return []
  const known = scopes.map(each => each.name)
  const unknown = asked.flatMap((name, i): ValidationIssue[] => {
    if (known.includes(name)) return []
    const msg = `is not one of the scopes of ${provider}.${didYouMean(name, known)} Allowed: ${known.join(', ')}`
    return [{ loc: ['body', 'scopes', i], msg, type: 'enum' }]
  })
  const missing = scopes.filter(each => each.required && !asked.includes(each.name)).map(each => each.name)
  if (missing.length === 0) return unknown
  const msg = `must include the scopes that every connection requires: ${missing.join(', ')}`
  return [...unknown, { loc: ['body', 'scopes'], msg, type: 'value_error' }]
}

function settingIssues(
  { provider, settings }: LiveConnector,
  asked: Readonly<Record<string, string>>,
): ValidationIssue[] {
  const names = settings.map(each => each.name)
  return Object.entries(asked).flatMap(([name, value]): ValidationIssue[] => {
    const known = settings.find(each => each.name === name)
    if (!known) {
      const allowed = names.length === 0 ? ' It has none.' : allowedNames(name, names, '')
      return [{ loc: ['body', 'settings', name], msg: `is not a setting of ${provider}.${allowed}`, type: 'enum' }]
    }
    if (isUrlSetting(name)) return urlIssue(['settings', name], value)
    if (known.values === undefined || known.values.includes(value)) return []
    const msg = `must be one of ${known.values.join(', ')}.${didYouMean(value, known.values)}`
    return [{ loc: ['body', 'settings', name], msg, type: 'enum' }]
  })
}
