/** Parses and maps providers' responses, in separate threads if there are any, or otherwise in this thread. */
import type { Connector, PulledPage, PullRequest } from '../../../connectors/connector.ts'
import type { TokenSession } from '../../../connectors/provider-session.ts'
import type { TeamId } from '../../../core/ids.ts'

/** The team and provider whose responses are mapped. */
export interface MappingOwner {
  readonly teamId: TeamId
  readonly provider: string
}

/** Pulls in the same way as `Connector.pull`. Also throws PullInterrupted. */
export interface Mapping {
  pull(owner: MappingOwner, session: TokenSession, asked: PullRequest): AsyncIterable<PulledPage>
}

/** Thrown when another pull ended the thread. Data that was not stored is pulled again immediately. */
export class PullInterrupted extends Error {
  override readonly name = 'PullInterrupted'
}

/** Yields the data that a connector pulls for a team, in a thread if there is one. */
export function mappedPages(
  mapping: Mapping | undefined,
  { connector, teamId }: { readonly connector: Connector; readonly teamId: TeamId },
  session: TokenSession,
  asked: PullRequest,
): AsyncIterable<PulledPage> {
  return mapping
    ? mapping.pull({ teamId, provider: connector.provider }, session, asked)
    : connector.pull(session, asked)
}
