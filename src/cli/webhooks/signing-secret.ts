/** Reads signing secrets from stdin, an environment variable, or a prompt without echo, but never from an argument. */
import { boolean, string } from '@oclif/core/flags'
import { ServiceError } from '../../core/errors.ts'
import { askSecret } from '../runtime/prompt.ts'
import type { FlagValues } from '../runtime/shared-flags.ts'
import { readSecretLine } from '../runtime/standard-input.ts'
import { SECRET_VARIABLE } from './webhook-secret.ts'

export const secretFlags = () => ({
  'secret-stdin': boolean({ description: 'Read the secret (whsec_…) from stdin', exclusive: ['secret-variable'] }),
  'secret-variable': string({
    description: 'Read the secret from this environment variable',
    helpValue: 'NAME',
    exclusive: ['secret-stdin'],
  }),
})

type SecretFlags = FlagValues<ReturnType<typeof secretFlags>>

/** Returns the secret from the flags; undefined without flags. Throws ServiceError `missing_input`. */
export async function givenSecret(flags: SecretFlags): Promise<string | undefined> {
  if (flags['secret-stdin']) return readSecretLine('--secret-stdin')
  const name = flags['secret-variable']
  if (name === undefined) return undefined
  const value = process.env[name]
  if (value) return value
  throw new ServiceError('missing_input', 'The environment variable that --secret-variable names is not set.')
}

/**
 * Returns the secret from the flags, from SVC_WEBHOOK_SECRET, or from a prompt. Throws ServiceError `missing_input` if prompts are not
 * possible.
 */
export async function requireSecret(flags: SecretFlags, canAsk: boolean): Promise<string> {
  const given = (await givenSecret(flags)) ?? process.env[SECRET_VARIABLE]
  if (given) return given
  if (canAsk) return askSecret('Signing secret (whsec_…)')
  throw new ServiceError('missing_input', 'The signing secret is missing.', {
    suggestions: [`Give it with --secret-stdin, --secret-variable NAME or ${SECRET_VARIABLE}.`],
  })
}
