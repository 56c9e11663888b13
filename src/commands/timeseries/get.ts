/** `svc timeseries get`. */
import { string } from '@oclif/core/flags'
import { resourceNamed } from '../../catalogue/resources.ts'
import { resourceArgument, userArgument } from '../../cli/arguments.ts'
import { SvcCommand } from '../../cli/base-command.ts'
import type { ReplyBody } from '../../contract/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { fields, view } from '../../output/view.ts'

type Page = ReplyBody<Operations['timeseries.grouped']>
type Sample = Readonly<Record<string, unknown>>

export default class TimeseriesGet extends SvcCommand {
  static override summary = 'Read one page of samples'
  static override description =
    'Dates are YYYY-MM-DD or ISO 8601 date-times. They are read in UTC unless they carry an offset, and a date alone means the ' +
    'whole UTC day. When there is more, the next cursor is named on stderr (and is next_cursor in json).'
  static override examples = [
    '<%= config.bin %> <%= command.id %> ada steps --start 2026-11-01 --end 2026-11-07',
    '<%= config.bin %> <%= command.id %> ada heartrate --start 2026-11-20 --provider whoop --output csv',
  ]
  static override args = { user: userArgument(), resource: resourceArgument() }
  static override flags = {
    start: string({ required: true, description: 'from here on', helpValue: 'DATE' }),
    end: string({ description: 'up to here; now when it is left out', helpValue: 'DATE' }),
    provider: string({ description: 'only this provider', helpValue: 'SLUG' }),
    cursor: string({ description: 'the next cursor of the page before' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TimeseriesGet)
    const page = await this.withUser(args.user, user_id =>
      this.ask('timeseries.grouped', {
        params: { user_id, resource: args.resource },
        query: { start_date: flags.start, end_date: flags.end, provider: flags.provider, next_cursor: flags.cursor },
      }),
    )
    const names = columnNames(args.resource)
    await this.print(page, view(rowsOf(page, names), fields<Sample>(...names), 'No samples there.'))
    if (page.next_cursor !== null) this.hint(`There is more: repeat the command with --cursor ${page.next_cursor}`)
  }
}

/** The same for every page of a resource, whatever its samples hold, so that pages can be put together. */
function columnNames(resource: string): readonly string[] {
  const { shape, fields } = resourceNamed(resource) ?? { shape: 'value', fields: [] }
  return [
    'provider',
    'source_type',
    'app_id',
    'device_id',
    'sport',
    'workout_id',
    'start',
    'end',
    'timezone_offset',
    'type',
    'unit',
    ...(shape === 'blood_pressure' ? ['systolic', 'diastolic'] : ['value']),
    ...fields.filter(field => field !== 'type'),
  ]
}

/** Each sample with its source in front; what it does not have is null. */
function rowsOf(page: Page, names: readonly string[]): Sample[] {
  return Object.values(page.groups).flatMap(groups =>
    groups.flatMap(({ source: { type: source_type, ...source }, data }) =>
      data.map(sample => {
        const known: Sample = { ...source, source_type, ...sample }
        return Object.fromEntries(names.map(name => [name, known[name] ?? null]))
      }),
    ),
  )
}
