/** `svc event trigger`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, integer, string } from '@oclif/core/flags'
import { setValues } from '../../cli/arguments/set-values.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { fields, view } from '../../output/view.ts'

export default class EventTrigger extends SvcCommand {
  static override summary = 'Bring an event about, by a change of data that causes it'
  static override description =
    'Samples and summaries are pushed, accounts linked in the sandbox, orders placed and moved on, so that a later read agrees ' +
    'with the event. Paths of --set are those of the body: data.value, data.source.provider, data.heart_rate.max_bpm; values ' +
    'are JSON, or text. With --only-event the event alone is written, from the example of its type, and nothing changes. What ' +
    'comes with a change (the connection of a provider’s first data, say) is listed too.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> daily.data.heartrate.created --user ada --set data.value=72',
    '<%= config.bin %> <%= command.id %> daily.data.sleep.updated --user ada --set data.score=41',
    '<%= config.bin %> <%= command.id %> daily.data.steps.created --user ada --count 20 --at 2026-11-20T08:30:00Z',
    '<%= config.bin %> <%= command.id %> provider.connection.error --user ada --set data.provider=whoop',
    '<%= config.bin %> <%= command.id %> labtest.appointment.created --user ada --only-event',
  ]
  static override args = {
    type: stringArg({ required: true, description: 'type of the event; `svc event types` lists them' }),
  }
  static override flags = {
    user: string({ required: true, description: 'whose data they are', helpValue: 'USER' }),
    set: string({
      description: 'what is to be different; repeat it',
      helpValue: 'PATH=VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    count: integer({ description: 'how many changes, 1 to 500', default: 1, helpValue: 'N' }),
    at: string({ description: 'the time of the data; the engine’s now when left out', helpValue: 'TIME' }),
    'only-event': boolean({ description: 'write the event alone, and change nothing' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EventTrigger)
    const { count, at } = flags
    const set = setValues(flags.set ?? [])
    const made = await this.withUser(flags.user, user_id =>
      this.ask('event.trigger', {
        body: {
          type: args.type,
          user_id,
          set,
          count,
          only_event: flags['only-event'],
          ...(at === undefined ? {} : { at }),
        },
      }),
    )
    type Event = (typeof made.events)[number]
    await this.print(
      made,
      view(made.events, fields<Event>('event_type', 'event_id', 'sequence', 'user_id'), 'No event was made.'),
    )
  }
}
