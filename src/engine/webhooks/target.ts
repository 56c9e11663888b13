/** Where webhooks may go, by the words of the address alone: https to public hosts, and this machine under its three plain names. */
import ipaddr from 'ipaddr.js'
import type { UrlSetBy } from '../../store/webhook.ts'
import type { EngineContext } from '../context.ts'
import { type AddressKind, addressKind } from './address-kind.ts'

export interface TargetOptions {
  /** Private networks may be reached too (`svc serve --allow-private-targets`), by plain http as well. */
  readonly allowPrivate: boolean
  /** This machine may be reached, under its three plain names; with `allowPrivate` under any that leads here. */
  readonly allowLoopback: boolean
}

const MOST_URL_CHARACTERS = 2_048
/** The spellings of this machine. */
const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Where the URLs may lead that such a caller sets. Who has no operator's key must not reach the services of this machine. */
export function targetOptions(
  { allowPrivateTargets, loopbackTargets }: Pick<EngineContext, 'allowPrivateTargets' | 'loopbackTargets'>,
  urlSetBy: UrlSetBy | null,
): TargetOptions {
  const allowLoopback = loopbackTargets === 'any' || (loopbackTargets === 'operator' && urlSetBy === 'operator')
  return { allowPrivate: allowPrivateTargets, allowLoopback }
}

/** Why webhooks may not go there, as the end of a sentence that begins with the field's name; null: they may. */
export function targetProblem(text: string, options: TargetOptions): string | null {
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
  if (LOOPBACK_NAMES.has(url.hostname)) {
    return options.allowLoopback ? null : `leads to this machine, ${NO_WAY}; ${HOW_TO_ALLOW_LOOPBACK}`
  }
  const address = literalAddress(url.hostname)
  const kind = address === null ? null : addressKind(address)
  const outOfBounds = kind === null ? null : kindProblem(kind, options)
  if (outOfBounds !== null) return `is ${outOfBounds}`
  if (url.protocol === 'http:' && !(options.allowPrivate && kind?.kind !== 'public')) {
    return 'must begin with https: plain http goes to localhost, 127.0.0.1 and [::1] alone'
  }
  return null
}

const NO_WAY = 'where webhooks do not go'
const HOW_TO_ALLOW_PRIVATE =
  'SVC_ALLOW_PRIVATE_TARGETS=1, or `svc serve --allow-private-targets` for that server, allows private networks'
const HOW_TO_ALLOW_LOOPBACK =
  "it is allowed where an operator's key sets the URL and the server is bound to loopback, or with `svc serve --allow-loopback-targets`"

/** What the address is and why webhooks do not go there, with the remedy but without the address; null: they do. */
export function kindProblem(
  { kind, words }: AddressKind,
  { allowPrivate, allowLoopback }: TargetOptions,
): string | null {
  if (kind === 'public') return null
  if (kind === 'refused') return `${words}, ${NO_WAY}`
  if (kind === 'loopback' && !allowLoopback) return `${words}, ${NO_WAY}; ${HOW_TO_ALLOW_LOOPBACK}`
  return allowPrivate ? null : `${words}, ${NO_WAY}; ${HOW_TO_ALLOW_PRIVATE}`
}

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
