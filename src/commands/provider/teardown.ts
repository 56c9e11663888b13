/** `svc provider teardown`. */
import { boolean } from '@oclif/core/flags'
import { liveProviderArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { confirm } from '../../cli/runtime/confirmation.ts'
import { factSheet } from '../../output/view.ts'

export default class ProviderTeardown extends SvcCommand {
  static override summary = 'Make a live provider simulated again'
  static override description =
    'Removes the OAuth app with its secrets and its subscriptions at the provider. If there are live connections, ' +
    'the command is refused unless --disconnect is given. They are then disconnected first, and access is ended at ' +
    'the provider. Data is kept.'
  static override examples = toExamples('oura', 'oura --disconnect --yes')
  static override args = { provider: liveProviderArgument() }
  static override flags = {
    disconnect: boolean({ description: 'Disconnect the live connections first' }),
    yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProviderTeardown)
    const { provider } = args
    const { disconnect } = flags
    if (!flags.yes) {
      await confirm(this.canAsk, {
        doing: 'Removing an OAuth app',
        question: disconnect
          ? `Remove the OAuth app of ${provider}, and disconnect all of its live connections?`
          : `Remove the OAuth app of ${provider}?`,
        kept: `${provider} is still live`,
      })
    }
    const gone = await this.show('provider.teardown', { params: { provider }, query: { disconnect } }, factSheet)
    if (gone.not_revoked === 0) return
    this.hint(
      `Access for ${gone.not_revoked} of the connections could not be ended at ${provider}. svc no longer uses it. ` +
        'The people can end it in their accounts at the provider.',
    )
  }
}
