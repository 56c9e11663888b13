/** `svc event list`. */
import { boolean, integer, option, string } from '@oclif/core/flags'
import { endpointIdOf } from '../../cli/arguments/endpoint-argument.ts'
import { sinceTime } from '../../cli/arguments/since-time.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { eventsView } from '../../cli/views/event-view.ts'
import { DELIVERY_FILTERS } from '../../contract/events/event.ts'

export default class EventList extends SvcCommand {
  static override summary = 'List events and how their deliveries stand, newest first'
  static override description =
    'Events are written together with the change of data that caused them, whether there is an endpoint or not, and kept for the ' +
    'days that the team says (svc engine team set). With --output ndjson a line is an event.'
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    "<%= config.bin %> <%= command.id %> --type 'daily.data.*' --user ada --since 2026-11-20",
    '<%= config.bin %> <%= command.id %> --dead --since 1h',
    '<%= config.bin %> <%= command.id %> --order asc --payload --output ndjson',
  ]
  static override flags = {
    type: string({
      description: 'event types, with * for any characters; repeat it for more',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'PATTERN',
    }),
    user: string({ description: 'of this user: user_id or client_user_id', helpValue: 'USER' }),
    since: string({ description: 'from then on: a date, a date-time, or 10m, 2h, 7d before now', helpValue: 'WHEN' }),
    until: string({ description: 'up to this date or date-time', helpValue: 'WHEN' }),
    state: option({
      options: DELIVERY_FILTERS,
      description: 'with a delivery that waits, waits after a failure, is done, or was given up',
    })(),
    dead: boolean({ description: 'the same as --state dead', exclusive: ['state'] }),
    endpoint: string({
      description: 'with a delivery to this endpoint: endpoint_id, its beginning, or the URL',
      helpValue: 'ENDPOINT',
    }),
    order: option({ options: ['asc', 'desc'] as const, description: 'as they arrive, or newest first' })({
      default: 'desc',
    }),
    payload: boolean({ description: 'with the webhook body of each' }),
    limit: integer({ description: 'events on a page, 1 to 500', default: 50, helpValue: 'N' }),
    cursor: string({ description: 'next_cursor of the page before', helpValue: 'CURSOR' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(EventList)
    const { until, order, payload, limit, cursor, type, user } = flags
    const since = flags.since === undefined ? undefined : await sinceTime(flags.since, () => this.ask('clock.get', {}))
    const endpoint_id =
      flags.endpoint === undefined ? undefined : await endpointIdOf(flags.endpoint, () => this.ask('webhook.list', {}))
    const list = (user_id?: string) =>
      this.ask('event.list', {
        query: {
          type: type?.join(','),
          user_id,
          since,
          until,
          state: flags.dead ? 'dead' : flags.state,
          endpoint_id,
          order,
          payload,
          limit,
          next_cursor: cursor,
        },
      })
    const page = user === undefined ? await list() : await this.withUser(user, list)
    await this.print(page, eventsView(page.data))
    if (page.next_cursor !== null && page.data.length > 0) {
      this.hint(`${order === 'asc' ? 'What follows' : 'There is more'}: the same with --cursor ${page.next_cursor}`)
    }
  }
}
