/** `svc provider disconnect`. */
import { boolean } from '@oclif/core/flags'
import { providerArgument, userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { confirm } from '../../cli/runtime/confirmation.ts'
import { factSheet } from '../../output/view.ts'

export default class ProviderDisconnect extends SvcCommand {
  static override summary = 'Disconnect a provider from a user and keep its data'
  static override examples = toExamples('ada oura', 'ada oura --yes')
  static override args = { user: userArgument(), provider: providerArgument() }
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProviderDisconnect)
    const { provider } = args
    if (!flags.yes) {
      await confirm(this.canAsk, {
        doing: 'Disconnecting a provider',
        question: `Disconnect ${provider}? To reconnect, the user must link it again.`,
        kept: 'the provider is still connected',
        advice: null,
      })
    }
    await this.withUser(args.user, user_id =>
      this.show('user.disconnect', { params: { user_id, provider } }, factSheet),
    )
  }
}
