/** Prompts on a terminal. Prompts go to stderr, so that stdout contains only data. */
import { ServiceError } from '../../core/errors.ts'
import { restoreTerminal, setOpenPrompt } from './interrupt.ts'
import { CONFIRMATION, KEYS, PICKER } from './prompt-keys.ts'

/** Asks for a line of text until it is not empty. Throws ServiceError `cancelled`. */
export function askText(message: string): Promise<string> {
  return ask('input', { message, validate: value => value.trim() !== '' || 'Enter a value.' })
}

/** Asks for a secret without echoing anything, not even its length. Throws ServiceError `cancelled`. */
export function askSecret(message: string): Promise<string> {
  return ask('invisible', { message, validate: value => value !== '' || 'Enter a value.' })
}

/** A choice in a picker: the value and its description. Typed text matches both. */
export interface Choice {
  readonly name: string
  readonly hint?: string
}

/** Asks for one of several values, with a list that is filtered by typed text. Throws ServiceError `cancelled`. */
export function askChoice(message: string, choices: readonly Choice[]): Promise<string> {
  // copied, because enquirer adds its own fields to the choices
  return ask('autocomplete', { message, choices: choices.map(each => ({ ...each })), ...PICKER })
}

/** Asks for yes or no; Enter alone means no. Throws ServiceError `cancelled`. */
export function askConfirmation(message: string): Promise<boolean> {
  return ask('confirm', { message, ...CONFIRMATION })
}

/** Asks whether to continue; Enter alone means yes. Throws ServiceError `cancelled`. */
export function askToContinue(message: string): Promise<boolean> {
  return ask('confirm', { message, ...CONFIRMATION, initial: true })
}

interface Question {
  readonly message: string
  readonly validate?: (value: string) => true | string
  readonly choices?: readonly Choice[]
}
type PromptOptions = Question | (Question & typeof PICKER) | (Question & typeof CONFIRMATION)

/** The parts of enquirer that are used here; its own types do not include the named prompts. */
type Ask = (options: PromptOptions & typeof KEYS & PromptTarget) => Promise<unknown>

interface PromptTarget {
  readonly stdout: NodeJS.WriteStream
  readonly name: string
}

/** Throws if there is no terminal. Otherwise, enquirer would wait for keys that never arrive, and the process would end silently. */
function checkTerminal(): void {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new ServiceError('missing_input', 'There is no terminal to prompt on.')
  }
}

async function ask<T>(kind: 'input' | 'invisible' | 'confirm' | 'autocomplete', options: PromptOptions): Promise<T> {
  checkTerminal()
  // FORCE_COLOR is the only variable that controls enquirer's colors, and enquirer reads it only while it loads.
  if (process.env['NO_COLOR']) process.env['FORCE_COLOR'] = '0'
  const { default: enquirer } = await import('enquirer')
  // enquirer's types do not include the prompt functions
  const prompts = enquirer as unknown as Readonly<Record<typeof kind, Ask>>
  let onEnd: (() => void) | undefined
  const hungUp = new Promise<never>((_, reject) => {
    onEnd = () => reject(new ServiceError('cancelled', 'Cancelled: the terminal was closed.'))
    process.stdin.once('end', onEnd).once('close', onEnd)
    setOpenPrompt(() => reject(new ServiceError('cancelled', 'Cancelled.')))
  })
  try {
    return (await Promise.race([
      prompts[kind]({ name: 'value', stdout: process.stderr, ...KEYS, ...options }),
      hungUp,
    ])) as T
  } catch (error) {
    if (error instanceof Error) throw error
    // Ctrl-C, Ctrl-D and Escape reject the promise with an empty text.
    throw new ServiceError('cancelled', 'Cancelled.')
  } finally {
    setOpenPrompt(undefined)
    if (onEnd) process.stdin.removeListener('end', onEnd).removeListener('close', onEnd)
    restoreTerminal()
    process.stdin.pause()
  }
}
