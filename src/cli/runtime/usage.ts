/** Turns what the command-line parser objects to into errors of ours, with the nearest names, and never with a value. */
import { CLIError } from '@oclif/core/errors'
import { didYouMean, nearest, ServiceError } from '../../core/errors.ts'

/** What the parser's errors carry, beside their message. */
interface ParserError extends Error {
  readonly flags?: readonly string[]
  readonly args?: readonly unknown[]
}

interface KnownWords {
  /** `user create`, as a user types it. */
  readonly command: string
  readonly flags: readonly string[]
  /** Required flags that were not given. */
  readonly missing: readonly string[]
  readonly usage: string
}

/** The same error when it is none of the parser's. */
export function asUsageError(thrown: unknown, known: KnownWords): unknown {
  const help = `\`svc ${known.command} --help\` shows what it takes.`
  // the parser throws these of arguments bare
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
      { suggestions: [help], cause: error },
    )
  }
  if (Array.isArray(error.args)) {
    const missing = error.args.flatMap(arg => (isNamed(arg) ? [arg.name] : []))
    // of arguments too many only the number is said: one of them may be a password
    const message =
      missing.length > 0
        ? `Missing ${missing.map(name => name.toUpperCase()).join(' and ')}.`
        : `${error.args.length} argument${error.args.length === 1 ? '' : 's'} too many.`
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

/** An unknown command, with the nearest ones. `id` has its words joined by colons. */
export function unknownCommand(id: string, known: readonly string[]): ServiceError {
  const name = id.replaceAll(':', ' ')
  const names = known.map(each => each.replaceAll(':', ' '))
  const topic = name.split(' ')[0] as string
  const siblings = names.filter(each => each.startsWith(`${topic} `))
  const hint = didYouMean(name, names)
  return new ServiceError('usage', `There is no command "${name}".${hint}`, {
    suggestions:
      hint === '' && siblings.length > 0 ? [`There is: ${siblings.join(', ')}.`] : ['`svc --help` lists the commands.'],
  })
}

function flagName(flag: string): string {
  return flag.replace(/^-+/, '').split('=')[0] as string
}

function isNamed(arg: unknown): arg is { readonly name: string } {
  return typeof arg === 'object' && arg !== null && 'name' in arg && typeof arg.name === 'string'
}

/** Without the parser's own colours and its pointer to --help. */
function plainMessage(message: string): string {
  const text = message.replace(/\nSee more help with --help$/, '')
  return text
    .split('\u001b[2m')
    .join('')
    .split('\u001b[22m')
    .join('')
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^Parsing (\S+) \n\t/, '$1: ')
    .replace(/^--([\w-]+)=[\s\S]* cannot also be provided when using (--[\w-]+)$/, '--$1 and $2 exclude each other.')
    .replace(/^All of the following must be provided when using (--[\w-]+): (--[\w-]+)$/, '$1 needs $2.')
    .trim()
}
