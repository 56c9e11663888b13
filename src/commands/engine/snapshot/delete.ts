/** `svc engine snapshot delete`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { confirm } from '../../../cli/runtime/confirmation.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineSnapshotDelete extends SvcCommand {
  static override summary = 'Delete a snapshot'
  static override examples = toExamples('base --yes')
  static override args = { name: stringArg({ required: true, description: 'Snapshot name' }) }
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineSnapshotDelete)
    this.refuseUnsupported('snapshots')
    if (!flags.yes) {
      // ask the server whether its store supports snapshots before prompting the user
      if (this.settings.baseUrl.value !== null) await this.ask('snapshot.list', {})
      await confirm(this.canAsk, {
        doing: 'Deleting a snapshot',
        question: `Delete the snapshot ${args.name}?`,
        kept: 'the snapshot is still there',
      })
    }
    await this.ask('snapshot.delete', { params: { name: args.name } })
    const deleted = { name: args.name, deleted: true }
    await this.print(deleted, factSheet(deleted))
  }
}
