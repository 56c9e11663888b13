/** `--watch`: shows a response repeatedly until Ctrl-C. */
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../core/errors.ts'

const ALTERNATE_SCREEN = '\x1b[?1049h\x1b[?25l'
const MAIN_SCREEN = '\x1b[?1049l\x1b[?25h'
const CLEAR_LINE = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'
const HOME = '\x1b[H'

export interface WatchOptions {
  readonly everyMs: number
  /** Aborted when Ctrl-C is pressed. */
  readonly signal: AbortSignal
  /** Returns the text of the response. */
  readonly show: () => Promise<string>
  /** Writes a line to stderr. */
  readonly log: (line: string) => void
  /** First line on the screen of a terminal. */
  readonly title: string
}

/** Throws ServiceError `usage` for a format that is not useful in a pipe. */
export function checkWatchable(format: string): void {
  if (process.stdout.isTTY || format === 'json') return
  throw new ServiceError('usage', `--watch prints JSON in a pipe, not ${format}.`, {
    suggestions: ['Leave out --output, or use --jq to choose what is printed.'],
  })
}

/**
 * Repeats a request until Ctrl-C, and then exits with 130 without an error message. On a terminal, redraws the response in place and leaves
 * the last response on the screen. In a pipe, prints a response only if it differs from the previous one. If the service stops responding
 * after the first response, waits until it responds again. Throws every other ServiceError, and every error of the first request.
 */
export async function watchResponse(options: WatchOptions): Promise<void> {
  const { signal } = options
  const { stdout } = process
  const isTerminal = stdout.isTTY === true
  let last: string | undefined
  let isAway = false
  const leave = (): void => {
    if (isTerminal && last !== undefined) stdout.write(MAIN_SCREEN + last)
  }
  const terminate = (): void => process.exit(143)
  process.once('SIGTERM', terminate)
  process.once('exit', leave)
  try {
    while (!signal.aborted) {
      const text = await next(options, last !== undefined)
      if (text === undefined) {
        if (!isAway) options.log('The service does not respond. Waiting until it is back.')
        isAway = true
      } else {
        if (isAway) options.log('The service responds again.')
        isAway = false
        if (isTerminal) stdout.write((last === undefined ? ALTERNATE_SCREEN : '') + frame(options.title, text))
        else if (text !== last) stdout.write(text)
        last = text
      }
      await delay(options.everyMs, undefined, { signal }).catch(() => {})
    }
    process.exitCode = 130
  } finally {
    process.removeListener('SIGTERM', terminate)
    process.removeListener('exit', leave)
    leave()
  }
}

/** Returns the text; undefined while the service does not respond. */
async function next({ show, signal }: WatchOptions, isStarted: boolean): Promise<string | undefined> {
  try {
    return await show()
  } catch (error) {
    if (signal.aborted) return undefined
    if (isStarted && error instanceof ServiceError && isTemporary(error)) return undefined
    throw error
  }
}

function isTemporary({ category, code }: ServiceError): boolean {
  return category === 'network' || code === 'rate_limited'
}

/** Returns the text that overwrites the screen line by line, without flicker. Lines beyond the screen height are only counted. */
function frame(title: string, text: string): string {
  const { rows } = process.stdout
  const lines = [title, '', ...text.trimEnd().split('\n')]
  const most = rows > 0 ? rows - 1 : lines.length
  const shown = lines.length <= most ? lines : [...lines.slice(0, most - 1), `… ${lines.length - most + 1} more lines`]
  return HOME + shown.map(line => `${line}${CLEAR_LINE}\n`).join('') + CLEAR_BELOW
}
