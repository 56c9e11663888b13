/** `svc timeseries get`. */
import { string } from '@oclif/core/flags'
import { resourceArgument, userArgument } from '../../cli/arguments.ts'
import { SvcCommand } from '../../cli/base-command.ts'
import type { ReplyBody } from '../../contract/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { type Cell, cellOf, view } from '../../output/view.ts'

type Page = ReplyBody<Operations['timeseries.grouped']>
type Sample = Readonly<Record<string, unknown>>

export default class TimeseriesGet extends SvcCommand {
  static override summary = 'Read one page of samples'
  static override description =
    'Dates are YYYY-MM-DD or ISO 8601 date-times; a date alone means the whole day. When there is more, the next cursor is ' +
    'named on stderr (and is next_cursor in json).'
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
    const rows = rowsOf(page)
    await this.print(page, view(rows, columnsOf(rows), 'No samples there.'))
    if (page.next_cursor !== null) this.hint(`There is more: repeat the command with --cursor ${page.next_cursor}`)
  }
}

/** Each sample with its provider and source type in front. */
function rowsOf(page: Page): Sample[] {
  return Object.values(page.groups).flatMap(groups =>
    groups.flatMap(({ source, data }) =>
      data.map(sample => ({ provider: source.provider, source_type: source.type, ...sample })),
    ),
  )
}

/** In csv and in tables a column that is empty in every row is left out; timestamp repeats start. */
function columnsOf(rows: readonly Sample[]): Record<string, (row: Sample) => Cell> {
  const names = new Set<string>(rows.length === 0 ? ['provider', 'source_type', 'start', 'end', 'unit', 'value'] : [])
  for (const row of rows) {
    for (const name in row) if (name !== 'timestamp' && row[name] !== null && row[name] !== undefined) names.add(name)
  }
  return Object.fromEntries([...names].map(name => [name, (row: Sample) => cellOf(row[name])]))
}
