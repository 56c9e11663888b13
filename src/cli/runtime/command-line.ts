/** Reads a few flags from the raw command line, before or without parsing it, for example whether errors must be JSON. */

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the words before `--`. Words after `--` are never flags. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** Returns whether --json or --output json (or their variables) was given. Errors are then JSON documents too. */
export function wantsJson(argv: readonly string[], env: Environment = process.env): boolean {
  const words = beforeDashes(argv)
  if (words.includes('--json') || words.includes('--output=json')) return true
  const at = words.indexOf('--output')
  if (at !== -1) return words[at + 1] === 'json'
  if (words.some(word => word.startsWith('--output='))) return false
  return isTrue(env['SVC_JSON']) || env['SVC_OUTPUT'] === 'json'
}

/** Returns whether a boolean flag (or its variable) was given. */
export function hasFlag(
  argv: readonly string[],
  name: string,
  variable: string,
  env: Environment = process.env,
): boolean {
  return beforeDashes(argv).includes(`--${name}`) || isTrue(env[variable])
}

/** Returns whether a flag with a value was given, valid or not. */
export function isGiven(argv: readonly string[], name: string): boolean {
  return beforeDashes(argv).some(word => word === `--${name}` || word.startsWith(`--${name}=`))
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'y'].includes(value.toLowerCase())
}
