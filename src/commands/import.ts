/** `svc import`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, option, string } from '@oclif/core/flags'
import { mappingText } from '../cli/imports/import-mapping.ts'
import { importProgress } from '../cli/imports/import-progress.ts'
import { importSource } from '../cli/imports/import-source.ts'
import { hasData, type ImportReport, reportView } from '../cli/imports/import-view.ts'
import { examplesOf, SvcCommand } from '../cli/runtime/base-command.ts'
import { interruptSignal } from '../cli/runtime/interrupt.ts'
import { several, stallFlag } from '../cli/runtime/shared-flags.ts'
import { parseTimeout } from '../profile/settings.ts'

export default class Import extends SvcCommand {
  static override summary = 'Import an export file of a provider'
  static override description =
    'Reads Apple Health exports, FIT, TCX and GPX activities, CSV of Dexcom Clarity and LibreView, FHIR, Open ' +
    'mHealth, Health Auto Export, exports of svc, and any CSV or NDJSON with --map; gzipped or not. The format ' +
    'is detected from the content. Importing a file twice changes nothing. A damaged file is refused as a whole, ' +
    'unless --keep-partial is given. Skipped items are counted by reason, with the first three places. To import a file ' +
    'named list or undo, write ./list or ./undo.'
  static override examples = examplesOf(
    'export.zip --user ada',
    'ride.fit.gz --user ada --dry-run',
    'steps.csv --user ada --map start=Time --map value=Steps --resource steps',
    'curl -s https://example.com/export.json | <%= config.bin %> <%= command.id %> - --user ada --json',
  )
  static override args = { file: stringArg({ required: true, description: 'Export file; - reads stdin' }) }
  static override flags = {
    user: string({ required: true, description: 'User to import the data for', helpValue: 'USER' }),
    format: string({ description: 'Format of the file, such as fit or csv; detected by default', helpValue: 'FORMAT' }),
    provider: string({ description: 'Provider slug; replaces the one that the format implies', helpValue: 'SLUG' }),
    'source-type': string({ description: 'Source type; replaces the one that the format implies', helpValue: 'TYPE' }),
    'date-order': option({
      options: ['dmy', 'mdy'] as const,
      description: 'Order of day and month, if the dates in the file do not show it',
    })(),
    map: string({
      description: 'Column of a table to use for start (or date and time), end, value …; can be repeated',
      helpValue: 'TARGET=COLUMN',
      ...several,
    }),
    resource: string({ description: 'Timeseries resource of a table, if no column names it' }),
    unit: string({ description: 'Unit of the values of a table; defaults to the unit of the resource' }),
    'time-zone': string({
      description: "Time zone of times without an offset; defaults to the user's, then UTC",
      helpValue: 'ZONE',
    }),
    'dry-run': boolean({ description: 'Report what would happen and store nothing' }),
    'keep-partial': boolean({ description: 'Keep the part of a damaged file before the damage' }),
    'stall-timeout': stallFlag(),
  }

  protected override readonly isPaged = false

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Import)
    const signal = interruptSignal()
    const mapping = mappingText(flags)
    const body = await importSource(args.file, { stallMs: parseTimeout(flags['stall-timeout']), signal })
    // Looked up before anything else, because a stream can be read only once.
    const { user_id } = await this.withUser(flags.user, id => this.ask('user.get', { params: { user_id: id } }))
    const query = {
      format: flags.format,
      provider: flags.provider,
      source_type: flags['source-type'],
      date_order: flags['date-order'],
      keep_partial: flags['keep-partial'],
      dry_run: flags['dry-run'],
      mapping,
    }
    const { onProgress, end } = importProgress({ quiet: this.isQuiet })
    let report: ImportReport
    try {
      report = await this.ask('import.create', { params: { user_id }, query, body }, { signal, onProgress })
    } finally {
      end()
    }
    await this.print(report, reportView(report))
    this.say(report)
  }

  /** Reports what the user must not miss, and what was done. */
  private say(report: ImportReport): void {
    const { partial, import_id } = report
    if (partial) this.warn(`only the part before the damage was ${import_id ? 'stored' : 'read'}. ${partial.message}`)
    if (!hasData(report)) this.warn('the file holds nothing that can be stored.')
    const { records, seconds } = report
    const what = `${report.format}: ${records} record${records === 1 ? '' : 's'} in ${seconds.toFixed(1)} s`
    this.hint(import_id === null ? `${what}; dry run, nothing was stored` : `${what} (import ${import_id})`)
  }

  override warn(line: string): string {
    process.stderr.write(`Warning: ${line}\n`)
    return line
  }
}
