/** Asks a person at a terminal: on stderr, so that stdout stays data, and never without a terminal. */
import { ServiceError } from '../../core/errors.ts'
import { restoreTerminal } from './interrupt.ts'

/** Asks for a line of text; an empty one is asked for again. Throws ServiceError `cancelled`. */
export function askText(message: string): Promise<string> {
  return ask('input', { message, validate: value => value.trim() !== '' || 'Something is needed here.' })
}

/** Asks for a secret without echoing it, not even its length. Throws ServiceError `cancelled`. */
export function askSecret(message: string): Promise<string> {
  return ask('invisible', { message, validate: value => value !== '' || 'Something is needed here.' })
}

/**
 * Asks for one of several names, which are listed above the question; any other answer is asked for again. Throws ServiceError
 * `cancelled`. (A list to move in would take what is typed for nothing, and Enter after it for the first name.)
 */
export async function askName(message: string, names: readonly string[]): Promise<string> {
  const find = (text: string) => names.find(name => name.toLowerCase() === text.trim().toLowerCase())
  checkTerminal()
  process.stderr.write(`${wrapped(names)}\n`)
  const validate = (text: string) => find(text) !== undefined || 'That is none of the names above.'
  const given = await ask<string>('input', { message, validate })
  return find(given) ?? given
}

/** The names in lines that the terminal need not break. */
function wrapped(names: readonly string[]): string {
  const lines: string[] = []
  for (const name of names) {
    const longer = `${lines.at(-1)}, ${name}`
    if (lines.length > 0 && longer.length < (process.stderr.columns ?? 80)) lines[lines.length - 1] = longer
    else lines.push(name)
  }
  return lines.join(',\n')
}

/** Asks for yes or no; Enter alone is no. Throws ServiceError `cancelled`. */
export function askConfirmation(message: string): Promise<boolean> {
  return ask('confirm', { message, initial: false })
}

interface PromptOptions {
  readonly message: string
  readonly validate?: (value: string) => true | string
  readonly initial?: boolean
}

/** The part of enquirer that is used; its own types leave out the prompts by name. */
type Ask = (options: PromptOptions & { readonly stdout: NodeJS.WriteStream; readonly name: string }) => Promise<unknown>

/** On anything but a terminal enquirer waits for keys that never come, and the process ends silently. */
function checkTerminal(): void {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new ServiceError('missing_input', 'There is no terminal to ask on.')
  }
}

async function ask<T>(kind: 'input' | 'invisible' | 'confirm', options: PromptOptions): Promise<T> {
  checkTerminal()
  // the one variable that its colours know, and only while they load
  if (process.env['NO_COLOR']) process.env['FORCE_COLOR'] = '0'
  const { default: enquirer } = await import('enquirer')
  const prompts = enquirer as unknown as Readonly<Record<typeof kind, Ask>>
  let onEnd: (() => void) | undefined
  const hungUp = new Promise<never>((_, reject) => {
    onEnd = () => reject(new ServiceError('cancelled', 'Cancelled: the terminal went away.'))
    process.stdin.once('end', onEnd).once('close', onEnd)
  })
  try {
    return (await Promise.race([prompts[kind]({ name: 'value', stdout: process.stderr, ...options }), hungUp])) as T
  } catch (error) {
    if (error instanceof Error) throw error
    // Ctrl-C and Escape reject with an empty text
    throw new ServiceError('cancelled', 'Cancelled.')
  } finally {
    if (onEnd) process.stdin.removeListener('end', onEnd).removeListener('close', onEnd)
    restoreTerminal()
    process.stdin.pause()
  }
}
