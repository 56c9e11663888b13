/** `svc event attempts`. */
import { string as stringArg } from '@oclif/core/args'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import type { ResponseOf } from '../../client/client.ts'
import { fields, ranked, view } from '../../output/view.ts'

type Attempt = ResponseOf<'event.attempts'>['attempts'][number]

export default class EventAttempts extends WatchedCommand {
  static override summary = 'Show delivery attempts with their requests and responses'
  static override description =
    'Request headers, response headers and the first 4 KiB of each response are kept for 7 days, encrypted. All ' +
    'failed attempts are kept; of its accepted attempts, each endpoint keeps the first 1,000 and then 20 per second. ' +
    'The table shows the beginning of each response; json and ndjson contain all of the kept data.'
  static override examples = toExamples(
    '3f0e6a52-1c7b-8d9e-a4f5-0b1c2d3e4f50',
    "3f0e6a52-1c7b-8d9e-a4f5-0b1c2d3e4f50 --jq '.attempts[-1].response_body'",
  )
  static override args = {
    event: stringArg({ required: true, description: 'Event ID from `svc event list`' }),
  }

  protected override async look(): Promise<void> {
    const { args } = await this.parse(EventAttempts)
    const body = await this.ask('event.attempts', { params: { event_id: args.event } })
    const columns = fields<Attempt>('attempted_at', 'number', 'status', 'duration_ms', 'error', 'response_body', 'url')
    await this.print(
      body,
      ranked(['attempted_at', 'status', 'error', 'url', 'response_body'], view(body.attempts, columns, 'No attempts.')),
    )
  }
}
