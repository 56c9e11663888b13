/** The certificate and key that a server speaks TLS with: read, and checked to belong together, before it listens. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TlsOptions } from 'node:tls'
import { ServiceError } from '../../core/errors.ts'
import { HANDSHAKE_TIMEOUT_MS } from '../guards/limits.ts'

/**
 * What is offered: every suite makes keys of its own for each connection, so that a key that is stolen later opens no connection
 * that was recorded before.
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
  /** When it ceases to be valid. */
  readonly validTo: Date
}

/** What a server that speaks TLS is made with. */
export function secureTransport({ cert, key }: TlsPair): TlsOptions {
  return { cert, key, minVersion: 'TLSv1.2', ciphers: CIPHERS, handshakeTimeout: HANDSHAKE_TIMEOUT_MS }
}

/** Throws ServiceError `usage`, which holds nothing of either file. */
export function readTlsPair(files: TlsFiles): TlsPair {
  const [cert, key] = [readPem(files.cert, '--tls-cert'), readPem(files.key, '--tls-key')]
  const certificate = parsed(() => new X509Certificate(cert), `${files.cert} is not a certificate in PEM.`)
  const secret = parsed(
    () => createPrivateKey(key),
    `${files.key} is not a private key in PEM, or it needs a passphrase.`,
  )
  if (!certificate.checkPrivateKey(secret)) {
    throw new ServiceError('usage', `${files.key} is not the key of the certificate in ${files.cert}.`)
  }
  return { cert, key, validTo: new Date(certificate.validTo) }
}

function readPem(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'an unknown error'
    throw new ServiceError('usage', `The file of ${flag} cannot be read (${code}): ${path}`, { cause })
  }
}

function parsed<T>(parse: () => T, message: string): T {
  try {
    return parse()
  } catch {
    // the parser's words may hold a part of the file
    throw new ServiceError('usage', message)
  }
}
