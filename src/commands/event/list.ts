/** `svc event list`. */
import { boolean, integer, option, string } from '@oclif/core/flags'
import { dateReader, repeatableFlags } from '../../cli/arguments/dates.ts'
import { resolveEndpointId } from '../../cli/arguments/endpoint-argument.ts'
import { WHEN_HELP } from '../../cli/arguments/when.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { allFlag, repeatable } from '../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import type { PagePosition } from '../../cli/scripting/all-pages.ts'
import { eventsView } from '../../cli/views/event-view.ts'
import { DELIVERY_FILTERS } from '../../contract/events/event.ts'

/** Maximum number of events on a page. */
const MOST_EVENTS = 500

export default class EventList extends WatchedCommand {
  static override summary = 'List events and the state of their deliveries, newest first'
  static override description =
    'An event is written together with the change that caused it, with or without an endpoint, and kept for the ' +
    'number of days set with `svc engine team set`. A delivery is pending while it waits, failing while it waits ' +
    'after a failed attempt, and dead after it was given up. With --output ndjson, each line is one event.'
  static override examples = toExamples(
    '',
    "--type 'daily.data.*' --user ada --since 2026-11-20",
    '--dead --since 1h',
    '--order asc --payload --output ndjson',
  )
  static override flags = {
    type: string({
      description: 'Event type, with * for any characters; can be repeated',
      ...repeatable,
      helpValue: 'PATTERN',
    }),
    user: string({ description: 'Only this user, as user_id or client_user_id', helpValue: 'USER' }),
    since: string({
      description: `Only events since this time: ${WHEN_HELP}`,
      helpValue: 'WHEN',
    }),
    until: string({ description: `Only events until this time: ${WHEN_HELP}`, helpValue: 'WHEN' }),
    state: option({
      options: DELIVERY_FILTERS,
      description: 'Only events with a delivery in this state',
    })(),
    dead: boolean({ description: 'Same as --state dead', exclusive: ['state'] }),
    endpoint: string({
      description: 'Only events for this endpoint, as endpoint_id, its first characters, or URL',
      helpValue: 'ENDPOINT',
    }),
    order: option({
      options: ['asc', 'desc'] as const,
      description: 'Sort order: asc for order of arrival, desc for newest first',
    })({
      default: 'desc',
    }),
    payload: boolean({ description: 'Include the webhook body of each event' }),
    limit: integer({ description: 'Maximum number of events to return, 1 to 500', default: 50, helpValue: 'N' }),
    cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR' }),
    all: allFlag('limit'),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(EventList)
    const { order, payload, all, cursor, type, user } = flags
    const limit = all ? MOST_EVENTS : flags.limit
    const client = await this.client()
    let again = ''
    const endpoint_id =
      flags.endpoint === undefined
        ? undefined
        : await resolveEndpointId(flags.endpoint, () => this.ask('webhook.list', {}))
    const show = async (user_id?: string) => {
      const when = dateReader(client, user_id)
      const since = await when('start', '--since', flags.since)
      const until = await when('end', '--until', flags.until)
      again = repeatableFlags({ '--since': [flags.since, since], '--until': [flags.until, until] })
      const list = (at: PagePosition) =>
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
            ...at,
          },
        })
      return this.printPages(all, list, ({ data }) => eventsView(data))
    }
    const page = user === undefined ? await show() : await this.withUser(user, show)
    if (page.next_cursor !== null && page.data.length > 0) {
      this.hint(`${order === 'asc' ? 'Later results' : 'More results'}: add ${again}--cursor ${page.next_cursor}`)
    }
  }
}
