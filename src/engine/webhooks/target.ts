/**
 * Decides, based only on the text of the URL, where webhooks can be sent: to public hosts over https, and to this machine under its three
 * plain names.
 */

import ipaddr from 'ipaddr.js'
import { parseUrl } from '../../core/web-host.ts'
import type { UrlSetBy } from '../../store/webhook.ts'
import type { EngineContext } from '../context.ts'
import { type AddressKind, addressKind } from './address-kind.ts'

export interface TargetOptions {
  /** Whether webhooks can be sent to private networks (`svc serve --allow-private-targets`), also over plain http. */
  readonly allowPrivate: boolean
  /**
   * Whether webhooks can be sent to this machine under its three plain names, and with `allowPrivate` under any name that resolves to it.
   */
  readonly allowLoopback: boolean
}

const MOST_URL_CHARACTERS = 2_048
/** The names under which this machine is allowed. */
const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Returns the rules for URLs set by a caller of this kind. Without an operator's key, a caller must not reach this machine's services. */
export function targetOptions(
  { allowPrivateTargets, loopbackTargets }: Pick<EngineContext, 'allowPrivateTargets' | 'loopbackTargets'>,
  urlSetBy: UrlSetBy | null,
): TargetOptions {
  const allowLoopback = loopbackTargets === 'any' || (loopbackTargets === 'operator' && urlSetBy === 'operator')
  return { allowPrivate: allowPrivateTargets, allowLoopback }
}

/** Returns why webhooks cannot be sent to a URL, as the end of a sentence that begins with the field name, or null if they can. */
export function targetProblem(text: string, options: TargetOptions): string | null {
  if (text.length > MOST_URL_CHARACTERS) return `must not be longer than ${MOST_URL_CHARACTERS} characters`
  // the parser accepts backslashes, spaces and line breaks, which another parser might interpret differently
  const authority = /^https?:\/\/([^/?#\\\s]+)(?=[/?#]|$)/i.exec(text)?.[1]
  const url = /[\s\\]/.test(text) ? null : parseUrl(text)
  if (authority === undefined || url === null) return 'must be a URL, such as https://example.com/hooks'
  if (url.username !== '' || url.password !== '' || authority.includes('@')) {
    return 'must not contain a user name or password. Requests are signed, which shows who they are from'
  }
  if (text.includes('#')) return 'must not contain a fragment (#…), because it is never sent'
  if (url.port === '0') return 'must not have port 0'
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
    return 'must begin with https: plain http is only for this machine (localhost, 127.0.0.1, [::1]) and, if allowed, private networks'
  }
  return null
}

const NO_WAY = 'to which webhooks are not sent'
const HOW_TO_ALLOW_PRIVATE =
  'to allow private networks, set SVC_ALLOW_PRIVATE_TARGETS=1, or run that server with `svc serve --allow-private-targets`'
const HOW_TO_ALLOW_LOOPBACK =
  "to allow it, set the URL with an operator's key on a server that is bound to loopback, or run `svc serve --allow-loopback-targets`"

/** Returns the kind of address and why webhooks are not sent to it, with the remedy but without the address, or null if they are sent. */
export function kindProblem(
  { kind, words }: AddressKind,
  { allowPrivate, allowLoopback }: TargetOptions,
): string | null {
  if (kind === 'public') return null
  if (kind === 'refused') return `${words}, ${NO_WAY}`
  if (kind === 'loopback' && !allowLoopback) return `${words}, ${NO_WAY}; ${HOW_TO_ALLOW_LOOPBACK}`
  return allowPrivate ? null : `${words}, ${NO_WAY}; ${HOW_TO_ALLOW_PRIVATE}`
}

/** Returns a numeric address without brackets, or null if the host is a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare) ? bare : null
}

/**
 * Returns the problem with a host, or null if there is none. An address is accepted only in the spelling of the URL parser. Spellings such
 * as 127.1, 0x7f000001 or 2130706433 are refused.
 */
function hostProblem(written: string, parsed: string): string | null {
  if (parsed.endsWith('.')) return 'must not have a host that ends with a dot'
  if (parsed.endsWith('.localhost')) return 'must name this machine as localhost, 127.0.0.1 or [::1]'
  if (written === parsed) return null
  const address = literalAddress(parsed)
  const kind = address === null ? null : addressKind(address)
  if (kind?.kind === 'refused') return `is ${kind.words}, to which webhooks are not sent`
  if (kind !== null || LOOPBACK_NAMES.has(parsed)) {
    return `must have its address written as ${parsed}; no other spelling is accepted`
  }
  // non-ASCII letters are the display form of a name, and a percent sign hides a name
  return /[^\u0020-\u007e]/.test(written) ? null : `must have its host written as ${parsed}`
}
