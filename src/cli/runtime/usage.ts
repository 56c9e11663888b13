/** Converts errors of the command-line parser to our own, with the nearest names and without any value. */
import { stripVTControlCharacters } from 'node:util'
import { CLIError } from '@oclif/core/errors'
import { didYouMean, nearest, ServiceError } from '../../core/errors.ts'

/** Fields of the parser's errors, in addition to their message. */
interface ParserError extends Error {
  readonly flags?: readonly string[]
  readonly args?: readonly unknown[]
}

interface KnownWords {
  /** The command as a user types it, such as `user create`. */
  readonly command: string
  readonly flags: readonly string[]
  /** Required flags that are missing. */
  readonly missing: readonly string[]
  readonly usage: string
  /** Advice on flags that the command does not have. */
  readonly instead?: Readonly<Record<string, string>>
}

/** Returns the error unchanged if it does not come from the parser. */
export function asUsageError(thrown: unknown, known: KnownWords): unknown {
  const help = `Run \`svc ${known.command} --help\` for its arguments and flags.`
  // The parser throws these errors without a CLIError when they concern arguments.
  if (thrown instanceof Error && thrown.message.startsWith('Expected an integer ')) {
    return new ServiceError('usage', thrown.message, {
      suggestions: [`Usage: svc ${known.usage}`, help],
      cause: thrown,
    })
  }
  if (!(thrown instanceof CLIError)) return thrown
  const error: ParserError = thrown
  if (Array.isArray(error.flags)) {
    const names = error.flags.map(flagName)
    const hints = names.flatMap(name => nearest(name, known.flags))
    const hint = hints.length === 0 ? '' : ` Did you mean ${hints.map(each => `--${each}`).join(', ')}?`
    return new ServiceError(
      'usage',
      `${known.command} has no flag ${names.map(name => (name.length === 1 ? `-${name}` : `--${name}`)).join(', ')}.${hint}`,
      { suggestions: [...names.flatMap(name => known.instead?.[name] ?? []), help], cause: error },
    )
  }
  if (Array.isArray(error.args)) {
    const missing = error.args.flatMap(arg => (isNamed(arg) ? [arg.name] : []))
    // Only the number of extra arguments is reported, because one of them may be a password.
    const message =
      missing.length > 0
        ? `Missing ${missing.map(name => name.toUpperCase()).join(' and ')}.`
        : `There ${error.args.length === 1 ? 'is 1 argument' : `are ${error.args.length} arguments`} too many.`
    return new ServiceError('usage', message, { suggestions: [`Usage: svc ${known.usage}`, help], cause: error })
  }
  if (known.missing.length > 0) {
    const names = known.missing.map(name => `--${name}`)
    return new ServiceError('usage', `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} missing.`, {
      suggestions: [help],
      cause: error,
    })
  }
  return new ServiceError('usage', plainMessage(error.message), { suggestions: [help], cause: error })
}

/** Returns the error for an unknown command, with the nearest ones. `id` has its words joined by colons. */
export function unknownCommand(id: string, known: readonly string[]): ServiceError {
  const name = id.replaceAll(':', ' ')
  const names = known.map(each => each.replaceAll(':', ' '))
  const [topic] = name.split(' ', 1)
  const siblings = names.filter(each => each.startsWith(`${topic} `))
  const hint = didYouMean(name, names)
  return new ServiceError('usage', `There is no command "${name}".${hint}`, {
    suggestions:
      hint === '' && siblings.length > 0 ? [`Commands: ${siblings.join(', ')}.`] : ['`svc --help` lists the commands.'],
  })
}

function flagName(flag: string): string {
  return flag.replace(/^-+/, '').replace(/=.*$/s, '')
}

function isNamed(arg: unknown): arg is { readonly name: string } {
  return typeof arg === 'object' && arg !== null && 'name' in arg && typeof arg.name === 'string'
}

/** Removes the parser's colors and its reference to --help. */
function plainMessage(message: string): string {
  return stripVTControlCharacters(message.replace(/\nSee more help with --help$/, ''))
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^Parsing (\S+) \n\t/, '$1: ')
    .replace(
      /^--([\w-]+)=[\s\S]* cannot also be provided when using (--[\w-]+)$/,
      '--$1 and $2 cannot be used together.',
    )
    .replace(/^All of the following must be provided when using (--[\w-]+): (--[\w-]+)$/, '$1 needs $2.')
    .trim()
}
