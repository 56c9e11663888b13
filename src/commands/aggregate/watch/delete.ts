/** `svc aggregate watch delete`. */
import { boolean } from '@oclif/core/flags'
import { watchArgument } from '../../../cli/aggregate/watch-view.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { confirm } from '../../../cli/runtime/confirmation.ts'
import { interruptSignal } from '../../../cli/runtime/interrupt.ts'
import { factSheet } from '../../../output/view.ts'

export default class AggregateWatchDelete extends SvcCommand {
  static override summary = 'Delete a continuous query and its results for all users'
  static override description = 'This cannot be undone. Events that were already sent are kept.'
  static override examples = toExamples('daily-steps', 'daily-steps --yes')
  static override args = { watch: watchArgument() }
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AggregateWatchDelete)
    if (!flags.yes) {
      await confirm(this.canAsk, {
        doing: 'Deleting a continuous query',
        question: `Delete the continuous query ${args.watch} and its results?`,
        kept: 'the continuous query is still there',
        advice: 'Answer y, or give --yes, to delete it.',
      })
    }
    const params = { query_id_or_slug: args.watch }
    await this.show('continuous_query.delete', { params }, factSheet, { signal: interruptSignal() })
  }
}
