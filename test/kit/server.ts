/** Starts a server on a new data folder, and removes both when the tests of the file are done. */
import type { ServerOptions } from '../../src/server/server-options.ts'
import { type RunningServer, startServer } from '../../src/server/start.ts'
import { atEndOfFile } from './end-of-file.ts'
import { storeOptions } from './postgres/database.ts'
import { newStore } from './store/new-store.ts'

export interface TestServer extends RunningServer {
  readonly dataDir: string
  readonly lines: readonly string[]
  /** Sends a request with the session key and returns the response. */
  ask(method: string, path: string, init?: Ask): Promise<TestResponse>
}
export interface Ask {
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
  readonly key?: string | null
}
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: unknown
}

export async function serve(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const lines: string[] = []
  const dataDir = options.dataDir ?? (await newStore())
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    acceptHeaderPrefixes: [],
    apiKey: null,
    publicUrl: null,
    insecureHttp: false,
    log: line => lines.push(line),
    // a test that leaves a request open need not wait for it
    graceMs: 2_000,
    ...storeOptions(dataDir),
    ...options,
    dataDir,
  })
  atEndOfFile(() => server.close())
  const ask = async (method: string, path: string, { headers = {}, body, key = server.apiKey }: Ask = {}) => {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        ...(key === null ? {} : { 'x-service-api-key': key }),
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body as string }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }
  return { ...server, dataDir, lines, ask }
}

/** Returns the lines of a JSON log that are about requests. A server on Citus also logs that its role may change the audit trail. */
export function requestLines({ lines }: { readonly lines: readonly string[] }): string[] {
  return lines.filter(line => line.includes('"event":"request"'))
}
