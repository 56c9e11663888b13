/** `svc engine snapshot restore`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { SvcCommand } from '../../../cli/runtime/base-command.ts'
import { confirm } from '../../../cli/runtime/confirmation.ts'
import { interruptSignal } from '../../../cli/runtime/interrupt.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineSnapshotRestore extends SvcCommand {
  static override summary = 'Restore a snapshot and replace everything in the store'
  static override description =
    'In one step, while a `svc serve` on the data folder runs and goes on with it. Users, data, events, endpoints, keys and the ' +
    'clock are as they were when it was saved. The audit trail goes on, keys that were revoked since stay revoked, running ' +
    'servers keep theirs, and faults end. In a data folder whose database was lost, the snapshot becomes the database; what is ' +
    'left of the lost one is renamed.'
  static override examples = ['<%= config.bin %> <%= command.id %> base --yes']
  static override args = { name: stringArg({ required: true, description: 'Name of the snapshot' }) }
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineSnapshotRestore)
    if (!flags.yes) {
      await confirm(this.canAsk, {
        doing: 'Restoring a snapshot',
        question: `Replace all that is there by the snapshot ${args.name}?`,
        kept: 'everything is as it was',
      })
    }
    // a folder that lost its database is opened for nothing else
    await this.client(args.name)
    const restored = await this.ask('snapshot.restore', { params: { name: args.name } }, { signal: interruptSignal() })
    await this.print(restored, factSheet(restored))
  }
}
