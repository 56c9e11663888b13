/** `svc event trigger`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, integer, string } from '@oclif/core/flags'
import { dateReader } from '../../cli/arguments/dates.ts'
import { setValues } from '../../cli/arguments/set-values.ts'
import { WHEN_HELP } from '../../cli/arguments/when.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { repeatable } from '../../cli/runtime/shared-flags.ts'
import { fields, view } from '../../output/view.ts'

export default class EventTrigger extends SvcCommand {
  static override summary = 'Trigger an event by changing data'
  static override description =
    'Pushes samples and summaries, links sandbox accounts, or places and advances orders, so that later reads match ' +
    'the event. --set accepts paths in the webhook body (data.value, data.source.provider, data.heart_rate.max_bpm) ' +
    "and values as JSON or text. With --only-event, writes only the type's example event and changes no data. Other " +
    'events that the change causes are listed too.'
  static override examples = toExamples(
    'daily.data.heartrate.created --user ada --set data.value=72',
    'daily.data.sleep.updated --user ada --set data.score=41',
    'daily.data.steps.created --user ada --count 20 --at 2026-11-20T08:30:00Z',
    'provider.connection.error --user ada --set data.provider=whoop',
    'labtest.appointment.created --user ada --only-event',
  )
  static override args = {
    type: stringArg({ required: true, description: 'Event type; see `svc event types`' }),
  }
  static override flags = {
    user: string({ required: true, description: 'User whose data changes', helpValue: 'USER' }),
    set: string({
      description: 'Value to change in the body, as path=value; can be repeated',
      helpValue: 'PATH=VALUE',
      ...repeatable,
    }),
    count: integer({ description: 'Number of changes, 1 to 500', default: 1, helpValue: 'N' }),
    at: string({
      description: `Time of the data: ${WHEN_HELP}; defaults to the time on the engine's clock`,
      helpValue: 'WHEN',
    }),
    'only-event': boolean({ description: 'Write only the event and change no data' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EventTrigger)
    const { count } = flags
    const set = setValues(flags.set ?? [])
    const made = await this.withUser(flags.user, async user_id => {
      const at = await dateReader(await this.client(), user_id)('start', '--at', flags.at)
      return this.ask('event.trigger', {
        body: {
          type: args.type,
          user_id,
          set,
          count,
          only_event: flags['only-event'],
          ...(at === undefined ? {} : { at }),
        },
      })
    })
    type Event = (typeof made.events)[number]
    await this.print(
      made,
      view(made.events, fields<Event>('event_type', 'event_id', 'sequence', 'user_id'), 'No events were created.'),
    )
  }
}
