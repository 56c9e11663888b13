/** `svc event deliver`. */
import { boolean } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { deliveryFlags } from '../../cli/webhooks/target-flags.ts'
import { ServiceError } from '../../core/errors.ts'
import { factSheet } from '../../output/view.ts'

export default class EventDeliver extends SvcCommand {
  static override summary = 'Deliver the webhooks that are due'
  static override description =
    'A running `svc serve` delivers webhooks automatically. Several processes can deliver from one data folder; each ' +
    'delivery is made by only one of them. Failed deliveries are retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h ' +
    'and 10 h; this command retries them only if it is running at that time.'
  static override examples = toExamples(
    '',
    '--wait',
    '<%= config.bin %> engine clock advance 5m && <%= config.bin %> <%= command.id %> --json',
  )
  static override flags = {
    wait: boolean({ description: 'Continue until every event is delivered, or given up (dead)' }),
    ...deliveryFlags(),
  }

  protected override readonly isPaged = false

  async run(): Promise<void> {
    const { flags } = await this.parse(EventDeliver)
    const { baseUrl, dataDir, store } = this.settings
    if (baseUrl.value !== null) {
      throw new ServiceError('usage', 'A server delivers its webhooks by itself, so this command has nothing to do.', {
        suggestions: [
          'To see the deliveries, run `svc event list`.',
          'To deliver from the data folder of this machine, add --profile local.',
        ],
      })
    }
    const { runDeliveries } = await import('../../cli/webhooks/delivery-run.ts')
    const report = await runDeliveries({
      dataDir: dataDir.value,
      store: store.value,
      version: this.config.version,
      waits: flags.wait,
      allowPrivateTargets: flags['allow-private-targets'] ? true : undefined,
      loopbackTargets: flags['allow-loopback-targets'] ? 'any' : undefined,
      signal: interruptSignal(),
      log: line => this.hint(line),
      onWait: nextAt => this.hint(`The next attempt is due at ${nextAt}, by the engine's clock.`),
    })
    await this.print(report, factSheet({ ...report }))
    if (report.elsewhere > 0) {
      this.hint(
        `Another process is making ${report.elsewhere} deliveries. If it was killed, they become available within 15 s.`,
      )
    }
  }
}
