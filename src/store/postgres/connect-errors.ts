/** Translates driver and server errors into errors that the user can act on. */
import { ServiceError } from '../../core/errors.ts'
import { isCommitLost, lostMachine } from './cluster/machine-down.ts'
import { notCoordinator, unreachable, unusable } from './store-errors.ts'

interface Words {
  readonly why: string
  readonly remedies: readonly string[]
}

const words = (why: string, ...remedies: readonly string[]): Words => ({ why, remedies })

const PASSWORD_SOURCES =
  'The password comes from the URL in SVC_STORE or in the profile, otherwise from PGPASSWORD, otherwise from ~/.pgpass (or PGPASSFILE).'
const FULL = 'The disk of the PostgreSQL server is full. Nothing was partially written.'

/** SQLSTATEs that require a change to the settings, the server or the database. */
const UNUSABLE_STATES: Readonly<Record<string, Words>> = {
  '28P01': words('the server refused the user or the password', PASSWORD_SOURCES),
  '28000': words(
    'the server does not allow this user to connect from here',
    'Check that the role exists and may log in, and that pg_hba.conf has a line for this user, database, address and kind of connection (TLS or not).',
  ),
  '3D000': words('the server has no database with this name', 'Create it: createdb --owner USER DATABASE'),
  '3F000': words(
    'the database has no schema in which the user can create tables',
    'As a database administrator, run: CREATE SCHEMA public AUTHORIZATION USER',
  ),
  '42501': words(
    'the user may not create or use tables in the database; nothing was changed',
    'Make the user the owner of the database, or as an administrator run: GRANT CREATE, USAGE ON SCHEMA public TO USER',
  ),
}

/** SQLSTATEs for a call that took too long because of other calls. */
const BUSY_STATES: Readonly<Record<string, string>> = {
  '55P03': 'Another transaction locked the same rows of the PostgreSQL store for too long; nothing was written.',
  '57014': "A statement exceeded the PostgreSQL server's time limit and was cancelled; nothing was written.",
}
const BUSY_REMEDIES = ["Try again. If the error persists, look for long transactions in the server's pg_stat_activity."]

const STARTS_AGAIN = "Try again in a moment. If the error persists, check the PostgreSQL server's log."

const ONE_MACHINE = 'Start this machine, or its standby, again. Calls about users on other machines work meanwhile.'

/** SQLSTATEs from a server that may accept the same call later. */
const UNREACHABLE_STATES: Readonly<Record<string, Words>> = {
  '25006': words(
    'the server is a standby, or read-only',
    'Connect to the primary server, or use a host name that always resolves to it. After a failover, try again.',
  ),
  '53200': words('the server is out of memory', STARTS_AGAIN),
  '53300': words(
    'the server has no free connection',
    "Raise the server's max_connections, run fewer nodes, or put PgBouncer in front of it.",
  ),
  '57P01': words('the server is being shut down, or closed the connection', STARTS_AGAIN),
  '57P02': words('the server has crashed and is being restarted', STARTS_AGAIN),
  '57P03': words('the server is starting or stopping', STARTS_AGAIN),
}

const BROKEN = words('the connection broke', STARTS_AGAIN)
const ABSENT = words(
  'nothing listens there: the connection was refused',
  'Check host and port, that the server is running, and that its listen_addresses include this address.',
)
const NO_NAME = words('the host name does not resolve', "Check the host in the URL, and this machine's name servers.")
const NO_ROUTE = words('there is no route to the host', 'Check the network, and the host in the URL.')
const SLOW = words('connecting took too long', 'Check host and port, and whether a firewall drops the packets.')

const SILENT = words(
  'it did not respond in time',
  "Check the server's load, and the network between it and this machine.",
)

/** Error codes from the operating system. */
const NETWORK_CODES: Readonly<Record<string, Words>> = {
  ECONNREFUSED: ABSENT,
  ECONNRESET: BROKEN,
  ECONNABORTED: BROKEN,
  EPIPE: BROKEN,
  ENOTFOUND: NO_NAME,
  EAI_AGAIN: NO_NAME,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ETIMEDOUT: SLOW,
}

const TRUST =
  "Specify its authority's certificate with sslrootcert=FILE in the URL. sslmode=require encrypts without verifying the server's identity."

