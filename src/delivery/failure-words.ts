/** Explains why a webhook got no response, in words that tell the owner of the endpoint what to do. */
import { TargetRefused } from './target.ts'

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: the connection was refused',
  ECONNRESET: 'the connection was closed before a response arrived',
  EPIPE: 'the connection was closed before a response arrived',
  UND_ERR_SOCKET: 'the connection was closed before a response arrived',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve at the moment',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
  ETIMEDOUT: 'connecting took too long',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  EMFILE: 'this machine has no file descriptors left',
  ENFILE: 'this machine has no file descriptors left',
  EADDRNOTAVAIL: 'this machine has no ports left',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too long',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate came without the chain to a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an authority that is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
}

/** Returns one line that explains the error and contains nothing of the response. */
export function failureWords(error: unknown): string {
  if (error instanceof TargetRefused) return error.message
  const code = codeOf(error)
  const words = WORDS[code]
  if (words !== undefined) return words
  if (code.startsWith('HPE_') || isNoHttp(error)) return 'the response is not HTTP'
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return `TLS failed (${code})`
  return code === '' ? 'the connection failed' : `the connection failed (${code})`
}

/** The response parser does not always set a code. */
function isNoHttp(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError'
}

/** Returns the code of the error, or of the first cause that has one. */
function codeOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 4) return ''
  // happy eyeballs: one error per address
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0], depth + 1)
  const own = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const deeper = own === '' || own === 'UND_ERR_SOCKET' ? codeOf(error.cause, depth + 1) : ''
  return deeper === '' ? own : deeper
}
