/** Runs the built binary in separate folders, as a user's shell would. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { atEndOfFile } from './end-of-file.ts'
import { temporaryFolder } from './folder.ts'
import { storeVariables } from './postgres/database.ts'

export const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
export const binary = path.join(root, 'bin', 'run.js')
/** The single executable that the tests of commands use instead of the build, if any: `npm test -- --package`. */
export const executable = process.env['SVC_TEST_BINARY']
/** The program that runs svc, and its first arguments. */
export const svcCommand: readonly [string, ...string[]] =
  executable === undefined ? [process.execPath, binary] : [path.resolve(root, executable)]
/** The same in a script of a shell. */
export const svcInShell = svcCommand.map(each => `"${each}"`).join(' ')

export interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Content of stdin. Without it, `run` closes stdin at once, and `start` leaves it open. */
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  /** File permissions apply even if the tests run as root. */
  readonly isBoundByPermissions?: boolean
  /** Where the command runs, for example on a small disk. */
  readonly wrapper?: { on(command: string, args: readonly string[]): readonly [string, readonly string[]] }
}

/** A command that was started. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  /** Its output so far. */
  stdout(): string
  stderr(): string
  /** Resolves when it has ended; the status is null if a signal ended it. */
  readonly ended: Promise<Run>
  /** Sends a signal and resolves with the status. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** Root without the capabilities that let it read and write everything. */
const BOUND_ROOT = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']

/** The folders of a user, with `svc` running in them. Processes that still run when the test file ends are killed. */
export class Sandbox {
  readonly folder = temporaryFolder()
  private readonly running = new Set<ChildProcessWithoutNullStreams>()

  constructor() {
    atEndOfFile(() => this.killAll())
  }

  get env(): Record<string, string> {
    const dataDir = path.join(this.folder, 'data')
    const env: Record<string, string> = {
      SVC_DATA_DIR: dataDir,
      ...storeVariables(dataDir),
      SVC_CONFIG_DIR: path.join(this.folder, 'config'),
      // shared by all tests: a code cache is bound to the bundle's content
      SVC_CACHE_DIR: path.join(tmpdir(), 'svc-test-code-cache'),
    }
    for (const [name, value] of Object.entries(process.env)) {
      // parsing extra certificates would take longer than the command
      if (value !== undefined && !name.startsWith('SVC_') && name !== 'NODE_EXTRA_CA_CERTS') env[name] = value
    }
    return env
  }

  start(args: readonly string[], options: RunOptions = {}): Running {
    const isBoundRoot = options.isBoundByPermissions === true && process.getuid?.() === 0
    const [program = '', ...all] = [...(isBoundRoot ? BOUND_ROOT : []), ...svcCommand, ...args]
    const [command, given] = options.wrapper?.on(program, all) ?? [program, all]
    const child = spawn(command, given, { cwd: this.folder, env: { ...this.env, ...options.env } })
    this.running.add(child)
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    // a command that fails early does not read its stdin
    child.stdin.on('error', () => {})
    if (options.input !== undefined) child.stdin.end(options.input)
    const ended = new Promise<Run>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', status => {
        this.running.delete(child)
        resolve({ status, stdout, stderr })
      })
    })
    const stop = async (signal: NodeJS.Signals) => {
      child.kill(signal)
      return (await ended).status
    }
    return { child, ended, stop, stdout: () => stdout, stderr: () => stderr }
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Run> {
    return this.start(args, { input: '', ...options }).ended
  }

  /** Runs a command that must succeed and returns the one JSON document on its stdout. */
  async json<T>(args: readonly string[], options: RunOptions = {}): Promise<T> {
    const run = await this.run([...args, '--json'], options)
    if (run.status !== 0) throw new Error(`svc ${args.join(' ')} ended with ${run.status}: ${run.stderr}`)
    return JSON.parse(run.stdout)
  }

  private async killAll(): Promise<void> {
    const ends = [...this.running].map(child => once(child, 'close'))
    for (const child of this.running) child.kill('SIGKILL')
    await Promise.all(ends)
  }
}

/** Returns the folder for files that are being imported. */
export function scratchFolder(sandbox: Sandbox): string {
  return path.join(sandbox.env['SVC_DATA_DIR'] as string, 'scratch')
}

/** Returns the files in it; empty when nothing runs. */
export function scratchFiles(sandbox: Sandbox): string[] {
  return readdirSync(scratchFolder(sandbox))
}
