/** Builds the driver's connection settings: host, user and TLS. */
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import type { ClientConfig } from 'pg'
import { ServiceError } from '../../core/errors.ts'
import type { StoreUrl } from '../../core/store-url.ts'

/** Returns the driver's settings for a URL with its password. Throws ServiceError `usage` if a certificate cannot be read. */
export function clientConfig(url: StoreUrl): ClientConfig {
  const { host, port, database, user, password } = url
  return {
    host,
    port,
    database,
    user,
    application_name: 'svc',
    // if there is no password, prevent the driver from reading the password file, in which withPassword has not found one
    password: password ?? (() => ''),
    // otherwise, PGSSLMODE would determine the options
    ssl: tlsOptions(url),
  }
}

/** Returns the TLS options. As in libpq, `require` checks the certificate if a trusted authority is given. */
function tlsOptions({ sslMode, sslRootCert, sslCert, sslKey }: StoreUrl): false | ConnectionOptions {
  if (sslMode === 'disable') return false
  return {
    rejectUnauthorized: sslMode !== 'require' || sslRootCert !== null,
    ...(sslRootCert === null ? {} : { ca: readPem(sslRootCert, 'sslrootcert') }),
    ...(sslCert === null ? {} : { cert: readPem(sslCert, 'sslcert') }),
    ...(sslKey === null ? {} : { key: readPem(sslKey, 'sslkey') }),
    ...(sslMode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
}

function readPem(file: string, parameter: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException // the error comes from node:fs
    throw new ServiceError(
      'usage',
      `The file ${file}, specified by ${parameter} in the store URL, cannot be read (${code}).`,
      {
        suggestions: ['Specify the absolute path of a PEM file.'],
        cause,
      },
    )
  }
}
