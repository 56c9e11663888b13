/** Runs the built binary in separate folders, as a user's shell would. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { vi } from 'vitest'

// a test starts several processes, and other tests may keep the machine busy
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

export const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
export const binary = path.join(root, 'bin', 'run.js')

export interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Content of stdin; without it, stdin is closed at once. */
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Permissions of files count even where the tests run as root. */
  readonly isBoundByPermissions?: boolean
}

/** Root without the capabilities that let it read and write everything. */
const BOUND_ROOT = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', process.execPath]

/** The scripts are plain JavaScript, without types. */
interface BuildScript {
  isStale(): boolean
  buildBundle(): Promise<unknown>
}

/** Builds if a source file is newer than the bundle: `npm test` has built already, but a single test file may not have. */
export async function ensureBuilt(): Promise<void> {
  const script: BuildScript = await import(pathToFileURL(path.join(root, 'scripts', 'build.mjs')).href)
  if (script.isStale()) await script.buildBundle()
}

/** The folders of a user, with `svc` running in them. */
export class Sandbox {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'svc-test-'))

  get env(): Record<string, string> {
    const env: Record<string, string> = {
      SVC_DATA_DIR: path.join(this.folder, 'data'),
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

  run(args: readonly string[], options: RunOptions = {}): Promise<Run> {
    return new Promise((resolve, reject) => {
      const isBoundRoot = options.isBoundByPermissions === true && process.getuid?.() === 0
      const [program = '', ...first] = isBoundRoot ? BOUND_ROOT : [process.execPath]
      const child = spawn(program, [...first, binary, ...args], {
        cwd: this.folder,
        env: { ...this.env, ...options.env },
      })
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
      child.stdin.end(options.input ?? '')
      child.on('error', reject)
      child.on('close', status => resolve({ status, stdout, stderr }))
    })
  }

  /** Runs a command that must succeed and returns the one JSON document on its stdout. */
  async json<T>(args: readonly string[], options: RunOptions = {}): Promise<T> {
    const run = await this.run([...args, '--json'], options)
    if (run.status !== 0) throw new Error(`svc ${args.join(' ')} ended with ${run.status}: ${run.stderr}`)
    return JSON.parse(run.stdout)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
