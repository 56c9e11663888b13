/** Limits one client's requests in progress behind a proxy, where all connections belong to the proxy. */
import { ServiceError } from '../../core/errors.ts'
import { clientNetwork } from './client-address.ts'

export interface RequestLimits {
  /** Maximum number of concurrent requests, equal to the maximum number of connections. */
  readonly requests: number
  /** Limit for one client, once more than half of all slots are in use. */
  readonly perAddress: number
}

export class RequestShares {
  private readonly limits: RequestLimits
  private readonly ofNetwork = new Map<string, number>()
  private count = 0

  constructor(limits: RequestLimits) {
    this.limits = limits
  }

  began(address: string): void {
    const network = clientNetwork(address)
    this.count++
    this.ofNetwork.set(network, (this.ofNetwork.get(network) ?? 0) + 1)
  }

  ended(address: string): void {
    const network = clientNetwork(address)
    this.count--
    const left = (this.ofNetwork.get(network) ?? 0) - 1
    if (left > 0) this.ofNetwork.set(network, left)
    else this.ofNetwork.delete(network)
  }

  /** Throws ServiceError `rate_limited` (429, with Retry-After) if a client has too many requests in progress. */
  check(address: string): void {
    const { requests, perAddress } = this.limits
    if (this.count <= requests / 2 || (this.ofNetwork.get(clientNetwork(address)) ?? 0) <= perAddress) return
    throw new ServiceError(
      'rate_limited',
      `Too many requests from this address at once: at most ${perAddress} are allowed at the moment.`,
      {
        headers: { 'retry-after': '1' },
      },
    )
  }
}
