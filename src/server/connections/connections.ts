/**
 * The connections of a server, and which of them is closed when there are too many: the one that has kept the server waiting
 * longest, whether it is silent, in the middle of a handshake, headers or a body, or between two requests. A new one has not
 * waited yet, so that whoever has a request gets to send it. A request that is there as a whole is answered.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

export interface ConnectionLimits {
  readonly connections: number
  /** Of one address, once more than half of all are used. */
  readonly perAddress: number
  /** TLS handshakes at once. */
  readonly handshakes: number
}

/** So much more of a body makes up for waiting twice as long: a large upload is not closed for being long. */
const WORTH_BYTES = 4096
/** So many times as long may a connection wait that had a request before. */
const KEPT_FACTOR = 16

interface Connection {
  readonly accepted: Socket
  /** What requests come over: with TLS another one than was accepted. */
  socket: Socket
  /** Whose share it counts against, if anybody's. */
  readonly share: string | null
  /** Peer and port: what the two sockets of a TLS connection have in common. */
  readonly peer: string
  /** `fresh`: without a request so far. `kept`: between two. `busy`: one is under way. */
  state: 'fresh' | 'kept' | 'busy'
  requests: number
  /** The request that began last, if it has a body. */
  receiving: IncomingMessage | undefined
  /** When the state began, or that request. */
  since: number
  /** What had arrived by then. */
  readBytes: number
}

export class Connections {
  private readonly limits: ConnectionLimits
  private readonly shareOf: (address: string) => string | null
  private readonly onClosed: () => void
  private readonly bySocket = new Map<Socket, Connection>()
  /** Oldest first. */
  private readonly open = new Set<Connection>()
  /** By peer, oldest first. */
  private readonly handshakes = new Map<string, Connection>()
  private readonly ofShare = new Map<string, number>()

  /**
   * `shareOf`: whose share an address counts against; null: nobody's, because many clients have it.
   * `onClosed` is told of each that is closed because there are too many.
   */
  constructor(limits: ConnectionLimits, shareOf: (address: string) => string | null, onClosed = (): void => {}) {
    this.limits = limits
    this.shareOf = shareOf
    this.onClosed = onClosed
  }

  /** Looks after a server that does not listen yet. */
  watch(server: Server, isTls: boolean): void {
    server.on('connection', socket => this.accept(socket, isTls))
    if (isTls) server.on('secureConnection', socket => this.secure(socket))
  }

  get count(): number {
    return this.open.size
  }

  /** The headers of a request are there. What is done here is done for every request. */
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

  /** The answer to a request is out, or its caller left. */
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
    const share = this.shareOf(remoteAddress)
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

  /** The handshake is done. */
  private secure(socket: TLSSocket): void {
    const peer = `${socket.remoteAddress} ${socket.remotePort}`
    const connection = this.handshakes.get(peer)
    if (connection === undefined) return
    this.handshakes.delete(peer)
    connection.socket = socket
    this.bySocket.set(socket, connection)
  }

  /** Whether there is a slot for one more of the share, after another was closed where need be. */
  private makeRoom(share: string | null): boolean {
    const { connections, perAddress } = this.limits
    const isShort = this.count >= connections / 2
    if (share !== null && isShort && (this.ofShare.get(share) ?? 0) >= perAddress) {
      return this.closeOne(each => each.share === share)
    }
    return this.count < connections || this.closeOne(() => true)
  }

  /** Closes the one of those that are meant which kept the server waiting longest; whether there was any. */
  private closeOne(isMeant: (connection: Connection) => boolean): boolean {
    const now = performance.now()
    let worst: Connection | undefined
    let longestMs = -1
    for (const connection of this.open) {
      // most are not worse by age alone, and need no closer look
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

/** How long the server has waited for the client, as it counts; -1 where the client waits for the server. */
function waitedMs({ state, receiving, socket, since, readBytes }: Connection, now: number): number {
  const ms = now - since
  if (state === 'fresh') return ms
  if (state === 'kept') return ms / KEPT_FACTOR
  if (receiving === undefined || receiving.complete) return -1
  return ms / (1 + (socket.bytesRead - readBytes) / WORTH_BYTES)
}
