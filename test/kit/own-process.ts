/** Simulates a separate process for a command: its arguments, environment, streams and exit code, as seen through pipes. */
import { Console } from 'node:console'
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import { Readable, Writable } from 'node:stream'
import tty from 'node:tty'

const EVENTS = ['on', 'once', 'off', 'addListener', 'removeListener', 'prependListener', 'emit'] as const

export class OwnProcess {
  stdout = ''
  stderr = ''
  /** Stands for `process`. */
  readonly process: NodeJS.Process
  readonly console: Console
  /** Stand for built-in modules that would use file descriptors of the real process. */
  readonly modules: Readonly<Record<string, unknown>>
  /** Resolves when the command calls process.exit. */
  readonly exited: Promise<void>
  private isOver = false

  constructor(args: readonly string[], env: Readonly<Record<string, string>>, input: string | Uint8Array) {
    const events = new EventEmitter()
    let onExit = (): void => {}
    this.exited = new Promise(resolve => {
      onExit = resolve
    })
    const own: Record<string, unknown> = {
      argv: [process.execPath, 'svc', ...args],
      env: { ...env },
      stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input)]),
      stdout: this.stream(text => {
        this.stdout += text
      }),
      stderr: this.stream(text => {
        this.stderr += text
      }),
      exitCode: undefined,
      exit: (code?: number) => {
        if (code !== undefined) this.process.exitCode = code
        this.isOver = true
        onExit()
        throw new Error('process.exit was called')
      },
    }
    for (const name of EVENTS) own[name] = events[name].bind(events)
    const descriptors = Object.entries(own).map(([name, value]) => [name, { value, writable: true }] as const)
    this.process = Object.create(process, Object.fromEntries(descriptors))
    this.console = new Console(this.process.stdout, this.process.stderr)
    const pipe = Object.assign(Object.create(fs.Stats.prototype), { mode: fs.constants.S_IFIFO })
    const fstatSync = (fd: number) => (fd === 0 ? pipe : fs.fstatSync(fd))
    this.modules = { process: this.process, fs: { ...fs, fstatSync }, tty: { ...tty, isatty: () => false } }
  }

  get status(): number {
    return Number(this.process.exitCode ?? 0)
  }

  private stream(add: (text: string) => void): Writable {
    return new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        if (!this.isOver) add(chunk.toString())
        done()
      },
    })
  }
}
