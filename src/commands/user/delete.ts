/** `svc user delete`. */
import { boolean } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { confirm } from '../../cli/runtime/confirmation.ts'
import { factSheet } from '../../output/view.ts'

export default class UserDelete extends SvcCommand {
  static override summary = 'Delete a user; can be undone for 7 days'
  static override description = "The user's connections end immediately. Undoing the deletion does not restore them."
  static override examples = toExamples('ada', 'ada --yes')
  static override args = { user: userArgument() }
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UserDelete)
    if (!flags.yes) {
      await confirm(this.canAsk, {
        doing: 'Deleting a user',
        question: `Delete the user ${args.user}?`,
        kept: 'the user is still there',
        advice: 'Answer y, or give --yes, to delete it.',
      })
    }
    await this.withUser(args.user, user_id => this.show('user.delete', { params: { user_id } }, factSheet))
    this.hint('You can undo this for 7 days: svc user undo-delete USER')
  }
}
