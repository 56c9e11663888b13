/** `svc event test-consumer`. */
import { string as stringArg } from '@oclif/core/args'
import { option, string } from '@oclif/core/flags'
import { TEST_CASES } from '../../cli/consumer-test/cases.ts'
import { DeliveryMaker } from '../../cli/consumer-test/delivery-maker.ts'
import { consumerReport, reportView, shortfallError } from '../../cli/consumer-test/report.ts'
import { runCases } from '../../cli/consumer-test/run.ts'
import { ofUser, refuseType, type SampleEvent } from '../../cli/consumer-test/sample-event.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { repeatable } from '../../cli/runtime/shared-flags.ts'
import { givenSecret, secretFlags } from '../../cli/webhooks/signing-secret.ts'
import { targetFlags, targetOptions } from '../../cli/webhooks/target-flags.ts'
import { openPoster } from '../../cli/webhooks/webhook-post.ts'
import { listenSecret } from '../../cli/webhooks/webhook-secret.ts'
import { ServiceError } from '../../core/errors.ts'
import { systemRandom } from '../../core/random.ts'
import { progressBar } from '../../output/progress.ts'

const NAMES = TEST_CASES.map(each => each.name)
/** Pause between the pieces of a slow body. */
const PACE_MS = 400

export default class EventTestConsumer extends SvcCommand {
  static override summary = 'Test a webhook handler with genuine and forged events'
  static override description =
    'Sends real requests, so use a development installation. Events are signed with the secret of `svc listen`, ' +
    'unless SVC_WEBHOOK_SECRET or a flag provides another secret. Prints a table with the expected and the actual ' +
    'response of each case. If a case fails, the command exits with code 5 and explains on stderr what to do. The ' +
    'engine is not changed.'
  static override examples = toExamples(
    'http://localhost:3000/hooks',
    'http://localhost:3000/hooks --user ada --event-type daily.data.sleep.created',
    'http://localhost:3000/hooks --skip oversize --json',
    'pass show hooks | <%= config.bin %> <%= command.id %> https://staging.example.com/hooks --secret-stdin',
  )
  static override args = { url: stringArg({ required: true, description: 'URL of the handler' }) }
  static override flags = {
    'event-type': string({ description: 'Event type', default: 'daily.data.steps.created', helpValue: 'TYPE' }),
    user: string({
      description: "User whose IDs the events contain; defaults to the example's IDs",
      helpValue: 'USER',
    }),
    only: option({
      description: 'Run only this case; can be repeated',
      options: NAMES,
      ...repeatable,
    })(),
    skip: option({
      description: 'Skip this case; can be repeated',
      options: NAMES,
      ...repeatable,
    })(),
    ...targetFlags(),
    ...secretFlags(),
  }

  protected override readonly isPaged = false

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EventTestConsumer)
    const { headerPrefix, allowPrivate } = targetOptions(flags)
    const cases = TEST_CASES.filter(
      ({ name }) => (flags.only ?? [name]).includes(name) && !(flags.skip ?? []).includes(name),
    )
    if (cases.length === 0) throw new ServiceError('usage', '--only and --skip leave no cases to run.')
    const secret = (await givenSecret(flags)) ?? listenSecret(this.settings)
    const poster = await openPoster(args.url, { allowPrivate })
    const bar = progressBar('Testing', { quiet: this.isQuiet })
    try {
      const make = new DeliveryMaker({
        event: await this.sample(flags['event-type'], flags.user),
        secret,
        headerPrefix,
        version: this.config.version,
        random: systemRandom,
        paceMs: PACE_MS,
      })
      const results = await runCases(cases, {
        poster,
        make,
        signal: interruptSignal(),
        onCase: (done, next) => bar.update(done, cases.length, next.name),
      })
      bar.end()
      const report = consumerReport(args.url, results)
      await this.print(report, reportView(report))
      if (!report.passed) throw shortfallError(report)
      this.hint(`The handler passed ${cases.length === 1 ? 'the case' : `all ${cases.length} cases`}.`)
    } finally {
      bar.end()
      await poster.close()
    }
  }

  /** Returns the example event of a type, for the given user if there is one. */
  private async sample(type: string, user: string | undefined): Promise<SampleEvent> {
    const { example } = await this.ask('event.type', { params: { type } }).catch(refuseType)
    // the example of an event type is a complete body
    const event = example as SampleEvent
    if (user === undefined) return event
    const owner = await this.withUser(user, user_id => this.ask('user.get', { params: { user_id } }))
    return ofUser(event, owner)
  }
}
