/** `svc engine reset`. */
import { boolean } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { confirm } from '../../cli/runtime/confirmation.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { factSheet } from '../../output/view.ts'

export default class EngineReset extends SvcCommand {
  static override summary = 'Delete every user, all data, events, endpoints and faults'
  static override description =
    'First ends access to accounts at live providers, which takes at most 30 seconds. The rest happens in one step; ' +
    'a running `svc serve` continues with the empty store. Then the database file is rebuilt so that no deleted ' +
    'data remains in it. Teams, their settings and keys, the audit trail and snapshots are kept. The clock follows ' +
    'real time again.'
  static override examples = toExamples('--yes')
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
    const { not_revoked: notRevoked, ...facts } = emptied
    await this.print(emptied, factSheet(notRevoked === 0 ? facts : emptied))
    if (notRevoked > 0) {
      this.hint(
        `Access for ${notRevoked} live connections could not be ended at the provider, and svc no longer has it. Ask these people to remove the app in their accounts at the provider.`,
      )
    }
    if (!emptied.scrubbed) {
      this.hint(
        'Another process is still reading older data, so deleted data remains in the files. When that process is done, run svc engine run-due.',
      )
    }
  }
}
