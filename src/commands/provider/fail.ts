/** `svc provider fail`. */
import { option, string } from '@oclif/core/flags'
import { providerArgument, userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { CONNECTION_ERROR_TYPES } from '../../contract/links/provider.ts'
import { factSheet } from '../../output/view.ts'

export default class ProviderFail extends SvcCommand {
  static override summary = 'Put a connection into the error state, as a failing provider would'
  static override description =
    "Sends the event provider.connection.error. A refresh then lists the connection's resources as failed. Link " +
    'the provider again to clear the error.'
  static override examples = toExamples(
    'ada oura --error-type token_refresh_failed',
    'ada oura --error-type unknown --message "for a test"',
  )
  static override args = { user: userArgument(), provider: providerArgument() }
  static override flags = {
    'error-type': option({ options: CONNECTION_ERROR_TYPES, required: true, description: 'Error type' })(),
    message: string({ description: 'Debug text; defaults to a text that matches the error type', helpValue: 'TEXT' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProviderFail)
    const entry = await this.withUser(args.user, user_id =>
      this.ask('provider.fail', {
        params: { user_id, provider: args.provider },
        body: { error_type: flags['error-type'], error_message: flags.message },
      }),
    )
    const { slug, status, error_details: error } = entry
    await this.print(entry, factSheet({ slug, status, ...error }))
  }
}
