/** Prompts on a terminal: on stderr, so that stdout holds data only, and never without a terminal. */
import { ServiceError } from '../../core/errors.ts'
import { restoreTerminal } from './interrupt.ts'

/** Asks for a line of text until it is not empty. Throws ServiceError `cancelled`. */
export function askText(message: string): Promise<string> {
  return ask('input', { message, validate: value => value.trim() !== '' || 'Enter a value.' })
}

/** Asks for a secret and echoes nothing, not even its length. Throws ServiceError `cancelled`. */
export function askSecret(message: string): Promise<string> {
  return ask('invisible', { message, validate: value => value !== '' || 'Enter a value.' })
}

/**
 * Asks for one of several names, which are listed above the prompt, until the answer is one of them. Throws ServiceError `cancelled`. (A
 * selection list would ignore typed text and take Enter as the first name.)
 */
export async function askName(message: string, names: readonly string[]): Promise<string> {
  const find = (text: string) => names.find(name => name.toLowerCase() === text.trim().toLowerCase())
  checkTerminal()
  process.stderr.write(`${wrapped(names)}\n`)
  const validate = (text: string) => find(text) !== undefined || 'Enter one of the names above.'
  const given = await ask<string>('input', { message, validate })
  return find(given) ?? given
}

/** Joins the names into lines that fit the terminal. */
function wrapped(names: readonly string[]): string {
  const lines: string[] = []
  for (const name of names) {
    const longer = `${lines.at(-1)}, ${name}`
    if (lines.length > 0 && longer.length < (process.stderr.columns ?? 80)) lines[lines.length - 1] = longer
    else lines.push(name)
  }
  return lines.join(',\n')
}

/** Asks for yes or no; Enter alone means no. Throws ServiceError `cancelled`. */
export function askConfirmation(message: string): Promise<boolean> {
  return ask('confirm', { message, initial: false })
}

interface PromptOptions {
  readonly message: string
  readonly validate?: (value: string) => true | string
  readonly initial?: boolean
}

/** The part of enquirer that is used; its own types lack the prompts by name. */
type Ask = (options: PromptOptions & { readonly stdout: NodeJS.WriteStream; readonly name: string }) => Promise<unknown>

/** Without a terminal, enquirer waits for keys that never come, and the process ends silently. */
function checkTerminal(): void {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new ServiceError('missing_input', 'There is no terminal to prompt on.')
  }
}

async function ask<T>(kind: 'input' | 'invisible' | 'confirm', options: PromptOptions): Promise<T> {
  checkTerminal()
  // The only variable that enquirer's colours respect, and only while they load.
  if (process.env['NO_COLOR']) process.env['FORCE_COLOR'] = '0'
  const { default: enquirer } = await import('enquirer')
  // its types leave out the prompt functions
  const prompts = enquirer as unknown as Readonly<Record<typeof kind, Ask>>
  let onEnd: (() => void) | undefined
  const hungUp = new Promise<never>((_, reject) => {
    onEnd = () => reject(new ServiceError('cancelled', 'Cancelled: the terminal was closed.'))
    process.stdin.once('end', onEnd).once('close', onEnd)
  })
  try {
    return (await Promise.race([prompts[kind]({ name: 'value', stdout: process.stderr, ...options }), hungUp])) as T
  } catch (error) {
    if (error instanceof Error) throw error
    // Ctrl-C and Escape reject with an empty text.
    throw new ServiceError('cancelled', 'Cancelled.')
  } finally {
    if (onEnd) process.stdin.removeListener('end', onEnd).removeListener('close', onEnd)
    restoreTerminal()
    process.stdin.pause()
  }
}
