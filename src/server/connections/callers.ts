/** Tracks every client that has an open connection or a request in progress, and limits both per client. */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, MAX_HANDSHAKES } from '../guards/limits.ts'
import { type ClientAddresses, clientNetwork, isLoopbackAddress } from './client-address.ts'
import { Connections } from './connections.ts'
import { RequestShares } from './request-shares.ts'

export interface CallersOptions {
  readonly isTls: boolean
  readonly note: (words: string) => void
}

const NOTE_EVERY_MS = 60_000

export class Callers {
  private readonly clients: ClientAddresses
  private readonly connections: Connections
  /** Null if each client has its own connections, because these are limited instead. */
  private readonly shares: RequestShares | null
  /** Requests that no longer count towards a client's limit. */
  private readonly left = new Set<IncomingMessage>()

  /** Create it before the server listens. `note` writes to the log. */
  constructor(server: Server, clients: ClientAddresses, { isTls, note }: CallersOptions) {
    this.clients = clients
    const perAddress = MAX_CONNECTIONS_PER_ADDRESS
    const limits = { perAddress, connections: MAX_CONNECTIONS, handshakes: MAX_HANDSHAKES }
    const shareOf = (address: string): string | null =>
      isLoopbackAddress(address) || clients.isProxy(address) ? null : clientNetwork(address)
    let notedAt = Number.NEGATIVE_INFINITY
    this.connections = new Connections(limits, shareOf, () => {
      const now = performance.now()
      if (now - notedAt < NOTE_EVERY_MS) return
      notedAt = now
      note(
        `${this.connections.count} connections are open: the server closes those that have kept it waiting longest to accept new ones`,
      )
    })
    this.connections.watch(server, isTls)
    this.shares = clients.hasProxies ? new RequestShares({ perAddress, requests: MAX_CONNECTIONS }) : null
  }

  /** Counts a request and returns its client's address. */
  began(request: IncomingMessage): string {
    this.connections.began(request)
    const address = this.clients.of(request)
    this.shares?.began(address)
    return address
  }

  /** Call this when the response is sent or the caller has disconnected. `address` is the value that `began` returned. */
  ended(request: IncomingMessage, socket: Socket, address: string): void {
    this.connections.ended(socket)
    if (!this.left.delete(request)) this.shares?.ended(address)
  }

  /** Stops counting a request towards its client's limit. Call this for a request that stays open for a long time. */
  leftShare(request: IncomingMessage, address: string): void {
    if (this.left.has(request)) return
    this.left.add(request)
    this.shares?.ended(address)
  }

  /** Throws ServiceError `rate_limited` if a client behind a proxy has too many requests in progress. */
  refuseOverShare(address: string): void {
    this.shares?.check(address)
  }
}
