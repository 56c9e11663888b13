/** `svc user resources`. */

import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { introspectionFlags, introspectionQuery, optionalUser } from '../../cli/users/introspection.ts'
import type { ResponseOf } from '../../client/client.ts'
import { fields, view } from '../../output/view.ts'

export default class UserResources extends WatchedCommand {
  static override summary = 'Show which data users have, by provider and resource'
  static override examples = toExamples('ada', '--provider oura --limit 100 --output csv')
  static override args = { user: optionalUser() }
  static override flags = introspectionFlags()

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(UserResources)
    const show = (user_id?: string) =>
      this.printPages(
        flags.all,
        at => this.ask('introspect.resources', { query: { ...introspectionQuery(flags, user_id), ...at } }),
        resourcesView,
      )
    const page = args.user === undefined ? await show() : await this.withUser(args.user, show)
    if (page.next_cursor !== null) this.hint(`More users: add --cursor ${page.next_cursor}`)
  }
}

function resourcesView(page: ResponseOf<'introspect.resources'>) {
  const rows = page.data.flatMap(({ user_id, provider }) =>
    Object.entries(provider).flatMap(([slug, resources]) =>
      Object.entries(resources).map(([resource, state]) => ({ user_id, provider: slug, resource, ...state })),
    ),
  )
  return view(
    rows,
    {
      ...fields<(typeof rows)[number]>('user_id', 'provider', 'resource', 'oldest_data', 'newest_data', 'sent_count'),
      last_attempt: row => row.last_attempt?.timestamp,
      last_status: row => row.last_attempt?.status,
    },
    'No data and no pulls.',
  )
}
