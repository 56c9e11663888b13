/** A server's TLS certificate and key. Both are read before the server listens, and checked to belong together. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TlsOptions } from 'node:tls'
import { ServiceError } from '../../core/errors.ts'
import { HANDSHAKE_TIMEOUT_MS } from '../guards/limits.ts'

/**
 * The offered cipher suites. Each suite uses new keys for every connection (forward secrecy), so that a key stolen later cannot decrypt
 * recorded connections.
 */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** Paths of PEM files: the certificate with its chain, and its key without a passphrase. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

export interface TlsPair {
  readonly cert: string
  readonly key: string
  /** When the certificate expires. */
  readonly validTo: Date
}

/** Returns the options for a server that speaks TLS. */
export function secureTransport({ cert, key }: TlsPair): TlsOptions {
  return { cert, key, minVersion: 'TLSv1.2', ciphers: CIPHERS, handshakeTimeout: HANDSHAKE_TIMEOUT_MS }
}

/** Reads the certificate and the key. Throws ServiceError `usage`, which does not quote either file. */
export function readTlsPair(files: TlsFiles): TlsPair {
  const [cert, key] = [readPem(files.cert, '--tls-cert'), readPem(files.key, '--tls-key')]
  const certificate = parsed(() => new X509Certificate(cert), `${files.cert} is not a PEM certificate.`)
  const secret = parsed(
    () => createPrivateKey(key),
    `${files.key} is not a PEM private key, or it has a passphrase. Use a key without one.`,
  )
  if (!certificate.checkPrivateKey(secret)) {
    throw new ServiceError('usage', `${files.key} is not the private key of the certificate in ${files.cert}.`)
  }
  return { cert, key, validTo: new Date(certificate.validTo) }
}

function readPem(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new ServiceError('usage', `The file given with ${flag} cannot be read (${code}): ${path}`, { cause })
  }
}

function parsed<T>(parse: () => T, message: string): T {
  try {
    return parse()
  } catch {
    // the parser's message may quote part of the file
    throw new ServiceError('usage', message)
  }
}
