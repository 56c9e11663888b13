/** The flags that say what an endpoint gets and how, and the body that they make. */
import { integer, string } from '@oclif/core/flags'
import { ServiceError } from '../../core/errors.ts'

/** How a flag takes a prefix or a limit away. */
const NONE = 'none'

/** Of `webhook create`, which has defaults, and of `webhook update`, which leaves alone what is not named. */
export const endpointFlags = ({ isNew }: { readonly isNew: boolean }) => ({
  'event-type': string({
    description: `events that it gets, with * for any characters; repeat it for more${isNew ? ' (default: all)' : ''}`,
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'PATTERN',
  }),
  description: string({ description: 'what it is for', helpValue: 'TEXT' }),
  'header-prefix': string({
    description: `send the headers webhook-… under this prefix as well, svix say; or ${NONE}`,
    helpValue: 'PREFIX',
  }),
  concurrency: integer({
    description: `deliveries under way at once, 1 to 100${isNew ? ' (default: 10)' : ''}`,
    helpValue: 'N',
  }),
  'rate-limit': string({ description: `deliveries a second at most, or ${NONE}`, helpValue: 'N' }),
})

export interface EndpointFlags {
  readonly 'event-type': readonly string[] | undefined
  readonly description: string | undefined
  readonly 'header-prefix': string | undefined
  readonly concurrency: number | undefined
  readonly 'rate-limit': string | undefined
}

export interface EndpointSettings {
  event_types?: string[]
  description?: string
  header_prefix?: string | null
  concurrency?: number
  rate_limit?: number | null
}

/** What was given, under the names of the operation. Throws ServiceError `usage` for a limit that is no whole number. */
export function endpointSettings(flags: EndpointFlags): EndpointSettings {
  const prefix = flags['header-prefix']
  return {
    ...(flags['event-type'] === undefined ? {} : { event_types: flags['event-type'].flatMap(each => each.split(',')) }),
    ...(flags.description === undefined ? {} : { description: flags.description }),
    ...(prefix === undefined ? {} : { header_prefix: prefix === NONE ? null : withDash(prefix) }),
    ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
    ...(flags['rate-limit'] === undefined ? {} : { rate_limit: limitOf(flags['rate-limit']) }),
  }
}

/** `svix` and `svix-` are the same prefix. */
export function withDash(prefix: string): string {
  return prefix.endsWith('-') ? prefix : `${prefix}-`
}

function limitOf(given: string): number | null {
  if (given === NONE) return null
  if (/^\d{1,9}$/.test(given)) return Number(given)
  throw new ServiceError('usage', `--rate-limit takes a whole number, or ${NONE}.`)
}
