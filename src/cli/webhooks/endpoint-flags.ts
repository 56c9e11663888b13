/** The flags that configure an endpoint, and the request body that they build. */
import { integer, string } from '@oclif/core/flags'
import { ServiceError } from '../../core/errors.ts'
import { type FlagValues, repeatable } from '../runtime/shared-flags.ts'

/** The value that removes a prefix or a limit. */
const NONE = 'none'

/** Returns the flags of `webhook create`, which has defaults, or of `webhook update`, which keeps settings without a flag. */
export const endpointFlags = ({ isNew }: { readonly isNew: boolean }) => ({
  'event-type': string({
    description: `Event types to send, with * for any characters; can be repeated${isNew ? '; defaults to all' : ''}`,
    ...repeatable,
    helpValue: 'PATTERN',
  }),
  description: string({ description: 'Description of the endpoint', helpValue: 'TEXT' }),
  'header-prefix': string({
    description: `Also send headers with this prefix, for example svix; ${NONE} removes it`,
    helpValue: 'PREFIX',
  }),
  concurrency: integer({
    description: `Maximum number of concurrent deliveries, 1 to 100${isNew ? '; defaults to 10' : ''}`,
    helpValue: 'N',
  }),
  'rate-limit': string({ description: `Maximum number of deliveries per second, or ${NONE}`, helpValue: 'N' }),
})

type EndpointFlags = FlagValues<ReturnType<typeof endpointFlags>>

export interface EndpointSettings {
  event_types?: string[]
  description?: string
  header_prefix?: string | null
  concurrency?: number
  rate_limit?: number | null
}

/** Returns the given settings with the field names of the operation. Throws ServiceError `usage` for a limit that is not a whole number. */
export function endpointSettings(flags: EndpointFlags): EndpointSettings {
  const prefix = flags['header-prefix']
  return {
    ...(flags['event-type'] === undefined ? {} : { event_types: flags['event-type'].flatMap(each => each.split(',')) }),
    ...(flags.description === undefined ? {} : { description: flags.description }),
    ...(prefix === undefined ? {} : { header_prefix: prefix === NONE ? null : withDash(prefix) }),
    ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
    ...(flags['rate-limit'] === undefined ? {} : { rate_limit: parseLimit(flags['rate-limit']) }),
  }
}

/** Returns the prefix with its dash: `svix` and `svix-` are the same prefix. */
export function withDash(prefix: string): string {
  return prefix.endsWith('-') ? prefix : `${prefix}-`
}

function parseLimit(given: string): number | null {
  if (given === NONE) return null
  if (/^\d{1,9}$/.test(given)) return Number(given)
  throw new ServiceError('usage', `--rate-limit must be a whole number or ${NONE}.`)
}
