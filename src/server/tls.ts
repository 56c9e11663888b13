/** The certificate and key that a server speaks TLS with: read, and checked to belong together, before it listens. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ServiceError } from '../core/errors.ts'

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
