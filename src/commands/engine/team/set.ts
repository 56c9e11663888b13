/** `svc engine team set`. */
import { boolean, integer, string } from '@oclif/core/flags'
import { MIXED_KINDS } from '../../../catalogue/kinds.ts'
import { dateReader } from '../../../cli/arguments/dates.ts'
import { resolveTeamId, teamArgument, teamView } from '../../../cli/arguments/team-argument.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { repeatable } from '../../../cli/runtime/shared-flags.ts'
import { ServiceError } from '../../../core/errors.ts'

/** The value that removes a limit or a date. */
const NONE = 'none'
const BETA = /^(user-info|aggregate)=(on|off)$/

export default class EngineTeamSet extends SvcCommand {
  static override summary = 'Rename a team or change its settings'
  static override description = 'Settings without a flag stay unchanged. A running `svc serve` follows immediately.'
  static override examples = toExamples(
    'acme --beta user-info=on --beta aggregate=off',
    'acme --reject-duplicate-connection --max-users 50',
    'acme --max-bytes 5GB --max-requests-per-second 100 --max-in-flight none',
    'acme --compatibility-date 2024-06-01',
    'acme --merge on --mixed-kinds refuse',
    'acme --keep-imports 90d',
  )
  static override args = { team: teamArgument() }
  static override flags = {
    name: string({ description: 'New name' }),
    beta: string({
      description: 'Switch a closed-beta feature on or off: user-info or aggregate; can be repeated',
      ...repeatable,
      helpValue: 'FEATURE=on|off',
    }),
    'reject-duplicate-connection': boolean({
      description: 'Refuse a provider account that another user has already connected',
      allowNo: true,
    }),
    'max-users': string({
      description: `Maximum number of active users, or ${NONE}`,
      helpValue: 'N',
      aliases: ['user-limit'],
    }),
    'max-bytes': string({
      description: `Maximum number of bytes of user data, such as 500000, 20MB or 5GiB, or ${NONE}`,
      helpValue: 'SIZE',
    }),
    'max-requests-per-second': string({
      description: `Maximum number of requests per second on each server, or ${NONE}`,
      helpValue: 'N',
    }),
    'max-in-flight': string({
      description: `Maximum number of concurrent requests on each server, or ${NONE}`,
      helpValue: 'N',
    }),
    'compatibility-date': string({
      description: `Date that determines which deprecations apply, or ${NONE} to use the clock`,
      helpValue: 'DATE',
    }),
    merge: string({
      description: 'Whether aggregate queries merge sources unless they say otherwise',
      options: ['on', 'off'],
    }),
    'mixed-kinds': string({
      description: 'What aggregate queries do about values of several kinds unless they say otherwise',
      options: [...MIXED_KINDS],
    }),
    'keep-imports': string({
      description: 'How long to keep the content of imported files for `svc import remap`, 1d to 3650d',
      helpValue: 'DAYS',
      exclusive: ['no-keep-imports'],
    }),
    'no-keep-imports': boolean({ description: 'Do not keep the content of imported files' }),
    'event-days': integer({ description: 'Number of days to keep events, 1 to 3650', helpValue: 'N' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineTeamSet)
    const given = flags['compatibility-date']
    const when = dateReader(await this.client())
    const date = given === NONE ? NONE : await when('first day', '--compatibility-date', given)
    const mixed_kinds = MIXED_KINDS.find(each => each === flags['mixed-kinds'])
    const body = {
      ...(flags.name === undefined ? {} : { name: flags.name }),
      ...(flags.beta === undefined ? {} : { beta: parseBetas(flags.beta) }),
      ...(flags['reject-duplicate-connection'] === undefined
        ? {}
        : { reject_duplicate_connection: flags['reject-duplicate-connection'] }),
      ...parseLimit('max_users', flags['max-users'], wholeNumber),
      ...parseLimit('max_bytes', flags['max-bytes'], parseBytes),
      ...parseLimit('max_requests_per_second', flags['max-requests-per-second'], wholeNumber),
      ...parseLimit('max_in_flight', flags['max-in-flight'], wholeNumber),
      ...(flags['event-days'] === undefined ? {} : { event_days: flags['event-days'] }),
      ...(flags.merge === undefined ? {} : { merge: flags.merge === 'on' }),
      ...(mixed_kinds === undefined ? {} : { mixed_kinds }),
      ...keptDays(flags),
      ...(date === undefined ? {} : { compatibility_date: date === NONE ? null : date }),
    }
    if (Object.keys(body).length === 0) {
      throw new ServiceError('usage', 'No setting is given.', {
        suggestions: ['Run `svc engine team set --help` for the settings.'],
      })
    }
    const team_id = await resolveTeamId(args.team, () => this.ask('team.list', {}))
    const team = await this.ask('team.update', { params: { team_id }, body })
    await this.print(team, { ...teamView([team]), isOneDocument: true })
  }
}

function keptDays(flags: { readonly 'keep-imports'?: string | undefined; readonly 'no-keep-imports': boolean }): {
  keep_import_days?: number | null
} {
  if (flags['no-keep-imports']) return { keep_import_days: null }
  const given = flags['keep-imports']
  if (given === undefined) return {}
  const [, days] = /^(\d{1,4})d?$/.exec(given) ?? []
  if (days !== undefined) return { keep_import_days: Number(days) }
  throw new ServiceError('usage', '--keep-imports must be a number of days from 1d to 3650d, such as 90d.', {
    suggestions: ['--no-keep-imports stops keeping the content of imported files.'],
  })
}

function parseBetas(given: readonly string[]): { user_info?: boolean; aggregate?: boolean } {
  const betas: { user_info?: boolean; aggregate?: boolean } = {}
  for (const each of given) {
    const [, name, state] = BETA.exec(each) ?? []
    if (name === undefined) {
      throw new ServiceError(
        'usage',
        `"${each}" is not a valid --beta. Use user-info=on, user-info=off, aggregate=on or aggregate=off.`,
      )
    }
    betas[name === 'aggregate' ? 'aggregate' : 'user_info'] = state === 'on'
  }
  return betas
}

/** Returns the field of a quota if its flag is given. */
function parseLimit<Name extends string>(
  field: Name,
  given: string | undefined,
  read: (text: string) => number | undefined,
): { readonly [K in Name]?: number | null } {
  if (given === undefined) return {}
  const value = given === NONE ? null : read(given)
  // TypeScript does not know that `field` is the only key.
  if (value !== undefined) return { [field]: value } as { readonly [K in Name]?: number | null }
  const what = read === parseBytes ? 'a number of bytes such as 500000, 20MB or 5GiB' : 'a whole number'
  throw new ServiceError('usage', `--${field.replaceAll('_', '-')} must be ${what} or ${NONE}, not "${given}".`)
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined
}

const UNITS = ['', 'k', 'm', 'g', 't']

function parseBytes(text: string): number | undefined {
  const [, digits, unit = '', binary] = /^(\d{1,15}(?:\.\d{1,3})?)([kmgt]?)(i?)b?$/i.exec(text) ?? []
  if (digits === undefined || (unit === '' && (binary || digits.includes('.')))) return undefined
  return Math.floor(Number(digits) * (binary ? 1024 : 1000) ** UNITS.indexOf(unit.toLowerCase()))
}
