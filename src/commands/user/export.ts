/** `svc user export`. */
import { boolean, string } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { fetchBytes } from '../../cli/output/response-bytes.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { safeCsvFlag } from '../../cli/runtime/shared-flags.ts'
import { checkExportFolder, type SavedExport, saveExport } from '../../cli/samples/export-folder.ts'
import { formatCount } from '../../core/text.ts'
import { progressBar } from '../../output/progress.ts'
import { fields, view } from '../../output/view.ts'

export default class UserExport extends SvcCommand {
  static override summary = 'Export everything about a user to a folder'
  static override description =
    'data.ndjson contains every sample, summary and workout stream, one item per line; user.json contains the user, ' +
    'and manifest.json contains the item counts. `import FOLDER/data.ndjson --user USER` imports the data again, for the ' +
    'same user or another one. Only you can read the files. An interrupted export leaves no files.'
  static override examples = toExamples('ada -o ada-export', 'ada -o ada-export --force --json')
  static override args = { user: userArgument() }
  static override flags = {
    out: string({
      char: 'o',
      required: true,
      description: 'Folder to write; must be new or empty unless --force is given',
      helpValue: 'FOLDER',
    }),
    force: boolean({ description: 'Write to a folder that is not empty and replace an earlier export' }),
    'safe-csv': safeCsvFlag(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UserExport)
    const folder = await checkExportFolder(flags.out, flags.force)
    const client = await this.client()
    const signal = interruptSignal()
    const progress = progressBar('Exporting', { quiet: this.isQuiet })
    try {
      const saved = await this.withUser(args.user, async user_id => {
        const options = { signal, otherwise: 'The service returned JSON instead of an export.' }
        const bytes = await fetchBytes(client, 'user.export', { params: { user_id } }, options)
        // The total number of lines is unknown.
        const note = (lines: number) => progress.update(0, 0, `${formatCount(lines)} lines`)
        return saveExport(folder, bytes, signal, note)
      })
      progress.end()
      await this.print(saved, {
        ...view(exportRows(saved), fields<Line>('what', 'name', 'items'), 'The user has no data.'),
        isOneDocument: true,
      })
      this.hint(`Written to ${saved.folder}. The files contain health data. Keep them safe.`)
    } finally {
      progress.end()
    }
  }
}

interface Line {
  readonly what: string
  readonly name: string
  readonly items: number
}

/** Returns one row for each resource and each summary kind. */
function exportRows({ samples, summaries, streams }: SavedExport): Line[] {
  const lines = (what: string, counts: Readonly<Record<string, number>>): Line[] =>
    Object.entries(counts).map(([name, items]) => ({ what, name, items }))
  return [
    ...lines('samples', samples),
    ...lines('summaries', summaries),
    ...lines('streams', streams ? { workouts: streams } : {}),
  ]
}
