/** `svc import`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, option, string } from '@oclif/core/flags'
import { mappingText } from '../cli/imports/import-mapping.ts'
import { importProgress } from '../cli/imports/import-progress.ts'
import { importSource } from '../cli/imports/import-source.ts'
import {
  hasData,
  type ImportReport,
  implausibleLines,
  type PeopleReport,
  peopleView,
  reportView,
} from '../cli/imports/import-view.ts'
import { SvcCommand, toExamples } from '../cli/runtime/base-command.ts'
import { interruptSignal } from '../cli/runtime/interrupt.ts'
import { repeatable, stallFlag } from '../cli/runtime/shared-flags.ts'
import { ServiceError } from '../core/errors.ts'
import { formatCount } from '../core/text.ts'
import { parseTimeout } from '../profile/settings.ts'

export default class Import extends SvcCommand {
  static override summary = "Import a provider's export file"
  static override description =
    'Reads exports of Apple Health, Health Connect and Gadgetbridge, archives from Google Takeout, Garmin Connect, ' +
    'Samsung Health, WHOOP, Strava, Oura, Withings and Polar Flow, FIT, TCX and GPX activities, CSV files from ' +
    'Dexcom Clarity and LibreView, FHIR, Open mHealth, Health Auto Export, svc exports, and any CSV or NDJSON with ' +
    '--map. Files can be gzipped. The ' +
    'format is detected from the content. Importing a file twice changes nothing. A damaged file is rejected as a ' +
    'whole, unless --keep-partial is given. Skipped items are counted by reason, with the first three positions. To ' +
    'import a file named list, remap or undo, write ./list, ./remap or ./undo.'
  static override examples = toExamples(
    'export.zip --user ada',
    'ride.fit.gz --user ada --dry-run',
    'steps.csv --user ada --map start=Time --map value=Steps --resource steps',
    'study.csv --map user=Id --map start=Time --map value=Steps --resource steps --create-users',
    'curl -s https://example.com/export.json | <%= config.bin %> <%= command.id %> - --user ada --json',
  )
  static override args = { file: stringArg({ required: true, description: 'Export file; - reads stdin' }) }
  static override flags = {
    user: string({
      description: 'User to import the data for; not with --map user=COLUMN, which takes the user from each row',
      helpValue: 'USER',
    }),
    'create-users': boolean({
      description: 'With --map user=COLUMN, create a user for each unknown client user ID',
    }),
    format: string({ description: 'File format, such as fit or csv; detected by default', helpValue: 'FORMAT' }),
    provider: string({ description: "Provider slug; overrides the format's own", helpValue: 'SLUG' }),
    'source-type': string({ description: "Source type; overrides the format's own", helpValue: 'TYPE' }),
    'date-order': option({
      options: ['dmy', 'mdy'] as const,
      description: "Order of day and month, if the file's dates are ambiguous",
    })(),
    map: string({
      description: 'Table column to use for start (or date and time), end, value …; can be repeated',
      helpValue: 'TARGET=COLUMN',
      ...repeatable,
    }),
    where: string({
      description: 'Read only table rows with this value; can be repeated',
      helpValue: 'COLUMN=VALUE',
      ...repeatable,
    }),
    resource: string({ description: 'Timeseries resource of a table, if no column contains it' }),
    unit: string({ description: "Unit of a table's values; defaults to the resource's unit" }),
    'time-zone': string({
      description: "Time zone of times without an offset; defaults to the user's, then UTC",
      helpValue: 'ZONE',
    }),
    'dry-run': boolean({ description: 'Report what would happen and store nothing' }),
    'keep-partial': boolean({ description: 'Keep the part of a damaged file that precedes the damage' }),
    'stall-timeout': stallFlag(),
  }

  protected override readonly isPaged = false

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Import)
    const signal = interruptSignal()
    checkUsers(flags, flags.map?.some(pair => pair.startsWith('user=')) ?? false)
    const mapping = mappingText(flags)
    const body = await importSource(args.file, { stallMs: parseTimeout(flags['stall-timeout']), signal })
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
    if (flags.user === undefined) {
      const input = { query: { ...query, create_users: flags['create-users'] }, body }
      const report = await this.ask('imports.create', input, { signal, onProgress }).finally(end)
      await this.print(report, peopleView(report))
      this.logPeople(report)
      return
    }
    // Look up the user before anything else, because a stream can be read only once.
    const { user_id } = await this.withUser(flags.user, id => this.ask('user.get', { params: { user_id: id } }))
    const input = { params: { user_id }, query, body }
    const report = await this.ask('import.create', input, { signal, onProgress }).finally(end)
    await this.print(report, reportView(report))
    this.logReport(report)
  }

  /** Prints important warnings and the result. */
  private logReport(report: ImportReport): void {
    const { partial, import_id } = report
    if (partial) this.warn(`only the part before the damage was ${import_id ? 'stored' : 'read'}. ${partial.message}`)
    for (const line of implausibleLines(report)) this.warn(line)
    if (!hasData(report)) this.warn('the file contains nothing that can be stored.')
    const { records, seconds } = report
    const what = `${report.format}: ${counted(records, 'record')} in ${seconds.toFixed(1)} s`
    this.hint(import_id === null ? `${what}; dry run, nothing was stored` : `${what} (import ${import_id})`)
  }

  private logPeople({ users, users_created, records, imports, dry_run, seconds }: PeopleReport): void {
    for (const { partial } of imports.slice(0, 1)) {
      if (partial) this.warn(`only the part before the damage was ${dry_run ? 'read' : 'stored'}. ${partial.message}`)
    }
    const created = users_created === 0 ? '' : `, ${users_created} of them ${dry_run ? 'to be created' : 'created'}`
    const what = `${counted(users, 'user')}${created}; ${counted(records, 'record')} in ${seconds.toFixed(1)} s`
    const each = 'each user has a separate import, see `svc import list`'
    this.hint(`${what}; ${dry_run ? 'dry run, nothing was stored' : each}`)
  }

  override warn(line: string): string {
    process.stderr.write(`Warning: ${line}\n`)
    return line
  }
}

/** Throws ServiceError `usage` unless the owner of the data is given in exactly one of the two ways. */
function checkUsers(
  flags: { readonly user?: string | undefined; readonly 'create-users': boolean },
  isForSeveral: boolean,
): void {
  if (flags['create-users'] && !isForSeveral) {
    throw new ServiceError(
      'usage',
      '--create-users is for tables of several users. Name their column with --map user=COLUMN.',
    )
  }
  if (isForSeveral && flags.user !== undefined) {
    throw new ServiceError(
      'usage',
      '--user is for the data of one user, and --map user=COLUMN for a table of several. Use one of them.',
      {
        suggestions: [
          "To import the rows of one person for --user, replace --map user=COLUMN with --where 'COLUMN=VALUE'.",
        ],
      },
    )
  }
  if (isForSeveral || flags.user !== undefined) return
  throw new ServiceError('usage', '--user is missing. For a table of several users, use --map user=COLUMN instead.')
}

function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
