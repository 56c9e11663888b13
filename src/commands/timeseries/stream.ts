/** `svc timeseries stream`. */

import { string as stringArg } from '@oclif/core/args'
import { isAbsent } from '../../cli/arguments/user-argument.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { sleepStreamView, workoutStreamView } from '../../cli/views/stream-view.ts'
import type { ResponseOf } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'

export default class TimeseriesStream extends SvcCommand {
  static override summary = 'Read the stream of a workout or a night'
  static override description =
    "ID is the ID of a workouts or sleep summary. A workout's stream contains heart rate, speed, position and more " +
    "for each point; a night's stream contains heart rate, hrv, respiratory rate and sleep stages. json is the " +
    "service's response; other formats have one row for each point."
  static override examples = toExamples(
    '0b8f0f9e-1111-8222-8333-444455556666',
    '0b8f0f9e-1111-8222-8333-444455556666 --output csv',
  )
  static override args = {
    id: stringArg({ required: true, description: 'Summary ID, for example from `svc summary get USER workouts`' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(TimeseriesStream)
    if (!isUuid(args.id)) {
      throw new ServiceError('usage', 'ID must be a UUID, the ID of a workouts or sleep summary.', {
        suggestions: [
          '`svc summary get USER workouts --start DATE` and `svc summary get USER sleep --start DATE` list them.',
        ],
      })
    }
    const workout = await this.workout(args.id)
    if (workout) return this.print(workout, workoutStreamView(workout, this.format === 'table'))
    const night = await this.night(args.id)
    await this.print(night, sleepStreamView(night))
  }

  /** Returns null if no workout has this ID. */
  private async workout(workout_id: string): Promise<ResponseOf<'timeseries.workout_stream'> | null> {
    try {
      return await this.ask('timeseries.workout_stream', { params: { workout_id } })
    } catch (error) {
      if (isAbsent(error)) return null
      throw error
    }
  }

  private async night(sleep_id: string): Promise<ResponseOf<'timeseries.sleep_stream'>> {
    try {
      return await this.ask('timeseries.sleep_stream', { params: { sleep_id } })
    } catch (error) {
      if (!isAbsent(error)) throw error
      throw new ServiceError('not_found', 'No workouts or sleep summary has this ID.', { cause: error })
    }
  }
}
