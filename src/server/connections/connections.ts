/**
 * Manages a server's connections. If there are too many, closes the one that has kept the server waiting longest, whether it is silent, in
 * the middle of a handshake, headers or a body, or idle between two requests. A new connection has not kept the server waiting yet, so a
 * client can always send its request. A request that has arrived completely always receives a response.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

export interface ConnectionLimits {
  readonly connections: number
  /** Limit for one client address, once more than half of all connections are in use. */
  readonly perAddress: number
  /** Maximum number of concurrent TLS handshakes. */
  readonly handshakes: number
}

/** Number of bytes of a body after which the connection may wait as long again, so that a large upload is not closed for being slow. */
const WORTH_BYTES = 4096
/** Factor by which a connection may wait longer after its first request. */
const KEPT_FACTOR = 16

interface Connection {
  readonly accepted: Socket
  /** The socket that requests arrive on. With TLS, it differs from the accepted one. */
  socket: Socket
  /** Key of the client whose limit applies to the connection, or null. */
  readonly share: string | null
  /** Peer address and port, which are the same for both sockets of a TLS connection. */
  readonly peer: string
  /** `fresh`: no request yet. `kept`: idle between two requests. `busy`: a request is in progress. */
  state: 'fresh' | 'kept' | 'busy'
  requests: number
  /** The latest request; absent if it has no body. */
  receiving: IncomingMessage | undefined
  /** When this state, or the latest request with a body, began. */
  since: number
  /** Number of bytes that had arrived when `since` was set. */
  readBytes: number
}

export class Connections {
  private readonly limits: ConnectionLimits
  private readonly clientShare: (address: string) => string | null
  private readonly onClosed: () => void
  private readonly bySocket = new Map<Socket, Connection>()
  /** Open connections, oldest first. */
  private readonly open = new Set<Connection>()
  /** Connections in a TLS handshake, by peer, oldest first. */
  private readonly handshakes = new Map<string, Connection>()
  private readonly ofShare = new Map<string, number>()

  /**
   * `shareOf` returns the key of the client whose limit applies to an address, or null for an address that many clients use. `onClosed` is
   * called for each connection that is closed because there are too many.
   */
  constructor(limits: ConnectionLimits, shareOf: (address: string) => string | null, onClosed = (): void => {}) {
    this.limits = limits
    this.clientShare = shareOf
    this.onClosed = onClosed
  }

  /** Starts watching a server. Call it before the server listens. */
  watch(server: Server, isTls: boolean): void {
    server.on('connection', socket => this.accept(socket, isTls))
    if (!isTls) return
    server.on('secureConnection', socket => this.secure(socket))
    // a failed handshake has no HTTP request to respond to: the response in client-error.ts would wait for keys and prevent the connection
    // and the server from closing
    server.on('tlsClientError', (_error, socket) => socket.destroy())
  }

  get count(): number {
    return this.open.size
  }

  /** Call this when a request's headers have arrived. It runs for every request, so it must be fast. */
  began(request: IncomingMessage): void {
    const connection = this.bySocket.get(request.socket)
    if (connection === undefined) return
    connection.state = 'busy'
    connection.requests++
    if (!hasBody(request)) return
    connection.receiving = request
    connection.since = performance.now()
    connection.readBytes = connection.socket.bytesRead
  }

  /** Call this when the response to a request is sent or the caller has disconnected. */
  ended(socket: Socket): void {
    const connection = this.bySocket.get(socket)
    if (connection === undefined || --connection.requests > 0) return
    connection.state = 'kept'
    connection.receiving = undefined
    connection.since = performance.now()
  }

  private accept(socket: Socket, isTls: boolean): void {
    const { remoteAddress, remotePort } = socket
    if (remoteAddress === undefined) return
    const share = this.clientShare(remoteAddress)
    if (!this.makeRoom(share)) {
      this.onClosed()
      socket.destroy()
      return
    }
    const peer = `${remoteAddress} ${remotePort}`
    const accepted = { accepted: socket, socket, share, peer }
    const since = performance.now()
    const connection: Connection = {
      ...accepted,
      state: 'fresh',
      requests: 0,
      receiving: undefined,
      since,
      readBytes: 0,
    }
    this.bySocket.set(socket, connection)
    this.open.add(connection)
    this.countShare(share, 1)
    if (isTls) this.handshakes.set(peer, connection)
    socket.once('close', () => this.forget(connection))
    const oldest = this.handshakes.size > this.limits.handshakes ? this.handshakes.values().next().value : undefined
    if (oldest !== undefined) this.close(oldest)
  }

  /** Handles a completed handshake. */
  private secure(socket: TLSSocket): void {
    const peer = `${socket.remoteAddress} ${socket.remotePort}`
    const connection = this.handshakes.get(peer)
    if (connection === undefined) return
    this.handshakes.delete(peer)
    connection.socket = socket
    this.bySocket.set(socket, connection)
  }

  /** Returns whether the client may have another connection; closes one of its connections if necessary. */
  private makeRoom(share: string | null): boolean {
    const { connections, perAddress } = this.limits
    const isShort = this.count >= connections / 2
    if (share !== null && isShort && (this.ofShare.get(share) ?? 0) >= perAddress) {
      return this.closeOne(each => each.share === share)
    }
    return this.count < connections || this.closeOne(() => true)
  }

  /** Closes the matching connection that has kept the server waiting longest. Returns whether there was such a connection. */
  private closeOne(isMeant: (connection: Connection) => boolean): boolean {
    const now = performance.now()
    let worst: Connection | undefined
    let longestMs = -1
    for (const connection of this.open) {
      // most connections are younger than the worst one so far, so they can be skipped
      if (now - connection.since <= longestMs || !isMeant(connection)) continue
      const ms = waitedMs(connection, now)
      if (ms <= longestMs) continue
      worst = connection
      longestMs = ms
    }
    if (worst !== undefined) this.close(worst)
    return worst !== undefined
  }

  private close(connection: Connection): void {
    this.onClosed()
    this.forget(connection)
    connection.socket.destroy()
    connection.accepted.destroy()
  }

  private forget(connection: Connection): void {
    if (!this.bySocket.delete(connection.accepted)) return
    this.bySocket.delete(connection.socket)
    this.open.delete(connection)
    if (this.handshakes.get(connection.peer) === connection) this.handshakes.delete(connection.peer)
    this.countShare(connection.share, -1)
  }

  private countShare(share: string | null, change: number): void {
    if (share === null) return
    const count = (this.ofShare.get(share) ?? 0) + change
    if (count === 0) this.ofShare.delete(share)
    else this.ofShare.set(share, count)
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Returns the weighted time that the server has waited for the client, or -1 if the client waits for the server. */
function waitedMs({ state, receiving, socket, since, readBytes }: Connection, now: number): number {
  const ms = now - since
  if (state === 'fresh') return ms
  if (state === 'kept') return ms / KEPT_FACTOR
  if (receiving === undefined || receiving.complete) return -1
  return ms / (1 + (socket.bytesRead - readBytes) / WORTH_BYTES)
}
