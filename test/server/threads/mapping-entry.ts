/** The bundle entry for the mapping thread test: a thread whose connectors behave like real ones with hostile responses. */
import type { MessagePort } from 'node:worker_threads'
import type { PulledPage } from '../../../src/connectors/connector.ts'
import { ProviderError } from '../../../src/connectors/provider-session.ts'
import { serveMapping } from '../../../src/server/threads/mapping-worker.ts'

export { ReceivedResponse } from '../../../src/engine/live/responses/response.ts'
export { MappingThread } from '../../../src/server/threads/mapping-thread.ts'
export { MappingThreads } from '../../../src/server/threads/mapping-threads.ts'

/** The time to map a page of the maximum size. */
const SLOW_MS = 3_000

const page = (count: unknown): PulledPage => ({ records: [], batches: [], unmapped: { count: Number(count) } })

export const THREADS = {
  mapping: (port: MessagePort, shared: SharedArrayBuffer) =>
    serveMapping(port, shared, async provider => ({
      async *pull(session, { collection }) {
        const ask = (path: string) =>
          session.send({ method: 'POST', url: new URL(path, session.app.apiUrl), form: { collection } })
        yield page((await ask('/first')).json())
        if (provider === 'loops') for (;;);
        const end = performance.now() + (provider.startsWith('slow') ? SLOW_MS : 0)
        while (performance.now() < end);
        const kept: unknown[] = []
        if (provider === 'grows') for (;;) kept.push(new Array(1_000).fill(kept.length))
        if (provider === 'refuses') throw new ProviderError('scope_missing', 'Not granted.', { status: 403 })
        yield page((await ask('/second')).json())
      },
    })),
}
