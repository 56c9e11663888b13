/** `svc summary get`. */
import { string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { dateReader } from '../../cli/arguments/dates.ts'
import { WHEN_HELP } from '../../cli/arguments/when.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { safeCsvFlag } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { profileView, summariesView } from '../../cli/views/summary-view.ts'
import { SUMMARY_WRAPPERS } from '../../contract/readings/summary.ts'
import { ServiceError } from '../../core/errors.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../core/sample.ts'

export default class SummaryGet extends WatchedCommand {
  static override summary = 'Read the summaries in a date range, or the profile'
  static override description =
    `RESOURCE is one of ${SUMMARY_KINDS.join(', ')}. The range applies to a summary's calendar date in the user's ` +
    'local time. activity, workouts, sleep, body and meal also accept ISO 8601 date-times; a profile has no range. ' +
    "json is the service's unchanged response; ndjson has one summary per line; csv has one column for each key, " +
    'with dots for nested keys.'
  static override examples = toExamples(
    'ada sleep --start 2026-11-01 --end 2026-11-07',
    'ada workouts --start 2026-11-01 --provider zwift --output csv',
    'ada profile',
  )
  static override args = {
    user: userArgument(),
    resource: stringArg({ required: true, description: 'Kind of summary such as sleep' }),
  }
  static override flags = {
    start: string({
      description: `Start date, inclusive: ${WHEN_HELP}; required except for a profile`,
      helpValue: 'DATE',
    }),
    end: string({ description: 'End date, inclusive; defaults to today', helpValue: 'DATE' }),
    provider: string({ description: 'Only this provider', helpValue: 'SLUG' }),
    'safe-csv': safeCsvFlag(),
  }

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(SummaryGet)
    // The service refuses an unknown name and suggests the nearest ones.
    const resource = args.resource as SummaryKind
    if (resource === 'profile' && (flags.start !== undefined || flags.end !== undefined)) {
      throw new ServiceError('usage', 'A profile has no date range. Leave out --start and --end.')
    }
    if (resource !== 'profile' && flags.start === undefined && SUMMARY_KINDS.includes(resource)) {
      throw new ServiceError('usage', '--start is missing.', {
        suggestions: [`Run \`svc ${this.commandName} --help\` for its arguments and flags.`],
      })
    }
    const body = await this.withUser(args.user, async user_id => {
      const when = dateReader(await this.client(), user_id)
      const start_date = await when('first day', '--start', flags.start)
      const end_date = await when('last day', '--end', flags.end)
      return this.ask('summary.get', {
        params: { user_id, resource },
        query: { start_date, end_date, provider: flags.provider },
      })
    })
    if (resource === 'profile') return this.print(body, profileView(body))
    const rows = body[SUMMARY_WRAPPERS[resource]]
    if (!Array.isArray(rows))
      throw new ServiceError('bad_response', 'The response to summary.get contains no summaries.')
    await this.print(body, summariesView(resource, rows, this.format === 'table'))
  }
}
