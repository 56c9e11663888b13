/** `svc engine snapshot restore`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { confirm } from '../../../cli/runtime/confirmation.ts'
import { interruptSignal } from '../../../cli/runtime/interrupt.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineSnapshotRestore extends SvcCommand {
  static override summary = 'Restore a snapshot and replace everything in the store'
  static override description =
    'The restore happens in one step; a running `svc serve` on the data folder continues with the restored state. ' +
    'Users, data, events, endpoints, keys and the clock return to their state when the snapshot was saved. The audit ' +
    'trail continues, keys that were revoked since then stay revoked, running servers keep their keys, and faults ' +
    'end. If the data folder has lost its database, the snapshot becomes the database, and the remains of the lost ' +
    'one are renamed.'
  static override examples = toExamples('base --yes')
  static override args = { name: stringArg({ required: true, description: 'Snapshot name' }) }
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineSnapshotRestore)
    this.refuseUnsupported('snapshots')
    if (!flags.yes) {
      // ask the server whether its store supports snapshots before prompting the user
      if (this.settings.baseUrl.value !== null) await this.ask('snapshot.list', {})
      await confirm(this.canAsk, {
        doing: 'Restoring a snapshot',
        question: `Replace everything in the store with the snapshot ${args.name}?`,
        kept: 'nothing was replaced',
      })
    }
    // A data folder without its database can only be opened to restore a snapshot.
    await this.client(args.name)
    await this.show('snapshot.restore', { params: { name: args.name } }, factSheet, { signal: interruptSignal() })
  }
}
