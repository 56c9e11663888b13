/** `svc event resend`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import { dateReader } from '../../cli/arguments/dates.ts'
import { resolveEndpointId } from '../../cli/arguments/endpoint-argument.ts'
import { WHEN_HELP } from '../../cli/arguments/when.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { ServiceError } from '../../core/errors.ts'
import { factSheet } from '../../output/view.ts'

export default class EventResend extends SvcCommand {
  static override summary = 'Resend one event, or all events in a time range'
  static override description =
    'Events keep their IDs. An event goes to every enabled endpoint that subscribes to it, even if the endpoint ' +
    'already received it. A delivery that is already waiting is not queued twice. A running `svc serve` sends ' +
    'immediately; otherwise use `svc event deliver`.'
  static override examples = toExamples(
    '0d3f6a52-9c1e-4b7a-8f50-2f9c6f1f0a11',
    '--since 2h --dead',
    "--since 2026-11-20T08:00:00Z --type 'daily.data.*' --endpoint ID",
  )
  static override args = { event: stringArg({ description: 'Event ID from `svc event list`' }) }
  static override flags = {
    since: string({
      description: `Resend all events since this time: ${WHEN_HELP}`,
      helpValue: 'WHEN',
    }),
    until: string({
      description: `Only events before this time: ${WHEN_HELP}`,
      helpValue: 'WHEN',
      dependsOn: ['since'],
    }),
    type: string({
      description: 'Only events of this type, with * for any characters',
      helpValue: 'PATTERN',
      dependsOn: ['since'],
    }),
    dead: boolean({ description: 'Only deliveries that were given up (dead)', dependsOn: ['since'] }),
    endpoint: string({
      description: 'Only to this endpoint, as endpoint_id, its first characters, or URL',
      helpValue: 'ENDPOINT',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EventResend)
    const { type, dead } = flags
    if ((args.event === undefined) === (flags.since === undefined)) {
      throw new ServiceError('usage', 'EVENT and --since cannot be used together. Give either EVENT or --since.')
    }
    const when = dateReader(await this.client())
    const since = await when('start', '--since', flags.since)
    const until = await when('start', '--until', flags.until)
    const endpoint =
      flags.endpoint === undefined
        ? undefined
        : await resolveEndpointId(flags.endpoint, () => this.ask('webhook.list', {}))
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
      this.hint(
        'Nothing was queued: no enabled endpoint subscribes to the events, or their deliveries are already waiting (svc webhook list).',
      )
    }
  }
}
