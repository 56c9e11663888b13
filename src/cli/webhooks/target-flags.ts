/** The flags that control where webhooks may be sent. */
import { boolean, string } from '@oclif/core/flags'
import { ServiceError } from '../../core/errors.ts'
import type { FlagValues } from '../runtime/shared-flags.ts'
import { withDash } from './endpoint-flags.ts'

/** Flags for commands that deliver webhooks to endpoints. */
export const deliveryFlags = () => ({
  'allow-private-targets': boolean({
    description: 'Also deliver webhooks to private networks',
    env: 'SVC_ALLOW_PRIVATE_TARGETS',
  }),
  'allow-loopback-targets': boolean({
    description: 'Allow webhooks from every API key to be sent to this machine',
    env: 'SVC_ALLOW_LOOPBACK_TARGETS',
  }),
})

/** Flags for commands that send webhooks to a handler themselves. */
export const targetFlags = () => ({
  'header-prefix': string({
    description: 'Also send headers with this prefix, for example svix',
    helpValue: 'PREFIX',
  }),
  'allow-private-targets': boolean({
    description: 'Also send to private networks, including over plain http',
    env: 'SVC_ALLOW_PRIVATE_TARGETS',
  }),
})

type TargetFlags = FlagValues<ReturnType<typeof targetFlags>>

export interface TargetOptions {
  /** The prefix with its dash; null if there is none. */
  readonly headerPrefix: string | null
  readonly allowPrivate: boolean
}

/** Returns the given options. Throws ServiceError `usage` for an invalid prefix. */
export function targetOptions(flags: TargetFlags): TargetOptions {
  return { headerPrefix: parsePrefix(flags['header-prefix']), allowPrivate: flags['allow-private-targets'] }
}

function parsePrefix(given: string | undefined): string | null {
  if (given === undefined) return null
  const prefix = withDash(given)
  if (/^[a-z][a-z0-9-]{0,29}-$/.test(prefix)) return prefix
  throw new ServiceError(
    'usage',
    '--header-prefix must be 1 to 30 characters of a-z, 0-9 and -, starting with a letter, such as svix.',
  )
}
