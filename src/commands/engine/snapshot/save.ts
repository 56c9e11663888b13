/** `svc engine snapshot save`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineSnapshotSave extends SvcCommand {
  static override summary = "Save the store's state under a name"
  static override description =
    'The snapshot contains the store as it was at one moment, including the clock, and stays in the data folder; ' +
    'other processes can read and write while it is saved. `snapshot export` writes a copy to a file elsewhere.'
  static override examples = toExamples('base', 'base --force')
  static override args = {
    name: stringArg({
      required: true,
      description: 'Name: letters, digits, ".", "_" and "-", at most 64 characters',
    }),
  }
  static override flags = { force: boolean({ description: 'Replace an existing snapshot' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineSnapshotSave)
    this.refuseUnsupported('snapshots')
    await this.show('snapshot.save', { body: { name: args.name, replace: flags.force } }, factSheet)
  }
}
