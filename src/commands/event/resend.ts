/** `svc event resend`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import { endpointIdOf } from '../../cli/arguments/endpoint-argument.ts'
import { sinceTime } from '../../cli/arguments/since-time.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { ServiceError } from '../../core/errors.ts'
import { factSheet } from '../../output/view.ts'

export default class EventResend extends SvcCommand {
  static override summary = 'Send an event again, or all of a time, under the same ids'
  static override description =
    'An event goes to every endpoint that is enabled and asks for it, whether it had it before or not. May be repeated: what waits ' +
    'already is not queued twice. A running `svc serve` sends at once, else `svc event deliver` does.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> 0d3f6a52-9c1e-4b7a-8f50-2f9c6f1f0a11',
    '<%= config.bin %> <%= command.id %> --since 2h --dead',
    "<%= config.bin %> <%= command.id %> --since 2026-11-20T08:00:00Z --type 'daily.data.*' --endpoint ID",
  ]
  static override args = { event: stringArg({ description: 'event_id (`svc event list` shows it)' }) }
  static override flags = {
    since: string({
      description: 'all events from then on: a date, a date-time, or 10m, 2h, 7d before now',
      helpValue: 'WHEN',
    }),
    until: string({ description: 'only those before', helpValue: 'WHEN', dependsOn: ['since'] }),
    type: string({
      description: 'only those of this type, with * for any characters',
      helpValue: 'PATTERN',
      dependsOn: ['since'],
    }),
    dead: boolean({ description: 'only what was given up', dependsOn: ['since'] }),
    endpoint: string({
      description: 'to this endpoint alone: endpoint_id, its beginning, or the URL',
      helpValue: 'ENDPOINT',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EventResend)
    const { until, type, dead } = flags
    if ((args.event === undefined) === (flags.since === undefined)) {
      throw new ServiceError('usage', 'Name either an EVENT or --since, and not both.')
    }
    const since = flags.since === undefined ? undefined : await sinceTime(flags.since, () => this.ask('clock.get', {}))
    const endpoint =
      flags.endpoint === undefined ? undefined : await endpointIdOf(flags.endpoint, () => this.ask('webhook.list', {}))
    const reply =
      since === undefined
        ? await this.ask('event.resend', {
            params: { event_id: args.event as string },
            body: { endpoint_id: endpoint },
          })
        : await this.ask('events.resend', {
            body: { since, until, type, dead_only: dead, endpoint_id: endpoint },
          })
    await this.print(reply, factSheet({ ...reply }))
    if (reply.queued === 0) {
      this.hint('Nothing was queued: no endpoint that is enabled asks for it, or it waits already (svc webhook list).')
    }
  }
}
