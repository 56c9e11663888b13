/** `svc user update`. */
import { option, string } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { dateReader } from '../../cli/arguments/dates.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { repeatable } from '../../cli/runtime/shared-flags.ts'
import { userFlags } from '../../cli/users/user-flags.ts'
import { userRecord } from '../../cli/users/user-view.ts'
import { ServiceError } from '../../core/errors.ts'

const CLEARABLE = ['fallback-time-zone', 'fallback-birth-date', 'ingestion-start', 'ingestion-end'] as const

export default class UserUpdate extends SvcCommand {
  static override summary = 'Change a user'
  static override description =
    'Fields without a flag stay unchanged. Changed ingestion bounds apply to future data; nothing is deleted. A week ' +
    'after ingestion-end, every connection is paused.'
  static override examples = toExamples(
    'ada --fallback-time-zone Europe/Paris',
    'ada --client-user-id ada-2 --clear ingestion-end',
  )
  static override args = { user: userArgument() }
  static override flags = {
    'client-user-id': string({ description: 'New reference for the user', helpValue: 'ID' }),
    ...userFlags(),
    clear: option({
      options: CLEARABLE,
      description: 'Clear this field; can be repeated',
      ...repeatable,
    })(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UserUpdate)
    const cleared = new Set<string>(flags.clear)
    const value = (name: (typeof CLEARABLE)[number]): string | null | undefined => {
      if (!cleared.has(name)) return flags[name]
      if (flags[name] === undefined) return null
      throw new ServiceError('usage', `--${name} and --clear ${name} cannot be used together.`)
    }
    const body = {
      client_user_id: flags['client-user-id'],
      fallback_time_zone: value('fallback-time-zone'),
      fallback_birth_date: value('fallback-birth-date'),
    }
    const [start, end] = [value('ingestion-start'), value('ingestion-end')]
    if ([...Object.values(body), start, end].every(each => each === undefined)) {
      throw new ServiceError('usage', 'No field is given.', {
        suggestions: [
          `Give at least one of --client-user-id, ${CLEARABLE.map(name => `--${name}`).join(', ')} and --clear.`,
        ],
      })
    }
    // The response has no body, so read and print the changed user.
    const user = await this.withUser(args.user, async user_id => {
      const zone = flags['fallback-time-zone']
      const when = dateReader(await this.client(), zone === undefined ? user_id : { zone })
      const ingestion_start = start === null ? null : await when('first day', '--ingestion-start', start)
      const ingestion_end = end === null ? null : await when('last day', '--ingestion-end', end)
      await this.ask('user.patch', { params: { user_id }, body: { ...body, ingestion_start, ingestion_end } })
      return this.ask('user.get', { params: { user_id } })
    })
    await this.print(user, userRecord(user))
  }
}
