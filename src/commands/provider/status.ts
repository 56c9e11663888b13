/** `svc provider status`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, integer, string } from '@oclif/core/flags'
import { collectionsView, connectionsView, type LiveStatus, providersView } from '../../cli/providers/status-view.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { allFlag } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import type { PagePosition } from '../../cli/scripting/all-pages.ts'

/** Maximum number of connections on a page. */
const MOST_CONNECTIONS = 500

export default class ProviderStatus extends WatchedCommand {
  static override summary = 'Show pulls, limits and errors of live providers'
  static override description =
    'Shows a line for each live provider; with PROVIDER or --user, a line for each connection; with --collections, a ' +
    'line for each collection. The delivery column is "polling only" if the provider cannot announce new data: it ' +
    'sends no notifications, or the server has no public https URL. The requests column shows how much of each limit ' +
    'is used. The grant column is "moved" after `svc engine copy`, and "missing" if the user must connect again.'
  static override examples = toExamples('', 'oura', '--user ada --collections', 'withings --watch')
  static override args = { provider: stringArg({ description: 'Only this provider' }) }
  static override flags = {
    user: string({ description: 'Only the connections of this user', helpValue: 'USER' }),
    collections: boolean({ description: 'Show the collections pulled for each connection' }),
    limit: integer({ description: 'Maximum number of connections to return, 1 to 500', default: 50 }),
    cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR' }),
    all: allFlag('limit'),
  }

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(ProviderStatus)
    const isOfConnections = flags.collections || args.provider !== undefined || flags.user !== undefined
    const show = async (user_id?: string): Promise<LiveStatus> => {
      const query = { provider: args.provider, user_id, limit: flags.all ? MOST_CONNECTIONS : flags.limit }
      const read = async ({ next_cursor }: PagePosition): Promise<LiveStatus> => {
        const page = await this.ask('provider.status', { query: { ...query, cursor: next_cursor ?? flags.cursor } })
        return flags.all ? byConnection(page) : page
      }
      if (!isOfConnections) return this.printPages(flags.all, read, providersView)
      if (flags.collections) return this.printPages(flags.all, read, collectionsView)
      return this.printPages(flags.all, read, connectionsView)
    }
    const page = flags.user === undefined ? await show() : await this.withUser(flags.user, show)
    if (page.next_cursor !== null && isOfConnections) {
      this.hint(`More connections: add --cursor ${page.next_cursor}`)
    }
  }
}

/** Puts the paged list first, because --all continues the first list in a response. */
function byConnection({ connections, ...others }: LiveStatus): LiveStatus {
  return { connections, ...others }
}
