/** `svc user search`. */
import { string as stringArg } from '@oclif/core/args'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { userView } from '../../cli/users/user-view.ts'

export default class UserSearch extends WatchedCommand {
  static override summary = 'Search users by part of their client_user_id, or by user_id'
  static override description = 'Ignores case. Returns at most 100 users, newest first.'
  static override examples = toExamples('clinic-7')
  static override args = {
    text: stringArg({ required: true, description: 'At least 2 characters of a client_user_id, or a whole user_id' }),
  }

  protected override async look(): Promise<void> {
    const { args } = await this.parse(UserSearch)
    const users = await this.ask('user.search', { query: { query_id: args.text } })
    await this.print(users, { ...userView(users), empty: 'No users match. `svc user list` lists all users.' })
  }
}