/** TLS error codes. */
const TLS_CODES: Readonly<Record<string, Words>> = {
  CERT_HAS_EXPIRED: words('its certificate has expired', "Renew the server's certificate."),
  CERT_NOT_YET_VALID: words('its certificate is not valid yet', "Check this machine's clock and the server's."),
  DEPTH_ZERO_SELF_SIGNED_CERT: words('its certificate is self-signed', TRUST),
  SELF_SIGNED_CERT_IN_CHAIN: words('its certificate is signed by an authority that is not trusted', TRUST),
  UNABLE_TO_GET_ISSUER_CERT: words('its certificate is signed by an authority that is not trusted', TRUST),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: words('its certificate is signed by an authority that is not trusted', TRUST),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: words('its certificate came without the chain to a trusted authority', TRUST),
  ERR_TLS_CERT_ALTNAME_INVALID: words(
    'its certificate is for another host name',
    'Use the host name in the certificate. sslmode=verify-ca checks the authority but not the name.',
  ),
}

/** The Citus message for a change that only the coordinator can make. It does not have a code of its own. */
const WRONG_NODE = /operation is not allowed on this node/

/** Messages of driver errors that have no code. */
const DRIVER_MESSAGES: readonly (readonly [RegExp, 'unusable' | 'unreachable', Words])[] = [
  [
    /server does not support SSL/,
    'unusable',
    words(
      'the server does not support TLS',
      'Enable TLS on the server (ssl = on), or add sslmode=disable to the URL if the network in between is safe.',
    ),
  ],
  [
    /error establishing an SSL connection/,
    'unusable',
    words('the server does not speak the PostgreSQL protocol', 'Check host and port.'),
  ],
  [
    /client password must be/,
    'unusable',
    words('the server requires a password, but none was given', PASSWORD_SOURCES),
  ],
  [/^SASL: /, 'unusable', words('the sign-in failed', 'Check that the URL leads to the PostgreSQL server itself.')],
  // Citus does not have error codes of its own
  [
    /exceeds number of worker nodes/,
    'unusable',
    words(
      'its Citus cluster does not have a worker that can store the tables; nothing was changed',
      "Run on the coordinator: SELECT citus_add_node('HOST', PORT)",
    ),
  ],
  [/Query read timeout/, 'unreachable', SILENT],
  [/timeout expired|connection timeout|timeout exceeded when trying to connect/, 'unreachable', SLOW],
  [/Connection terminated|not queryable|connection error/, 'unreachable', BROKEN],
]

/**
 * Returns the error to throw for a driver error: `store_unusable`, `store_unreachable` or `disk_full`. An unknown error is returned
 * unchanged, because it is a bug. `shown` is the URL without the password. No message repeats the server's text.
 */
export function toConnectionError(error: unknown, shown: string): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  const machine = lostMachine(error)
  if (machine !== null) {
    const why = `the machine ${machine} of its Citus cluster does not respond`
    return unreachable(shown, { why, suggestions: [ONE_MACHINE], cause: error })
  }
  if (isCommitLost(error)) return unreachable(shown, { why: BROKEN.why, suggestions: BROKEN.remedies, cause: error })
  const code = findCode(error)
  const busy = BUSY_STATES[code]
  if (busy !== undefined) return new ServiceError('store_busy', busy, { suggestions: BUSY_REMEDIES, cause: error })
  if (WRONG_NODE.test(error.message)) return notCoordinator(shown, error)
  if (code === '53100') return new ServiceError('disk_full', FULL, { suggestions: DISK_REMEDIES, cause: error })
  const found = unusableWords(code) ?? unreachableWords(code) ?? byMessage(error)
  if (found === undefined) return error
  const [kind, { why, remedies }] = found
  const reason = { why, suggestions: remedies, cause: error }
  return kind === 'unusable' ? unusable(shown, reason) : unreachable(shown, reason)
}

const DISK_REMEDIES = ['Free some space on the disk of the PostgreSQL server, then try again.']

type ConnectFault = readonly ['unusable' | 'unreachable', Words]

function unusableWords(code: string): ConnectFault | undefined {
  const known = UNUSABLE_STATES[code] ?? TLS_CODES[code]
  if (known !== undefined) return ['unusable', known]
  if (!code.startsWith('ERR_SSL_') && !code.startsWith('ERR_TLS_') && code !== 'EPROTO') return undefined
  return ['unusable', words(`TLS failed (${code})`, 'Check sslmode and the certificates in the URL.')]
}

function unreachableWords(code: string): ConnectFault | undefined {
  const known = UNREACHABLE_STATES[code] ?? NETWORK_CODES[code]
  if (known !== undefined) return ['unreachable', known]
  // the class of codes for broken connections
  return /^08...$/.test(code) ? ['unreachable', BROKEN] : undefined
}

function byMessage({ message }: Error): ConnectFault | undefined {
  const [, kind, known] = DRIVER_MESSAGES.find(([pattern]) => pattern.test(message)) ?? []
  return kind && known ? [kind, known] : undefined
}

/** Returns the code of the error, or of its first cause that has one. A host with several addresses causes one error per address. */
function findCode(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 4) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return findCode(error instanceof AggregateError ? error.errors[0] : error.cause, depth + 1)
}
