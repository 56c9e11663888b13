/** `svc user undo-delete`. */
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { factSheet } from '../../output/view.ts'

export default class UserUndoDelete extends SvcCommand {
  static override summary = 'Undo a user deletion within 7 days'
  static override description =
    'The command is refused if the 7 days are over or a new user has the same client_user_id. Connections are not ' +
    'restored.'
  static override examples = toExamples('ada')
  static override args = { user: userArgument() }

  async run(): Promise<void> {
    const { args } = await this.parse(UserUndoDelete)
    const result = await this.undo(args.user)
    await this.print(result, factSheet(result))
  }

  /**
   * Undoes the deletion. A deleted user cannot be looked up, so the request must specify whether the text is a user_id or a client_user_id.
   */
  private async undo(user: string): Promise<{ success: boolean }> {
    const byClientUserId = () => this.ask('user.undo_delete', { body: { client_user_id: user } })
    if (!isUuid(user)) return byClientUserId()
    try {
      return await this.ask('user.undo_delete', { body: { user_id: user } })
    } catch (error) {
      if (!(error instanceof ServiceError) || error.category !== 'not_found') throw error
      return byClientUserId().catch(() => Promise.reject(error))
    }
  }
}
