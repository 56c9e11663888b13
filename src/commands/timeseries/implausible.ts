/** `svc timeseries implausible`. */
import { userArgument } from '../../cli/arguments/arguments.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import type { ResponseOf } from '../../client/client.ts'
import { fields, view } from '../../output/view.ts'

type Entry = ResponseOf<'timeseries.implausible'>['data'][number]

export default class TimeseriesImplausible extends WatchedCommand {
  static override summary = 'Show how many samples have implausible values, by resource and source'
  static override description =
    'A value is implausible if it is outside the limits of its resource, such as a heart rate of 0. Such samples are ' +
    'stored. Aggregate queries use them and warn, unless --merge or a condition such as heartrate.implausible = false ' +
    'leaves them out.'
  static override examples = toExamples('ada', 'ada --json')
  static override args = { user: userArgument() }

  protected override async look(): Promise<void> {
    const { args } = await this.parse(TimeseriesImplausible)
    const found = await this.withUser(args.user, user_id =>
      this.ask('timeseries.implausible', { params: { user_id } }, { signal: interruptSignal() }),
    )
    const columns = fields<Entry>('resource', 'provider', 'source_type', 'limits', 'samples', 'of', 'oldest', 'newest')
    await this.print(found, view(found.data, columns, 'All values are plausible.'))
  }
}
