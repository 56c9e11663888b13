/** Determines a request's client: its connection's peer, or the address that a trusted proxy reports in X-Forwarded-For. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { ServiceError } from '../../core/errors.ts'

export class ClientAddresses {
  /** Whether any proxy is trusted at all. */
  readonly hasProxies: boolean
  private readonly proxies = new BlockList()

  /** `proxies` contains addresses and CIDR ranges. Throws ServiceError `usage` for anything else. */
  constructor(proxies: readonly string[]) {
    this.hasProxies = proxies.length > 0
    for (const proxy of proxies) addRange(this.proxies, proxy)
  }

  /**
   * Returns the client's address. If the peer is a trusted proxy, this is the rightmost address in its header that is not itself a trusted
   * proxy, because the client may have forged anything further left. If the peer is not trusted, or the header contains anything that is
   * not an address, it is the peer's address.
   */
  of({ socket, headers }: IncomingMessage): string {
    const peer = socket.remoteAddress ?? ''
    const named = this.hasProxies ? headers['x-forwarded-for'] : undefined
    if (named === undefined || !this.isProxy(peer)) return peer
    let client = peer
    for (const hop of [named].flat().join(',').split(',').reverse()) {
      const address = hop.trim()
      if (isIP(address) === 0) return peer
      client = address
      if (!this.isProxy(address)) break
    }
    return client
  }

  isProxy(address: string): boolean {
    return this.hasProxies && isIn(this.proxies, address)
  }
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Returns whether an address belongs to this machine, where all clients share one address. */
export function isLoopbackAddress(address: string): boolean {
  return isIn(LOOPBACK, address)
}

/**
 * Returns the network that counts as one client. For IPv6, this is the first four groups (a /64), because one subscriber has all addresses
 * in it. An IPv4 address counts as IPv4 in every notation.
 */
export function clientNetwork(address: string): string {
  const plain = withoutZone(address).toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  if (isIP(plain) !== 6) return plain
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':')
    while (groups.length + after.length < 8) groups.push('0')
    groups.push(...after)
  }
  const network = groups.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16))
  return network.join(':')
}

/** Returns whether the list contains an address. An IPv4 address written as IPv6 matches IPv4 ranges. */
function isIn(list: BlockList, address: string): boolean {
  const plain = withoutZone(address)
  const family = isIP(plain)
  return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6')
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '')
}

function addRange(list: BlockList, text: string): void {
  const [address = '', bits, ...rest] = text.trim().split('/')
  const family = isIP(address)
  const most = family === 4 ? 32 : 128
  const isLength = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
  if (family === 0 || address.includes('%') || !isLength || rest.length > 0) {
    throw new ServiceError(
      'usage',
      `--trust-proxy takes IP addresses and CIDR ranges. ${JSON.stringify(text)} is neither.`,
      {
        suggestions: [
          'Examples: 10.0.0.5, 10.0.0.0/8, ::1, fd00::/8. Repeat the option, or separate the values with commas.',
        ],
      },
    )
  }
  list.addSubnet(address, bits === undefined ? most : Number(bits), family === 4 ? 'ipv4' : 'ipv6')
}
