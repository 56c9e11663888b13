/** What becomes of a body that an answer did not wait for: a little of it is still taken, then the connection is closed. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Taken after the answer is out. A caller who writes all before it reads gets the answer, or a closed connection. */
export const MOST_UNREAD_BYTES = 256 * 1024
export const MOST_UNREAD_MS = 1_000

/**
 * Whether more of the body is still to come than is taken: the answer that goes out now says that it is the last one of its
 * connection.
 */
export function isUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding !== undefined || Number(length ?? 0) > MOST_UNREAD_BYTES
}

/** To be called before a request is handled. */
export function boundUnread(request: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (length === undefined && encoding === undefined) return
  // before Node's own listener: it would read on without a bound, or not at all where a part was read
  response.prependListener('finish', () => {
    if (!request.complete) drain(request)
  })
}

function drain(request: IncomingMessage): void {
  const { socket } = request
  const most = socket.bytesRead + MOST_UNREAD_BYTES
  let isLast = false
  // after a last answer Node closes at once, and what arrives at a closed connection takes the answer back
  socket.destroySoon = () => {
    isLast = true
    socket.end()
  }
  const timer = setTimeout(() => socket.destroy(), MOST_UNREAD_MS)
  const read = (): void => {
    // beyond it nothing is read: who reads while it writes sees the answer and goes, who does not is cut off
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
 * Who sent `Expect: 100-continue` is asked for the body when somebody begins to read it: an answer that needs none comes first, and
 * nothing is sent in vain.
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
