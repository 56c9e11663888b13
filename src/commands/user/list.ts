/** `svc user list`. */
import { integer } from '@oclif/core/flags'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { allFlag } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { userView } from '../../cli/users/user-view.ts'

/** Maximum number of users on a page. */
const MOST_USERS = 500

export default class UserList extends WatchedCommand {
  static override summary = 'List users, newest first'
  static override examples = toExamples(
    '',
    '--all --fields user_id,client_user_id --output ndjson',
    '--limit 500 --offset 500 --output ndjson',
  )
  static override flags = {
    limit: integer({ description: 'Maximum number of users to return, 1 to 500', default: 100 }),
    offset: integer({ description: 'Number of users to skip', default: 0 }),
    all: allFlag('limit'),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(UserList)
    const { all, offset } = flags
    const limit = all ? MOST_USERS : flags.limit
    const page = await this.printPages(
      all,
      at => this.ask('user.list', { query: { limit, offset, ...at } }),
      ({ users }) => userView(users),
    )
    const next = page.offset + page.users.length
    if (page.users.length > 0 && next < page.total) {
      this.hint(`${next} of ${page.total} users. Next page: svc user list --limit ${flags.limit} --offset ${next}`)
    }
  }
}
