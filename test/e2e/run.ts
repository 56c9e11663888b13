/** What end-to-end tests add to a sandbox: a running server, a real terminal, and the form that every refusal must have. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import { expect } from 'vitest'
import { binary, type Run, type Sandbox } from '../commands/svc.ts'

/** Limit of every wait in these tests: a busy machine is slow, but a process that hangs is a failure. */
const PATIENCE_MS = 25_000

export interface Asked {
  readonly status: number
  readonly json: unknown
}

/** One `svc serve`, ready for requests. */
export interface Serving {
  readonly url: string
  readonly api_key: string
  readonly team_id: string
  readonly pid: number
  /** Sends a request with the session key. */
  ask(method: string, path: string, body?: unknown): Promise<Asked>
  /** Returns what it has written to stderr so far. */
  log(): string
  /** Sends a signal and resolves with the exit code; null: the signal itself ended it. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts `svc serve --json --port 0` on the sandbox's data folder and reads its first line. */
export async function serve(sandbox: Sandbox, args: readonly string[] = []): Promise<Serving> {
  const child = spawn(process.execPath, [binary, 'serve', '--json', '--port', '0', ...args], {
    cwd: sandbox.folder,
    env: sandbox.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const line = await within(firstLine(child), () => `the server does not get ready: ${stderr}`)
  const ready = JSON.parse(line) as Pick<Serving, 'url' | 'api_key' | 'team_id'>
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  return {
    ...ready,
    pid: child.pid ?? 0,
    log: () => stderr,
    ask: (method, at, body) => ask(ready.url + at, ready.api_key, method, body),
    stop: signal => {
      child.kill(signal)
      return within(ended, () => `the server does not end: ${stderr}`)
    },
  }
}

/** Sends a request with the given key. */
export async function ask(url: string, key: string, method: string, body?: unknown): Promise<Asked> {
  const answer = await fetch(url, {
    method,
    headers: { 'x-service-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, json: await answer.json() }
}

function firstLine(child: ChildProcess & { readonly stdout: NodeJS.ReadableStream }): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    child.once('exit', status => reject(new Error(`the server ended with ${status} before it was ready`)))
  })
}

/** `svc` on a real pseudo-terminal, with a person typing. */
export class Terminal {
  /** Every byte that reached the screen. */
  raw = ''
  private read = 0
  private readonly pty: ReturnType<typeof spawnTerminal>
  private readonly exit: Promise<number>

  /** `after`: a command for the shell to run when svc has ended; the exit code stays that of svc. */
  constructor(sandbox: Sandbox, args: readonly string[], after = ':') {
    const script = `trap : INT; "$@"; status=$?; ${after}; exit $status`
    this.pty = spawnTerminal('/bin/sh', ['-c', script, 'sh', process.execPath, binary, ...args], {
      name: 'xterm-256color',
      cols: 160,
      rows: 40,
      cwd: sandbox.folder,
      env: sandbox.env,
    })
    this.pty.onData(text => {
      this.raw += text
    })
    this.exit = new Promise(resolve => this.pty.onExit(({ exitCode }) => resolve(exitCode)))
  }

  /** The screen's text without control sequences. */
  get text(): string {
    return stripVTControlCharacters(this.raw)
  }

  /** Waits for output that was not there at the last call. */
  async sees(what: RegExp): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const match = what.exec(this.text.slice(this.read))
      if (match) {
        this.read += match.index + match[0].length
        return
      }
      if (Date.now() > deadline) throw new Error(`${what} does not appear after:\n${this.text}`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
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

/** Expects a refusal: nothing on stdout, one message on stderr without a stack trace, the documented exit code. */
export function expectRefusal(run: Run, status: number, says: RegExp | readonly RegExp[]): void {
  expect(run.status, run.stderr).toBe(status)
  expect(run.stdout).toBe('')
  expect(run.stderr.match(/^Error: /gm), run.stderr).toHaveLength(1)
  expect(run.stderr).toMatch(/^Error: /)
  expect(run.stderr).not.toMatch(/^\s+at .+[:)]/m)
  for (const each of [says].flat()) expect(run.stderr).toMatch(each)
}

/** Returns the folder for files that are being imported. */
export function scratchFolder(sandbox: Sandbox): string {
  return path.join(sandbox.env['SVC_DATA_DIR'] as string, 'scratch')
}

/** Returns the files in it; empty when nothing runs. */
export function scratchFiles(sandbox: Sandbox): string[] {
  return readdirSync(scratchFolder(sandbox))
}

function within<T>(promise: Promise<T>, why: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(why())), PATIENCE_MS)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
