/** `svc serve` as a separate process. */
import { once } from 'node:events'
import type { RunOptions, Sandbox } from './sandbox.ts'
import { within } from './until.ts'

export interface ServerResponse {
  readonly status: number
  readonly json: unknown
}

/** A server that is stopping waits up to 30 s for running requests. */
const LONGEST_STOP_MS = 45_000

/** One `svc serve`, ready for requests. */
export interface Serving {
  readonly url: string
  readonly api_key: string
  readonly team_id: string
  readonly pid: number
  /** Sends a request with the session key. */
  ask(method: string, path: string, body?: unknown): Promise<ServerResponse>
  /** Returns its stderr so far. */
  log(): string
  /** Sends a signal and resolves with the exit code; null: the signal itself ended it. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/**
 * Starts `svc serve --json` on the sandbox's data folder and reads its first line. It listens on a free port unless `args` include one.
 * Servers that still run when the sandbox is removed are killed.
 */
export async function serve(
  sandbox: Sandbox,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<Serving> {
  const port = args.includes('--port') ? [] : ['--port', '0']
  const { child, ended, stderr, stop } = sandbox.start(['serve', '--json', ...port, ...args], { input: '', ...options })
  const early = ended.then(({ status }) => {
    throw new Error(`svc serve ended with ${status} before it was ready: ${stderr()}`)
  })
  // an exit of the server from here on is expected
  early.catch(() => {})
  const first = once(child.stdout, 'data')
  const [line] = (await within(Promise.race([first, early]), () => `svc serve does not get ready: ${stderr()}`)) as [
    string,
  ]
  const ready = JSON.parse(line) as Pick<Serving, 'url' | 'api_key' | 'team_id'>
  return {
    ...ready,
    pid: child.pid ?? 0,
    log: stderr,
    ask: (method, at, body) => ask(ready.url + at, ready.api_key, method, body),
    stop: signal => within(stop(signal), () => `svc serve does not end: ${stderr()}`, LONGEST_STOP_MS),
  }
}

/** Sends a request with the given key. */
export async function ask(url: string, key: string, method: string, body?: unknown): Promise<ServerResponse> {
  const response = await fetch(url, {
    method,
    headers: { 'x-service-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: await response.json() }
}
