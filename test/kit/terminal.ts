/** `svc` on a real terminal. */
import { stripVTControlCharacters } from 'node:util'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import { atEndOfFile } from './end-of-file.ts'
import { type Sandbox, svcCommand } from './sandbox.ts'
import { until, within } from './until.ts'

export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
}

/** `svc` on a real pseudo-terminal, with simulated typing. */
export class Terminal {
  /** Every byte that reached the screen. */
  raw = ''
  private read = 0
  private readonly pty: ReturnType<typeof spawnTerminal>
  private readonly exit: Promise<number>

  /** `after`: a command for the shell to run when svc has ended; the exit code stays that of svc. */
  constructor(sandbox: Sandbox, args: readonly string[], after = ':', options: TerminalOptions = {}) {
    // a pseudo-terminal that closes at once can lose the last output
    const script = `trap : INT; "$@"; status=$?; ${after}; sleep 0.5; exit $status`
    this.pty = spawnTerminal('/bin/sh', ['-c', script, 'sh', ...svcCommand, ...args], {
      name: options.env?.['TERM'] ?? 'xterm-256color',
      cols: options.columns ?? 160,
      rows: options.rows ?? 40,
      cwd: sandbox.folder,
      env: { ...sandbox.env, ...options.env },
    })
    this.pty.onData(text => {
      this.raw += text
    })
    atEndOfFile(() => this.close())
    this.exit = new Promise(resolve => this.pty.onExit(({ exitCode }) => resolve(exitCode)))
  }

  /** The screen's text without control sequences. */
  get text(): string {
    return stripVTControlCharacters(this.raw)
  }

  /** Waits for output that was not there at the last call. */
  async sees(what: RegExp): Promise<void> {
    const find = () => what.exec(this.text.slice(this.read))
    const match = await until(find, { everyMs: 20, why: () => `${what} does not appear after:\n${this.text}` })
    this.read += match.index + match[0].length
  }

  types(text: string): void {
    this.pty.write(text)
  }

  ended(): Promise<number> {
    return within(this.exit, () => `svc does not end; the screen says:\n${this.text}`)
  }

  close(): void {
    try {
      this.pty.kill('SIGKILL')
    } catch {
      // it has already ended
    }
  }
}
