/**
 * Prism as a proxy between a client and the service: it passes on what the OpenAPI document allows, and refuses the rest with its own
 * problem bodies.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { atEndOfFile } from '../kit/end-of-file.ts'
import { freePort } from '../kit/free-port.ts'
import { until } from '../kit/until.ts'

const CLI = join(import.meta.dirname, '../../node_modules/@stoplight/prism-cli/dist/index.js')
const START_MS = 90_000

export interface ValidatingProxy {
  readonly url: string
}

/** Starts a proxy that validates requests and responses against the document in `file`. */
export async function prismProxy(file: string, upstream: string): Promise<ValidatingProxy> {
  const port = await freePort()
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const args = [
    'proxy',
    file,
    upstream,
    '--errors',
    '--port',
    `${port}`,
    '--host',
    '127.0.0.1',
    '--verboseLevel',
    'error',
  ]
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  atEndOfFile(() => child.kill())
  let output = ''
  child.stdout.on('data', data => {
    output += data
  })
  child.stderr.on('data', data => {
    output += data
  })
  const url = `http://127.0.0.1:${port}`
  await untilItResponds(url, child, () => output)
  return { url }
}

async function untilItResponds(url: string, child: ChildProcess, output: () => string): Promise<void> {
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`Prism ended with ${child.exitCode}: ${output().slice(-2000)}`)
      return fetch(url).then(
        () => true,
        () => false,
      )
    },
    { mostMs: START_MS, everyMs: 100, why: () => `Prism did not start: ${output().slice(-2000)}` },
  )
}

/** Prism's response in place of the service's. */
export interface Problem {
  /** `request`: it did not pass on the request; `response`: the document does not describe the response. */
  readonly side: 'request' | 'response'
  readonly words: string
}

const REQUEST_PROBLEMS = ['UNPROCESSABLE_ENTITY', 'NO_PATH_MATCHED_ERROR', 'INVALID_CONTENT_TYPE', 'UNAUTHORIZED']
const TYPE = 'https://stoplight.io/prism/errors#'

/** Returns the problem if a body is one of Prism's; null for a body of the service. */
export function readProblem(body: unknown): Problem | null {
  if (typeof body !== 'object' || body === null) return null
  const { type, detail, validation } = body as Record<string, unknown>
  if (typeof type !== 'string' || !type.startsWith(TYPE)) return null
  const side = REQUEST_PROBLEMS.includes(type.slice(TYPE.length)) ? 'request' : 'response'
  return { side, words: `${type.slice(TYPE.length)}: ${detail} ${JSON.stringify(validation ?? [])}` }
}
