/** `svc import`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, option, string } from '@oclif/core/flags'
import { mappingText } from '../cli/imports/import-mapping.ts'
import { importProgress } from '../cli/imports/import-progress.ts'
import { importSource } from '../cli/imports/import-source.ts'
import { hasData, type ImportReport, reportView } from '../cli/imports/import-view.ts'
import { SvcCommand } from '../cli/runtime/base-command.ts'
import { interruptSignal } from '../cli/runtime/interrupt.ts'
import { parseTimeout } from '../profile/settings.ts'

export default class Import extends SvcCommand {
  static override summary = 'Import an export file of a provider'
  static override description =
    'Takes exports of Apple Health, FIT, TCX and GPX activities, CSV of Dexcom Clarity and LibreView, FHIR, Open mHealth, ' +
    'Health Auto Export, exports of svc itself, and any CSV or NDJSON by --map; gzipped or not. The format is found by the ' +
    'content. Importing a file again changes nothing. A damaged file is refused whole. What is not stored is counted by ' +
    'reason, with the first places. A file named list or undo is ./list or ./undo.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> export.zip --user ada',
    '<%= config.bin %> <%= command.id %> ride.fit.gz --user ada --dry-run',
    '<%= config.bin %> <%= command.id %> steps.csv --user ada --map start=Time --map value=Steps --resource steps',
    'curl -s https://example.com/export.json | <%= config.bin %> <%= command.id %> - --user ada --json',
  ]
  static override args = { file: stringArg({ required: true, description: 'the export file; - is stdin' }) }
  static override flags = {
    user: string({ required: true, description: 'whose data they are', helpValue: 'USER' }),
    format: string({ description: 'format of the file; found out by itself when left out' }),
    provider: string({ description: 'slug of the provider they belong to, where the file does not say' }),
    'source-type': string({ description: 'kind of device they come from, where the file does not say' }),
    'date-order': option({
      options: ['dmy', 'mdy'] as const,
      description: 'order of day and month, where the file leaves it open',
    })(),
    map: string({
      description: 'column of a table for start, end, value …; repeat it',
      helpValue: 'TARGET=COLUMN',
      multiple: true,
      multipleNonGreedy: true,
    }),
    resource: string({ description: 'timeseries resource of a table, where no column says it' }),
    unit: string({ description: 'unit of the values of a table; the resource’s own when left out' }),
    'time-zone': string({ description: 'zone of times without an offset; the user’s when left out' }),
    'dry-run': boolean({ description: 'report what would happen, and store nothing' }),
    'keep-partial': boolean({ description: 'keep what stands before the damage of a damaged file' }),
    'stall-timeout': string({
      description: 'longest wait for the next bytes of stdin or a FIFO',
      default: '60s',
      env: 'SVC_STALL_TIMEOUT',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Import)
    const signal = interruptSignal()
    const mapping = mappingText(flags)
    const body = await importSource(args.file, { stallMs: parseTimeout(flags['stall-timeout']), signal })
    // first of all: a stream can be read only once
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

  /** What must not be missed, and what was done. */
  private say(report: ImportReport): void {
    const { partial, import_id } = report
    if (partial) this.warn(`only the part before the damage was ${import_id ? 'stored' : 'read'}. ${partial.message}`)
    if (!hasData(report)) this.warn('the file holds nothing that can be stored.')
    const { records, seconds } = report
    const what = `${report.format}: ${records} record${records === 1 ? '' : 's'} in ${seconds.toFixed(1)} s`
    this.hint(import_id === null ? `${what}; a dry run, nothing was stored` : `${what} (import ${import_id})`)
  }

  override warn(line: string): string {
    process.stderr.write(`Warning: ${line}\n`)
    return line
  }
}
