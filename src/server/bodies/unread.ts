/**
 * Handles a body that was not read before the response was sent: the server reads a little more of the body, then closes the connection.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/**
 * Maximum number of bytes to read after the response is sent. A client that writes its whole body before it reads receives either the
 * response or a closed connection.
 */
export const MOST_UNREAD_BYTES = 256 * 1024
export const MOST_UNREAD_MS = 1_000

/**
 * Returns whether the rest of the body may be longer than the server will read. The response must then say that it is the last one on its
 * connection.
 */
export function isUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding !== undefined || Number(length ?? 0) > MOST_UNREAD_BYTES
}

/** Limits the unread part of a body. Call this before the request is handled. */
export function boundUnread(request: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (length === undefined && encoding === undefined) return
  // runs before Node's own listener, which would read the rest without a limit, or not at all if part of it was already read
  response.prependListener('finish', () => {
    if (!request.complete) drain(request)
  })
}

function drain(request: IncomingMessage): void {
  const { socket } = request
  const most = socket.bytesRead + MOST_UNREAD_BYTES
  let isLast = false
  // after a last response, Node closes the connection at once; bytes that arrive at a closed connection destroy the response
  socket.destroySoon = () => {
    isLast = true
    socket.end()
  }
  const timer = setTimeout(() => socket.destroy(), MOST_UNREAD_MS)
  const read = (): void => {
    // reads nothing beyond the limit: a client that reads while it writes receives the response; any other client is cut off
    while (socket.bytesRead <= most && request.read() !== null);
  }
  socket.once('close', () => clearTimeout(timer))
  request.once('end', () => {
    clearTimeout(timer)
    Reflect.deleteProperty(socket, 'destroySoon')
    if (isLast) socket.destroy()
  })
  request.on('readable', read)
  read()
}

/**
 * Sends `100 Continue` only when the body is first read. A request with `Expect: 100-continue` whose body is not needed receives its
 * response first, and the client does not have to send the body.
 */
export function inviteWhenRead(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const read = request._read
    request._read = size => {
      request._read = read
      if (!response.headersSent) response.writeContinue()
      request._read(size)
    }
    server.emit('request', request, response)
  })
}
