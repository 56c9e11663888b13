/** `svc user delete`. */
import { boolean } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { examplesOf, SvcCommand } from '../../cli/runtime/base-command.ts'
import { askConfirmation } from '../../cli/runtime/prompt.ts'
import { ServiceError } from '../../core/errors.ts'
import { factSheet } from '../../output/view.ts'

export default class UserDelete extends SvcCommand {
  static override summary = 'Delete a user; can be undone for 7 days'
  static override description = "The user's connections end immediately. Undoing the deletion does not restore them."
  static override examples = examplesOf('ada', 'ada --yes')
  static override args = { user: userArgument() }
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UserDelete)
    if (!flags.yes) await this.confirm(args.user)
    const result = await this.withUser(args.user, user_id => this.ask('user.delete', { params: { user_id } }))
    await this.print(result, factSheet(result))
    this.hint('You can undo this for 7 days: svc user undo-delete USER')
  }

  private async confirm(user: string): Promise<void> {
    if (!this.canAsk) {
      throw new ServiceError('missing_input', 'Deleting a user needs --yes when there is no terminal to prompt on.')
    }
    if (!(await askConfirmation(`Delete the user ${user}?`))) {
      throw new ServiceError('cancelled', 'Cancelled: the user is still there.', {
        suggestions: ['Answer y, or give --yes, to delete it.'],
      })
    }
  }
}
