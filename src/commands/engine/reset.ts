/** `svc engine reset`. */
import { boolean } from '@oclif/core/flags'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { confirm } from '../../cli/runtime/confirmation.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { factSheet } from '../../output/view.ts'

export default class EngineReset extends SvcCommand {
  static override summary = 'Empty the store: every user, all data and events, endpoints and faults go'
  static override description =
    'In one step, while a `svc serve` on the data folder runs and goes on with it; then the database file is rebuilt, so that ' +
    'nothing is left in it. Teams with their switches and keys stay, and so do the audit trail and the snapshots. The clock ' +
    'follows real time again.'
  static override examples = ['<%= config.bin %> <%= command.id %> --yes']
  static override flags = { yes: boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { flags } = await this.parse(EngineReset)
    if (!flags.yes) {
      await confirm(this.canAsk, {
        doing: 'Emptying the store',
        question: 'Remove every user and all data?',
        kept: 'everything is still there',
      })
    }
    const emptied = await this.ask('engine.reset', { body: { confirm: 'reset' } }, { signal: interruptSignal() })
    await this.print(emptied, factSheet(emptied))
    if (emptied.scrubbed) return
    this.hint(
      'Another process still reads an older state: nothing is left of it in the files after svc engine run-due.',
    )
  }
}
