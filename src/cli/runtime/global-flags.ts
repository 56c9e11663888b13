/** The flags that every command has. They may also come before the command: `svc --profile staging user list`. */
import { didYouMean, ServiceError } from '../../core/errors.ts'

/** Every global flag, and whether it takes a value. `shared-flags.ts` defines them. */
export const GLOBAL_FLAGS = {
  profile: 'option',
  'base-url': 'option',
  'data-dir': 'option',
  store: 'option',
  output: 'option',
  json: 'boolean',
  fields: 'option',
  jq: 'option',
  wide: 'boolean',
  'no-color': 'boolean',
  'no-pager': 'boolean',
  'no-input': 'boolean',
  quiet: 'boolean',
  debug: 'boolean',
} as const

/** Flags of `svc` itself, and `--`, which ends the flags. */
const OF_SVC: ReadonlySet<string> = new Set(['-h', '--help', '-v', '--version', '--'])

interface CommandLine {
  /** Global flags before or between the words of the command, with their values. */
  readonly flags: readonly string[]
  /** All other words, in their order. */
  readonly words: readonly string[]
}

/**
 * Removes the global flags before the end of the command's name. `isTopic` returns whether more words must follow. Words after the name
 * belong to the command. Throws ServiceError `usage` for any other flag before the end of the name.
 */
export function takeGlobalFlags(argv: readonly string[], isTopic: (id: string) => boolean): CommandLine {
  const flags: string[] = []
  const name: string[] = []
  let at = 0
  while (at < argv.length) {
    const word = argv[at] ?? ''
    if (word.startsWith('-')) {
      if (OF_SVC.has(word)) break
      const length = flagLength(word, argv[at + 1])
      // `svc user --limt 3 list`: the suggestion depends on the flags of the commands below the topic
      if (length === 0 && name.length > 0) break
      if (length === 0) throw misplacedFlagError(word)
      flags.push(...argv.slice(at, at + length))
      at += length
    } else if (isTopic([...name, word].join(':'))) {
      name.push(word)
      at++
    } else break
  }
  return { flags, words: [...name, ...argv.slice(at)] }
}

/** Returns the number of words of a global flag; 0 for any other flag, or if the value is missing. */
function flagLength(word: string, next: string | undefined): number {
  const [flag = '', value] = word.slice(2).split('=', 2)
  const type = word.startsWith('--') && isGlobal(flag) ? GLOBAL_FLAGS[flag] : undefined
  if (type === undefined) return 0
  if (type === 'boolean') return value === undefined ? 1 : 0
  if (value !== undefined) return 1
  return next === undefined || next.startsWith('--') ? 0 : 2
}

function isGlobal(flag: string): flag is keyof typeof GLOBAL_FLAGS {
  return Object.hasOwn(GLOBAL_FLAGS, flag)
}

/**
 * Returns the error for a word that begins like a flag before the end of the command's name. `others` are flags that the user may have
 * meant.
 */
export function misplacedFlagError(word: string, others: Iterable<string> = []): ServiceError {
  const [given = ''] = word.split('=', 1)
  const flag = given.replace(/^-+/, '')
  if (isGlobal(flag)) {
    const message = GLOBAL_FLAGS[flag] === 'option' ? `${given} expects a value.` : `${given} does not accept a value.`
    return new ServiceError('usage', message, { suggestions: ['`svc --help` lists the commands.'] })
  }
  const global = Object.keys(GLOBAL_FLAGS).map(each => `--${each}`)
  const known = new Set([...global, ...others])
  const hint = known.has(given) ? '' : didYouMean(given, known)
  return new ServiceError('usage', `${given} cannot come before the command.${hint}`, {
    suggestions: [`Global flags can: ${global.join(', ')}. Put other flags after the command.`],
  })
}
