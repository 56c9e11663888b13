/** Classifies the address to which a webhook would be sent: public, private, this machine, or never allowed. */
import ipaddr from 'ipaddr.js'

/**
 * Metadata services outside the link-local ranges. They give the machine's credentials to any process on it. Each range comes from the
 * cloud provider's documentation.
 */
const METADATA_RANGES = [
  '100.100.100.200/32', // Alibaba Cloud
  '168.63.129.16/32', // Azure, WireServer
  '192.0.0.0/24', // Oracle Cloud Classic at .192; RFC 6890 keeps the range for protocols
  'fd00:ec2::/32', // AWS: metadata at ::254, credentials of EKS pods at ::23
  'fd00:42::42/128', // Scaleway
  'fd00:100::100:200/128', // Alibaba Cloud
  'fd00:a9fe:a9fe::1/128', // Linode
  'fd00:c1::a9fe:a9fe/128', // Oracle Cloud
  'fd20:ce::254/128', // Google Cloud
].map(range => ipaddr.parseCIDR(range))

/** Private network ranges. A range that is not in any of these sets (multicast, unspecified …) is not a host address. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'carrierGradeNat',
  'uniqueLocal',
  'deprecatedSiteLocal',
  'reserved',
  'benchmarking',
])
const RANGE_WORDS: Readonly<Record<string, string>> = {
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a private address',
  carrierGradeNat: 'a private address',
  loopback: 'a loopback address',
  linkLocal: 'a link-local address, as metadata services have',
  metadata: 'the address of a metadata service',
  multicast: 'a multicast address',
  unspecified: 'the unspecified address',
  ipv4Mapped: 'an IPv4 address written as IPv6',
  isatap: 'an IPv4 address written as IPv6',
}

export interface AddressKind {
  /** `refused` means that no setting allows the address. */
  readonly kind: 'public' | 'private' | 'loopback' | 'refused'
  /** A description that does not contain the address. */
  readonly words: string
}

/**
 * Returns the kind of a numeric address. An IPv6 address that contains an IPv4 address is refused, except for NAT64 of a public address.
 */
export function addressKind(address: string): AddressKind {
  const parsed = ipaddr.parse(address)
  const bytes = parsed.toByteArray()
  const isV6 = parsed.kind() === 'ipv6'
  // 64:ff9b::/96: resolvers return this form for IPv4 names in an IPv6-only network. RFC 6052 allows it only for public addresses
  if (parsed.range() === 'rfc6052' && bytes.slice(4, 12).every(byte => byte === 0)) {
    const carried = addressKind(ipaddr.fromByteArray(bytes.slice(12)).toString())
    return carried.kind === 'public' ? carried : { kind: 'refused', words: `the NAT64 form of ${carried.words}` }
  }
  const range = isV6 && isIsatap(bytes) ? 'isatap' : isMetadata(parsed) ? 'metadata' : parsed.range()
  const words = RANGE_WORDS[range] ?? 'an address for special use'
  // only 2000::/3 is allocated in IPv6: any other address contains an IPv4 address or is unused
  const isGivenOut = !isV6 || ((bytes[0] ?? 0) & 0xe0) === 0x20
  if (range === 'unicast' && isGivenOut) return { kind: 'public', words: 'a public address' }
  if (range === 'loopback') return { kind: 'loopback', words }
  return { kind: PRIVATE_RANGES.has(range) ? 'private' : 'refused', words }
}

/**
 * Returns whether the interface identifier is an ISATAP identifier under any prefix: `::0:5efe:a.b.c.d` or `::200:5efe:a.b.c.d` (RFC 5214).
 */
function isIsatap(bytes: readonly number[]): boolean {
  return (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
}

function isMetadata(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return METADATA_RANGES.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
}
