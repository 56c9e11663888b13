/** `svc import undo`. */
import { string as stringArg } from '@oclif/core/args'
import { type UndoReport, undoneView, undoView } from '../../cli/imports/import-view.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'

export default class ImportUndo extends SvcCommand {
  static override summary = 'Undo imports and restore the data they replaced'
  static override description =
    'Removes the data that the import added and restores the data that it replaced. Data that has changed since then ' +
    'is kept. To redo an import, import the file again. With several imports, undoes every import that can be ' +
    'undone, and fails if any cannot be.'
  static override examples = toExamples(
    '738bccc0-d121-866c-a203-f6ce695222d0',
    '738bccc0-d121-866c-a203-f6ce695222d0 --json',
    '738bccc0-d121-866c-a203-f6ce695222d0 345d3e3c-38a0-81f8-ba2c-e74067558fc8',
  )
  static override args = {
    import_id: stringArg({
      required: true,
      description: 'Import ID from `svc import list`; can be repeated',
      multiple: true,
    }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(ImportUndo)
    const [import_id = '', ...more] = new Set([args.import_id].flat())
    if (more.length === 0) {
      await this.show('import.undo', { params: { import_id } }, undoView)
      return
    }
    const imports: UndoReport[] = []
    const failures: unknown[] = []
    for (const each of [import_id, ...more]) {
      try {
        imports.push(await this.ask('import.undo', { params: { import_id: each } }))
      } catch (error) {
        failures.push(error)
      }
    }
    await this.print({ imports }, undoneView(imports))
    if (failures.length === 0) return
    this.hint(`${imports.length} of ${imports.length + failures.length} imports were undone.`)
    throw failures[0]
  }
}
