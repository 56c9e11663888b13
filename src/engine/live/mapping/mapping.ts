/** Where the answers of providers are parsed and mapped: in a thread of their own, if there is one, and otherwise in place. */
import type { Connector, PulledPage, PullRequest } from '../../../connectors/connector.ts'
import type { GrantSession } from '../../../connectors/provider-session.ts'

/** Pulls as `Connector.pull` does. Throws also PullInterrupted. */
export interface Mapping {
  pull(provider: string, session: GrantSession, asked: PullRequest): AsyncIterable<PulledPage>
}

/** Thrown when a thread ended because of another pull: what was not stored is pulled again at once. */
export class PullInterrupted extends Error {
  override readonly name = 'PullInterrupted'
}

/** Yields what a connector pulls, in the thread if there is one. */
export function mappedPages(
  mapping: Mapping | undefined,
  connector: Connector,
  session: GrantSession,
  asked: PullRequest,
): AsyncIterable<PulledPage> {
  return mapping ? mapping.pull(connector.provider, session, asked) : connector.pull(session, asked)
}
