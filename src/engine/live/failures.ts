/** Decides how a provider failure affects a connection or a link. */
import { ProviderError, type ProviderErrorKind } from '../../connectors/provider-session.ts'
import type { LinkErrorType } from '../../contract/links/link.ts'
import { clockAt } from '../../core/clock.ts'
import type { TeamId } from '../../core/ids.ts'
import type { LiveKey } from '../../store/live/connections.ts'
import type { EngineContext } from '../context.ts'

/** Connection error types for failures that only the person or the operator can resolve. Other failures are retried. */
const CONNECTION_ERRORS: Partial<
  Readonly<Record<ProviderErrorKind, { readonly type: string; readonly message: string }>>
> = {
  grant_lost: {
    type: 'token_refresh_failed',
    message: "The provider no longer accepts this connection's tokens, and cannot refresh them",
  },
  credentials: {
    type: 'provider_credential_error',
    message:
      "The provider no longer accepts the OAuth app's client ID or client secret. Set the provider up again with " +
      'the correct ones, and link again',
  },
  scope_missing: {
    type: 'required_scopes_not_granted',
    message: 'A scope that the connection needs was withdrawn at the provider',
  },
}

/**
 * Sets a connection to `error`, with its event, if the failure requires it. Returns whether it did. Such a connection is not pulled until
 * the person links it again.
 */
export async function failLive(
  engine: EngineContext,
  { teamId, userId, provider }: LiveKey & { readonly teamId: TeamId },
  failure: ProviderError,
): Promise<boolean> {
  const known = CONNECTION_ERRORS[failure.kind]
  if (!known) return false
  const error = isOfProject(failure)
    ? { ...known, message: `The provider refused the OAuth app: ${failure.message} Then link again` }
    : known
  const at = clockAt(await engine.store.clock.read(), engine.wall.now())
  return engine.store.connections.fail(teamId, userId, provider, { ...error, at })
}

/** Returns whether the provider knows the client but refuses its project. The connector's message explains how to fix this. */
function isOfProject({ kind, status }: ProviderError): boolean {
  return kind === 'credentials' && status === 403
}

interface LinkFailure {
  readonly errorType: LinkErrorType
  readonly error: string
}

/** Returns the link error for a failure during linking. The text contains nothing that the provider sent. */
export function linkFailure(error: unknown, step: string): LinkFailure {
  if (!(error instanceof ProviderError)) throw error
  const { kind, status, message } = error
  if (isOfProject(error)) return refused(`The provider refused the OAuth app ${step}: ${message}`)
  if (kind === 'credentials') {
    return refused(
      `The provider refused the OAuth app's client ID or client secret ${step}. Set the provider up again with the correct ones`,
    )
  }
  if (kind === 'code_refused') {
    return refused(
      `The provider refused the code ${step}: it was used before, has expired, or was issued for another redirect URL`,
    )
  }
  if (kind === 'grant_lost' || kind === 'access_refused') return refused(`The provider refused access ${step}`)
  const outcome = status === null ? kind : `${kind}, status ${status}`
  // the connector explains how the person can give the missing consent, without quoting the provider
  const advice = kind === 'scope_missing' ? `. ${message}` : ''
  return { errorType: 'provider_api_error', error: `The provider failed ${step} (${outcome})${advice}` }
}

function refused(error: string): LinkFailure {
  return { errorType: 'provider_credential_error', error }
}
