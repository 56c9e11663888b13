/** The options for starting a server. */
import type { StoreUrl } from '../core/store-url.ts'
import type { OpenOptions } from '../engine/open.ts'
import type { Fault } from '../store/fault.ts'
import type { TlsFiles } from './http/tls.ts'
import type { LogFormat } from './observability/log.ts'

export interface ServerOptions {
  readonly dataDir: string
  /** The PostgreSQL store; null for the SQLite store in the data folder. Defaults to the value of SVC_STORE. */
  readonly store?: StoreUrl | null | undefined
  /** Path of the file with the operator's own providers. Defaults to the value of SVC_PROVIDERS. */
  readonly providers?: string | undefined
  readonly host: string
  /** 0 chooses a free port. */
  readonly port: number
  /**
   * Additional header prefixes. For example, `vital` also accepts x-vital-api-key and application/vnd.vital.…; see http/header-prefix.ts.
   */
  readonly acceptHeaderPrefixes: readonly string[]
  /** A key to accept instead of a new one. It is also revoked on close. */
  readonly apiKey: string | null
  /** The profile that stores the key, with the profile's base URL and key, if any. */
  readonly profile?: { readonly name: string; readonly baseUrl: string | null; readonly key: string | null } | undefined
  /** The URL at which browsers reach the server, if it differs from the one it listens on. */
  readonly publicUrl: string | null
  /** Allows hosts other than loopback without TLS. */
  readonly insecureHttp: boolean
  /** Serves the console even on a host other than loopback; see console/served.ts. */
  readonly console?: boolean
  /** Folder with the built console; absent if this build has no console. */
  readonly consoleFolder?: string | undefined
  /** Files for TLS (1.2 or later); null for plain http. */
  readonly tls?: TlsFiles | null
  /** Calls per second and API key; 0 means no limit. */
  readonly rateLimit?: number
  /** Addresses and ranges of proxies whose X-Forwarded-For is trusted; none by default. */
  readonly trustedProxies?: readonly string[]
  /** Maximum size of all request bodies in memory at once, unpacked, in bytes. Default: a quarter of the heap limit. */
  readonly maxBytesInFlight?: number | undefined
  /** Origins whose scripts may read responses; none by default. */
  readonly corsOrigins?: readonly string[]
  /** Serves /metrics without a key. */
  readonly metricsAreOpen?: boolean
  /** Faults to cause deliberately, in addition to the store's faults; none by default. */
  readonly faults?: readonly Fault[]
  /** Seed for faults without their own. */
  readonly faultSeed?: string
  /** Whether the server delivers webhooks; true by default. */
  readonly delivers?: boolean
  /** Allows webhooks to private networks. Defaults to the value of SVC_ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivateTargets?: boolean | undefined
  /**
   * Allows webhooks to this machine, regardless of who set their URL. Otherwise, only URLs set by an operator may point to this machine,
   * and only if other machines cannot reach the server.
   */
  readonly allowLoopbackTargets?: boolean
  /** Receives one log line at a time, without keys or user data. In text format, an internal error has several lines. */
  readonly log: (line: string) => void
  readonly logFormat?: LogFormat
  /** The version shown in /openapi.json. */
  readonly version?: string
  /** How long `close()` waits for running requests. */
  readonly graceMs?: number
  /** Injected clock, randomness and sizes, for tests. */
  readonly engine?: Pick<OpenOptions, 'time' | 'random' | 'seed' | 'pageSize'>
}
