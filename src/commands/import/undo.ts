/** `svc import undo`. */
import { string as stringArg } from '@oclif/core/args'
import { undoView } from '../../cli/imports/import-view.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'

export default class ImportUndo extends SvcCommand {
  static override summary = 'Take an import back: what it replaced returns'
  static override description =
    'What the import brought is removed and what it replaced comes back; what was changed again since stays. Importing the ' +
    'file once more brings its data back.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> 738bccc0-d121-866c-a203-f6ce695222d0',
    '<%= config.bin %> <%= command.id %> 738bccc0-d121-866c-a203-f6ce695222d0 --json',
  ]
  static override args = {
    import_id: stringArg({ required: true, description: 'id of the import (`svc import list` shows them)' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(ImportUndo)
    const report = await this.ask('import.undo', { params: { import_id: args.import_id } })
    await this.print(report, undoView(report))
  }
}
