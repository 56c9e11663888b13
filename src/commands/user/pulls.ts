/** `svc user pulls`. */

import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { introspectionFlags, introspectionQuery, optionalUser } from '../../cli/users/introspection.ts'
import type { ResponseOf } from '../../client/client.ts'
import { fields, ranked, view } from '../../output/view.ts'

export default class UserPulls extends WatchedCommand {
  static override summary = "Show users' historical pulls"
  static override description =
    'A historical pull fetches the past data of one resource after a link. Resources that no link has pulled have ' +
    'the status "not pulled".'
  static override examples = toExamples('ada', 'ada --provider whoop --json')
  static override args = { user: optionalUser() }
  static override flags = introspectionFlags()

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(UserPulls)
    const show = (user_id?: string) =>
      this.printPages(
        flags.all,
        at => this.ask('introspect.historical_pulls', { query: { ...introspectionQuery(flags, user_id), ...at } }),
        pullsView,
      )
    const page = args.user === undefined ? await show() : await this.withUser(args.user, show)
    for (const line of unmappedLines(page)) this.hint(line)
    if (page.next_cursor !== null) this.hint(`More users: add --cursor ${page.next_cursor}`)
  }
}

/** Returns a line for each live connection with unmapped data. */
function unmappedLines({ data }: ResponseOf<'introspect.historical_pulls'>): string[] {
  return data.flatMap(({ user_id, provider }) =>
    Object.entries(provider).flatMap(([slug, { unmapped = {} }]) => {
      const counts = Object.entries(unmapped).map(([kind, count]) => `${kind} ${count}`)
      return counts.length === 0 ? [] : [`Unmapped values of ${slug} (user ${user_id}): ${counts.join(', ')}`]
    }),
  )
}

function pullsView(page: ResponseOf<'introspect.historical_pulls'>) {
  const rows = page.data.flatMap(({ user_id, provider }) =>
    Object.entries(provider).flatMap(([slug, { pulled, not_pulled: others }]) => [
      ...Object.entries(pulled).map(([resource, pull]) => ({ user_id, provider: slug, resource, pull })),
      ...others.map(resource => ({ user_id, provider: slug, resource, pull: null })),
    ]),
  )
  return ranked(
    ['resource', 'status', 'provider', 'user_id', 'range_start', 'range_end', 'days_with_data'],
    view(
      rows,
      {
        ...fields<(typeof rows)[number]>('user_id', 'provider', 'resource'),
        status: row => row.pull?.status ?? 'not pulled',
        range_start: row => row.pull?.range_start,
        range_end: row => row.pull?.range_end,
        days_with_data: row => row.pull?.days_with_data,
        trace_id: row => row.pull?.trace_id,
      },
      'No connections and no pulls.',
    ),
  )
}
