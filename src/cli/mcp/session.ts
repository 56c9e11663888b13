/** One session on stdin and stdout: from the first message to the end of stdin or a signal. */
import { setImmediate as turn } from 'node:timers/promises'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { ServiceError } from '../../core/errors.ts'
import type { Stop } from '../listen/stop.ts'
import type { McpServer } from './server.ts'

/** Maximum time for running calls to continue after the end of stdin. */
const DRAIN_MS = 10_000
/** Maximum time for cancelled calls to end. */
const CANCEL_MS = 2_000
/** Maximum size of a message, which may contain any JSON body that the service accepts. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/**
 * Serves until stdin ends or `stop` is aborted. At the end of stdin, running calls are finished first; a stop cancels them. Throws
 * ServiceError `usage` if a message is too long to be read.
 */
export async function serveSession(
  { server, idle }: McpServer,
  stop: Stop,
  warn: (line: string) => void,
): Promise<void> {
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES })
  const ended = new Promise<void>(resolve => {
    process.stdin.once('end', resolve).once('close', resolve)
  })
  const stopped = new Promise<void>(resolve => {
    if (stop.signal.aborted) resolve()
    stop.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const closed = new Promise<void>(resolve => {
    server.onclose = resolve
  })
  // the error's own message would quote the received text
  server.onerror = () => warn('A message was ignored because it is not valid JSON-RPC.')
  await server.connect(transport)
  const end = await Promise.race([
    ended.then(() => 'ended'),
    stopped.then(() => 'stopped'),
    closed.then(() => 'closed'),
  ])
  // requests that arrived just before the end of stdin are handled in later ticks
  await turn()
  if (end === 'ended') await Promise.race([idle(), stopped, after(DRAIN_MS)])
  // responses are written in the tick after they are ready
  await turn()
  await server.close()
  await Promise.race([idle(), after(CANCEL_MS)])
  if (end === 'closed') {
    throw new ServiceError('usage', `A message has more than ${MAX_MESSAGE_BYTES} bytes.`, {
      suggestions: ['Send less data in one message.'],
    })
  }
}

function after(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms).unref()
  })
}
