/** `svc event get`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { eventView } from '../../cli/views/event-view.ts'

export default class EventGet extends WatchedCommand {
  static override summary = 'Show an event and its delivery attempts'
  static override description = 'With --body, prints only the webhook body, byte for byte as it is sent.'
  static override examples = toExamples(
    '3f0e6a52-1c7b-8d9e-a4f5-0b1c2d3e4f50',
    '3f0e6a52-1c7b-8d9e-a4f5-0b1c2d3e4f50 --body > body.json',
  )
  static override args = {
    event: stringArg({ required: true, description: 'Event ID from `svc event list`' }),
  }
  static override flags = {
    body: boolean({ description: 'Print only the webhook body', exclusive: ['fields', 'jq', 'watch'] }),
  }

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(EventGet)
    const event = await this.ask('event.get', { params: { event_id: args.event } })
    // No line feed, because it would not be part of the signed bytes.
    if (flags.body) process.stdout.write(JSON.stringify(event.payload))
    else await this.print(event, eventView(event))
  }
}
