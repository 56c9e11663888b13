/** Shows a table that is longer than the terminal in the user's pager. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import stringWidth from 'string-width'
import { listenForInterrupt, stopListening } from '../runtime/interrupt.ts'
import type { Pieces } from './output-file.ts'

/** Options of less: exit if everything fits on the screen, show colors, leave the text on the screen, and exit at Ctrl-C. */
const LESS_FLAGS = 'FRXK'

/** Matches the program in a shell command: the first word after any variable assignments, which may be quoted. */
const PROGRAM = /^(?:\w+=\S*\s+)*(?:'([^']+)'|"([^"]+)"|(\S+))/

/** Returns the pager's command: SVC_PAGER, PAGER, or less. Returns undefined if there is no pager, or if the user does not want one. */
export function pagerCommand(env: NodeJS.ProcessEnv = process.env): string | undefined {
  // less and similar pagers need a more capable terminal
  if (env['TERM'] === 'dumb') return undefined
  const command = (env['SVC_PAGER'] ?? env['PAGER'] ?? `less -${LESS_FLAGS}`).trim()
  const [, ...words] = PROGRAM.exec(command) ?? []
  const program = words.find(word => word !== undefined)
  return program && program !== 'cat' && isProgram(program, env['PATH']) ? command : undefined
}

/** Returns whether a program exists. A shell would report a missing program too late, after the output is already lost. */
function isProgram(name: string, folders = ''): boolean {
  const candidates = name.includes(path.sep)
    ? [name]
    : folders.split(path.delimiter).map(folder => path.join(folder, name))
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd'] : ['']
  return candidates.some(candidate => endings.some(ending => isExecutable(candidate + ending)))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Writes text that fits the screen to stdout, and longer text to the pager. Resolves when the pager has exited. If the pager stops reading,
 * this is not an error, and no more text is requested.
 */
export async function writePaged(
  pieces: Pieces,
  { command, width, height }: { readonly command: string; readonly width: number; readonly height: number },
): Promise<void> {
  let pager: Pager | undefined
  let waiting = ''
  let lines = 0
  for await (const piece of pieces) {
    const text = piece.toString()
    if (pager) {
      if (!(await pager.write(text))) break
      continue
    }
    waiting += text
    lines += screenLines(text, width)
    // the last line of the screen is reserved for the pager's prompt
    if (lines < height) continue
    pager = new Pager(command)
    if (!(await pager.write(waiting))) break
  }
  if (pager) await pager.end()
  else process.stdout.write(waiting)
}

/** Returns the number of terminal lines that a text needs, including wrapped lines. */
function screenLines(text: string, width: number): number {
  const lines = text.split('\n').slice(0, -1)
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / width)), 0)
}

class Pager {
  private readonly child: ChildProcess
  private readonly ended: Promise<void>
  private isOver = false

  constructor(command: string) {
    // Ctrl-C is meant for the pager, which shares the terminal.
    stopListening()
    process.on('SIGINT', ignore)
    this.child = spawn(command, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { LESS: LESS_FLAGS, ...process.env },
    })
    this.ended = new Promise(resolve => {
      const end = (): void => {
        this.isOver = true
        resolve()
      }
      this.child.once('close', end).once('error', end)
      // a pager that ends early closes its end of the pipe
      this.child.stdin?.on('error', end)
    })
  }

  /** Returns false if the pager has exited. Waits while the pager is not reading. */
  async write(text: string): Promise<boolean> {
    const { stdin } = this.child
    if (this.isOver || !stdin) return false
    if (!stdin.write(text)) await Promise.race([once(stdin, 'drain').catch(ignore), this.ended])
    return !this.isOver
  }

  /** Waits until the user leaves the pager. */
  async end(): Promise<void> {
    this.child.stdin?.end()
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close').catch(ignore)
    process.removeListener('SIGINT', ignore)
    listenForInterrupt()
  }
}

function ignore(): void {}
