/** `svc engine snapshot save`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { SvcCommand } from '../../../cli/runtime/base-command.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineSnapshotSave extends SvcCommand {
  static override summary = 'Keep the whole state under a name, to go back to'
  static override description =
    'It is of one moment, the clock included, and kept in the data folder; others read and write meanwhile. ' +
    '`snapshot export` writes a copy to a file elsewhere.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> base',
    '<%= config.bin %> <%= command.id %> base --force',
  ]
  static override args = {
    name: stringArg({ required: true, description: 'letters, digits, ".", "_" and "-", 64 at most' }),
  }
  static override flags = { force: boolean({ description: 'replace the snapshot of that name' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineSnapshotSave)
    const saved = await this.ask('snapshot.save', { body: { name: args.name, replace: flags.force } })
    await this.print(saved, factSheet(saved))
  }
}
