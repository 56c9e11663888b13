/** `svc user get`. */
import { userArgument } from '../../cli/arguments/arguments.ts'
import { examplesOf, SvcCommand } from '../../cli/runtime/base-command.ts'
import { userView } from '../../cli/users/user-view.ts'
import { asRecord } from '../../output/view.ts'

export default class UserGet extends SvcCommand {
  static override summary = 'Show a user'
  static override examples = examplesOf('ada', '0f8fad5b-d9cb-469f-a165-70867728950e --json')
  static override args = { user: userArgument() }

  async run(): Promise<void> {
    const { args } = await this.parse(UserGet)
    const user = await this.withUser(args.user, user_id => this.ask('user.get', { params: { user_id } }))
    await this.print(user, asRecord(userView([user])))
  }
}
