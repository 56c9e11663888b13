/** The URL of a PostgreSQL store: its allowed parts and its displayed form. */
import { ServiceError } from './errors.ts'

/** TLS modes, from no TLS to checking the server's certificate and name. */
export const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
export type SslMode = (typeof SSL_MODES)[number]

/** A parsed URL as plain data, because it is posted to threads. It may contain the password, so display only the result of `shownStore`. */
export interface StoreUrl {
  /** A name or an IP address; an IPv6 address has no brackets. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  /** Null if the password comes from elsewhere or the server does not require one. */
  readonly password: string | null
  readonly sslMode: SslMode
  /** Path of a PEM file with the certificates to trust; null for the certificates that Node trusts. */
  readonly sslRootCert: string | null
  /** PEM file paths of a client certificate and its key. Either both or neither are null. */
  readonly sslCert: string | null
  readonly sslKey: string | null
}

const DEFAULT_PORT = 5432
const FILE_PARAMETERS = ['sslrootcert', 'sslcert', 'sslkey'] as const
const PARAMETERS = ['sslmode', ...FILE_PARAMETERS]

const FORM = 'Use postgres://USER@HOST:PORT/DATABASE.'
const ENCODING = 'In a name or password, percent-encode special characters: @ is %40, / is %2F, : is %3A, % is %25.'

/**
 * Parses a `postgres://` or `postgresql://` URL. Throws ServiceError `usage`, which does not repeat any part of the URL, because a typing
 * mistake can turn part of the password into any other part.
 */
export function parseStoreUrl(text: string): StoreUrl {
  const url = parseText(text)
  if (url.hash !== '') throw wrong('It has a fragment (#).')
  const [host, user, database, password] = [
    // an IPv6 address has brackets only in the URL
    decoded(url.hostname).replace(/^\[(.*)\]$/, '$1'),
    decoded(url.username),
    decoded(url.pathname.replace(/^\//, '')),
    decoded(url.password),
  ]
  if (host === '' || host.includes('/')) throw wrong('It has no host. A Unix socket cannot be used.')
  if (user === '') throw wrong('It has no user.')
  if (database === '' || database.includes('/')) throw wrong('It has no database name after the host.')
  const given = readParameters(url.searchParams)
  const sslMode = chooseSslMode(given.get('sslmode'), host)
  const [sslRootCert = null, sslCert = null, sslKey = null] = FILE_PARAMETERS.map(name => given.get(name))
  if ((sslCert === null) !== (sslKey === null)) throw wrong('It has only one of sslcert and sslkey.')
  if (sslMode === 'disable' && (sslRootCert ?? sslCert) !== null)
    throw wrong('It names certificates, but sslmode=disable uses none.')
  return {
    host,
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    database,
    user,
    password: password === '' ? null : password,
    sslMode,
    sslRootCert,
    sslCert,
    sslKey,
  }
}

/** Parses a URL from the command line. Throws ServiceError `usage` if it is not valid or contains a password. */
export function storeUrlOfArgument(text: string, flag: string): StoreUrl {
  const url = parseStoreUrl(text)
  if (url.password === null) return url
  throw new ServiceError(
    'usage',
    `The URL given with ${flag} contains a password. Other users of this machine can see arguments (ps), and the shell keeps them in its history.`,
    {
      suggestions: [
        `Omit the password from ${flag}, and provide it in one of these ways:`,
        '- put the whole URL into SVC_STORE, or into a profile: svc profile add NAME --store URL --store-password-stdin',
        '- set PGPASSWORD',
        '- add a line to ~/.pgpass (or to the file that PGPASSFILE names): HOST:PORT:DATABASE:USER:PASSWORD',
        'Change the password if others may have seen it.',
      ],
    },
  )
}

/** Returns the URL without the password, so that it can be shown anywhere. */
export function shownStore(url: StoreUrl): string {
  return formatUrl(url, null)
}

/** Returns the complete URL, including any password. Write it to private files only. */
export function storeUrlText(url: StoreUrl): string {
  return formatUrl(url, url.password)
}

function formatUrl(url: StoreUrl, password: string | null): string {
  const { host, port, database, user, sslMode, sslRootCert, sslCert, sslKey } = url
  const hostPart = host.includes(':') ? `[${host}]` : encodeURIComponent(host)
  const secret = password === null ? '' : `:${encodeURIComponent(password)}`
  const parameters = new URLSearchParams()
  if (sslMode !== defaultSslMode(host)) parameters.set('sslmode', sslMode)
  for (const [i, file] of [sslRootCert, sslCert, sslKey].entries())
    if (file !== null) parameters.set(FILE_PARAMETERS[i] as string, file)
  const query = parameters.size === 0 ? '' : `?${parameters}`
  return `postgres://${encodeURIComponent(user)}${secret}@${hostPart}:${port}/${encodeURIComponent(database)}${query}`
}

function parseText(text: string): URL {
  let url: URL | undefined
  try {
    url = new URL(text)
  } catch {}
  if (!url) throw wrong()
  if (url.protocol === 'postgres:' || url.protocol === 'postgresql:') return url
  throw wrong('It does not start with postgres:// or postgresql://.')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw wrong('It has a % that does not start a percent-encoding.')
  }
}

function readParameters(given: URLSearchParams): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name, value] of given) {
    if (!PARAMETERS.includes(name) || found.has(name) || value === '')
      throw wrong(`It has a parameter that is unknown, empty or repeated. Allowed: ${PARAMETERS.join(', ')}.`)
    found.set(name, value)
  }
  return found
}

/** Parses the TLS mode. `prefer` and `allow` are refused, because an attacker who can change packets can turn them into `disable`. */
function chooseSslMode(given: string | undefined, host: string): SslMode {
  if (given === undefined) return defaultSslMode(host)
  const mode = SSL_MODES.find(each => each === given)
  if (mode === undefined) throw wrong(`Its sslmode is unknown. Allowed: ${SSL_MODES.join(', ')}.`)
  return mode
}

/** Returns the default TLS mode. Between machines, the connection is encrypted and the server is checked. */
function defaultSslMode(host: string): SslMode {
  const isHere = host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
  return isHere ? 'disable' : 'verify-full'
}

function wrong(what?: string): ServiceError {
  return new ServiceError('usage', ['The URL of the store is invalid.', ...(what ? [what] : []), FORM].join(' '), {
    suggestions: [ENCODING],
  })
}
