/** Where webhooks may go, by the words of the address alone: https to public hosts, and this machine under its three plain names. */
import ipaddr from 'ipaddr.js'

export interface TargetOptions {
  /** Private networks may be reached too (`svc serve --allow-private-targets`), by plain http as well. */
  readonly allowPrivate: boolean
}

const MOST_URL_CHARACTERS = 2_048
/** The spellings of this machine that are always allowed. */
const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Public by its number, but the metadata service of a cloud. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16'])
/** Ranges that `allowPrivate` opens; what is not among them (multicast, unspecified …) is nobody's address. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'linkLocal',
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
  linkLocal: 'a link-local address, where metadata services are',
  metadata: 'the address of a metadata service',
  multicast: 'a multicast address',
  unspecified: 'no address of a host',
  ipv4Mapped: 'an IPv4 address in the form of an IPv6 one',
}

export type AddressKind = 'public' | 'private' | 'loopback' | 'refused'

/** What kind of address it is, in words; of one that carries an IPv4 address behind a translator, what that is. */
export function addressKind(address: string): { readonly kind: AddressKind; readonly words: string } {
  const parsed = ipaddr.parse(address)
  // 64:ff9b::/96: what a resolver makes of IPv4 names where there is IPv6 alone
  if (parsed.range() === 'rfc6052' && address.toLowerCase().startsWith('64:ff9b::')) {
    return addressKind(ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString())
  }
  const range = METADATA_ADDRESSES.has(parsed.toString()) ? 'metadata' : parsed.range()
  const words = RANGE_WORDS[range] ?? 'an address for special use'
  // of IPv6, 2000::/3 alone is given out: what lies beside it carries an IPv4 address, or nothing
  const isGivenOut = parsed.kind() === 'ipv4' || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20
  if (range === 'unicast' && isGivenOut) return { kind: 'public', words: 'a public address' }
  if (range === 'loopback') return { kind: 'loopback', words }
  return { kind: range === 'metadata' || PRIVATE_RANGES.has(range) ? 'private' : 'refused', words }
}

/** Why webhooks may not go there, as the end of a sentence that begins with the field's name; null: they may. */
export function targetProblem(text: string, { allowPrivate }: TargetOptions): string | null {
  if (text.length > MOST_URL_CHARACTERS) return `must not be longer than ${MOST_URL_CHARACTERS} characters`
  // the parser forgives backslashes, spaces and line breaks: what it forgives somebody else may read otherwise
  const authority = /^https?:\/\/([^/?#\\\s]+)(?=[/?#]|$)/i.exec(text)?.[1]
  const url = URL.canParse(text) && !/[\s\\]/.test(text) ? new URL(text) : null
  if (authority === undefined || url === null) return 'must be a URL, such as https://example.com/hooks'
  if (url.username !== '' || url.password !== '' || authority.includes('@')) {
    return 'must not hold a user name or password: requests are signed, and so it is known who they are from'
  }
  if (text.includes('#')) return 'must not hold a fragment (#…): it is never sent'
  if (url.port === '0') return 'must not name port 0'
  const host = authority.replace(/:\d*$/, '').toLowerCase()
  const problem = hostProblem(host, url.hostname)
  if (problem !== null) return problem
  if (LOOPBACK_NAMES.has(url.hostname)) return null
  const address = literalAddress(url.hostname)
  const kind = address === null ? null : addressKind(address)
  if (kind !== null && kind.kind !== 'public' && !(allowPrivate && kind.kind !== 'refused')) {
    return `is ${kind.words}, where webhooks do not go${allowPrivate ? '' : `; ${HOW_TO_ALLOW}`}`
  }
  if (url.protocol === 'http:' && !(allowPrivate && kind?.kind !== 'public')) {
    return 'must begin with https: plain http goes to localhost, 127.0.0.1 and [::1] alone'
  }
  return null
}

/** Ends a refusal of a private address. */
export const HOW_TO_ALLOW =
  'SVC_ALLOW_PRIVATE_TARGETS=1, or `svc serve --allow-private-targets` for that server, allows private networks'

/** An address written in digits, without brackets; null: it is a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare) ? bare : null
}

/** Every address has one spelling here, the URL parser's: 127.1, 0x7f000001, 2130706433 and the like are refused. */
function hostProblem(written: string, parsed: string): string | null {
  if (parsed.endsWith('.')) return 'must not end its host with a dot'
  if (parsed.endsWith('.localhost')) return 'must name this machine as localhost, 127.0.0.1 or [::1]'
  if (written === parsed) return null
  const address = literalAddress(parsed)
  const kind = address === null ? null : addressKind(address)
  if (kind?.kind === 'refused') return `is ${kind.words}, where webhooks do not go`
  if (kind !== null || LOOPBACK_NAMES.has(parsed)) {
    return `must spell its address ${parsed}: no other spelling of it is taken`
  }
  // letters beyond ASCII are a name as people write it; a percent sign hides one
  return /[^\u0020-\u007e]/.test(written) ? null : `must spell its host ${parsed}`
}
