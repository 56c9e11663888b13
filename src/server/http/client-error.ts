/** Responds to bytes that are not an HTTP request, and to requests that did not arrive in time, and closes the connection. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

interface Refusal {
  readonly status: number
  readonly detail: string
}

const MALFORMED: Refusal = { status: 400, detail: 'The request is malformed.' }
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The request headers are larger than the limit.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request did not arrive in time.' },
}

/** Sends a fixed text, because Node's own messages may quote the request. */
export function closeMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { status, detail } = REFUSALS[error.code ?? ''] ?? MALFORMED
  const body = JSON.stringify({ detail })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
