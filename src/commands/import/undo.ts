/** `svc import undo`. */
import { string as stringArg } from '@oclif/core/args'
import { undoView } from '../../cli/imports/import-view.ts'
import { examplesOf, SvcCommand } from '../../cli/runtime/base-command.ts'

export default class ImportUndo extends SvcCommand {
  static override summary = 'Undo an import and restore what it replaced'
  static override description =
    'Removes what the import added and restores what it replaced. Data that changed since stays. Import the file ' +
    'again to redo.'
  static override examples = examplesOf(
    '738bccc0-d121-866c-a203-f6ce695222d0',
    '738bccc0-d121-866c-a203-f6ce695222d0 --json',
  )
  static override args = {
    import_id: stringArg({ required: true, description: 'Import id from `svc import list`' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(ImportUndo)
    await this.show('import.undo', { params: { import_id: args.import_id } }, undoView)
  }
}
