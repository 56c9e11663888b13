/** `svc engine reset`. */
import { boolean } from '@oclif/core/flags'
import { examplesOf, SvcCommand } from '../../cli/runtime/base-command.ts'
import { confirm } from '../../cli/runtime/confirmation.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { factSheet } from '../../output/view.ts'

export default class EngineReset extends SvcCommand {
  static override summary = 'Delete every user, all data, events, endpoints and faults'
  static override description =
    'Happens in one step; a running `svc serve` continues with the empty store. Then the database file is ' +
    'rebuilt so that no deleted data remains in it. Teams, their settings and keys, the audit trail and ' +
    'snapshots stay. The clock follows real time again.'
  static override examples = examplesOf('--yes')
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { flags } = await this.parse(EngineReset)
    if (!flags.yes) {
      await confirm(this.canAsk, {
        doing: 'Emptying the store',
        question: 'Delete every user, all data, events, endpoints and faults?',
        kept: 'nothing was deleted',
      })
    }
    const emptied = await this.ask('engine.reset', { body: { confirm: 'reset' } }, { signal: interruptSignal() })
    await this.print(emptied, factSheet(emptied))
    if (emptied.scrubbed) return
    this.hint(
      'Another process still reads older data, so deleted data remains in the files. When it is done, run svc engine run-due.',
    )
  }
}
