/** Explains why there was no response to a webhook: the kind of failure, and a text that helps the endpoint's owner fix it. */
import { TargetRefused } from './target.ts'

/** The kind of failure: no connection was made, it was closed too early, there was no response in time, or something else. */
export type FailureKind = 'unreachable' | 'closed' | 'timeout' | 'other'

export interface Failure {
  readonly kind: FailureKind
  /** One line, which does not quote the response. */
  readonly words: string
}

const CLOSED = 'the connection was closed before a response arrived'
const NO_ROUTE = 'there is no route to the host'
const SLOW_CONNECT = 'connecting took too long'
const UNTRUSTED = 'its certificate is signed by an authority that is not trusted'

const FAILURES: Readonly<Record<string, readonly [FailureKind, string]>> = {
  ECONNREFUSED: ['unreachable', 'nothing listens there: the connection was refused'],
  ECONNRESET: ['closed', CLOSED],
  EPIPE: ['closed', CLOSED],
  UND_ERR_SOCKET: ['closed', CLOSED],
  ENOTFOUND: ['unreachable', 'the host name does not resolve'],
  EAI_AGAIN: ['unreachable', 'the host name does not resolve at the moment'],
  EHOSTUNREACH: ['unreachable', NO_ROUTE],
  ENETUNREACH: ['unreachable', NO_ROUTE],
  ETIMEDOUT: ['unreachable', SLOW_CONNECT],
  UND_ERR_CONNECT_TIMEOUT: ['unreachable', SLOW_CONNECT],
  EMFILE: ['other', 'this machine has no file descriptors left'],
  ENFILE: ['other', 'this machine has no file descriptors left'],
  EADDRNOTAVAIL: ['unreachable', 'this machine has no ports left'],
  UND_ERR_HEADERS_OVERFLOW: ['other', 'the response headers are too long'],
  CERT_HAS_EXPIRED: ['other', 'its certificate has expired'],
  CERT_NOT_YET_VALID: ['other', 'its certificate is not valid yet'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['other', 'its certificate is self-signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['other', UNTRUSTED],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['other', 'its certificate came without the chain to a trusted authority'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['other', UNTRUSTED],
  ERR_TLS_CERT_ALTNAME_INVALID: ['other', 'its certificate is for another host name'],
}

export function failureFrom(error: unknown): Failure {
  if (error instanceof TargetRefused) return { kind: 'other', words: error.message }
  const code = findCode(error)
  const [kind, words] = FAILURES[code] ?? ['other', otherWords(error, code)]
  return { kind, words }
}

function otherWords(error: unknown, code: string): string {
  if (code.startsWith('HPE_') || isNoHttp(error)) return 'the response is not HTTP'
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return `TLS failed (${code})`
  return code === '' ? 'the connection failed' : `the connection failed (${code})`
}

/** Returns whether the response is not HTTP. The response parser does not always set a code. */
function isNoHttp(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError'
}

/** Returns the code of the error, or of the first cause that has one. */
function findCode(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 4) return ''
  // Happy Eyeballs: one error per address
  if (error instanceof AggregateError && error.errors.length > 0) return findCode(error.errors[0], depth + 1)
  const own = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const deeper = own === '' || own === 'UND_ERR_SOCKET' ? findCode(error.cause, depth + 1) : ''
  return deeper === '' ? own : deeper
}
