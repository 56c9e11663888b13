/** `svc import`. */
import { string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { SvcCommand } from '../cli/base-command.ts'
import { interruptSignal } from '../cli/interrupt.ts'
import { checkReadable } from '../cli/readable-file.ts'
import type { ReplyBody } from '../contract/operation.ts'
import type { Operations } from '../contract/operations.ts'
import { progressBar } from '../output/progress.ts'
import { view } from '../output/view.ts'

type Report = ReplyBody<Operations['import.create']>

export default class Import extends SvcCommand {
  static override summary = 'Import an export file of a provider'
  static override description =
    'Takes an Apple Health export, export.xml or the zip around it. Importing a file again changes nothing. A damaged file ' +
    'is refused whole. What is not imported is counted and named.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> export.zip --user ada',
    '<%= config.bin %> <%= command.id %> export.xml --user ada --json',
  ]
  static override args = { file: stringArg({ required: true, description: 'the export file' }) }
  static override flags = {
    user: string({ required: true, description: 'whose data they are', helpValue: 'USER' }),
    format: string({ description: 'format of the file; found out by itself when left out' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Import)
    const path = await checkReadable(args.file)
    const bar = progressBar('Importing', { quiet: this.isQuiet })
    try {
      const report = await this.withUser(flags.user, user_id =>
        this.ask(
          'import.create',
          { params: { user_id }, query: { format: flags.format }, body: { kind: 'file', path } },
          {
            signal: interruptSignal(),
            onProgress: ({ doneBytes, totalBytes, records }) =>
              bar.update(doneBytes, totalBytes, `${records.toLocaleString('en')} records`),
          },
        ),
      )
      bar.end()
      await this.print(report, { ...view(rowsOf(report), COLUMNS), isOneDocument: true })
      this.hint(
        `${report.format}: ${report.records} records in ${report.seconds.toFixed(1)} s (import ${report.import_id})`,
      )
    } finally {
      bar.end()
    }
  }
}

interface Line {
  readonly what: string
  readonly name: string
  readonly counts: Readonly<Record<string, number>>
}

/** One line a resource and one a reason for skipping. */
function rowsOf(report: Report): Line[] {
  return [
    ...Object.entries(report.stored).map(([name, counts]) => {
      const created = counts.samples - counts.replaced - counts.unchanged
      return { what: 'samples', name, counts: { ...counts, created } }
    }),
    ...Object.entries(report.summaries).map(([name, counts]) => ({ what: 'summaries', name, counts })),
    ...report.skipped.map(({ reason, count }) => ({ what: 'skipped', name: reason, counts: { samples: count } })),
  ]
}

const COLUMNS = {
  what: (line: Line) => line.what,
  name: (line: Line) => line.name,
  records: (line: Line) => line.counts['samples'] ?? sum(line.counts),
  new: (line: Line) => line.counts['created'],
  replaced: (line: Line) => line.counts['replaced'] ?? line.counts['updated'],
  unchanged: (line: Line) => line.counts['unchanged'],
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
