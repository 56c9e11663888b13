/** Decides where the console is served: always on loopback hosts, elsewhere only if requested and if its cookie is safe there. */
import { ServiceError } from '../../core/errors.ts'
import { isLoopback } from '../http/listen.ts'
import { ConsoleAssets } from './assets.ts'
import { SessionCookie } from './cookie.ts'

export interface ConsoleHost {
  readonly host: string
  readonly hasTls: boolean
  readonly hasProxies: boolean
  /** The URL at which browsers reach the server, if given. */
  readonly publicUrl: string | null
}

/** A server's console. */
export interface ServedConsole {
  readonly assets: ConsoleAssets
  /** Whether this build of svc contains the console. Otherwise, /console responds with an explanation. */
  readonly isBuilt: boolean
  readonly cookie: SessionCookie
  readonly publicUrl: string | null
}

/** Returns the server's console, if it has one. Throws ServiceError `usage` if the console is requested but would not be safe. */
export function servedConsole(
  consoleHost: ConsoleHost,
  {
    console: isWanted = false,
    consoleFolder,
  }: { readonly console?: boolean; readonly consoleFolder?: string | undefined },
): ServedConsole | null {
  if (!servesConsole(consoleHost, isWanted)) return null
  const { publicUrl } = consoleHost
  const assets = new ConsoleAssets(consoleFolder ?? null)
  return {
    assets,
    isBuilt: assets.isBuilt,
    publicUrl,
    cookie: new SessionCookie({ publicUrl, isSecure: isSecure(consoleHost) }),
  }
}

/** Returns whether the server has a console. Throws ServiceError `usage` if the console is requested but would not be safe. */
function servesConsole(consoleHost: ConsoleHost, isWanted: boolean): boolean {
  if (isLoopback(consoleHost.host)) return true
  if (!isWanted) return false
  if (isSecure(consoleHost)) return true
  throw new ServiceError(
    'usage',
    `The console on ${consoleHost.host} needs https, because its cookie would otherwise travel in clear text.`,
    {
      suggestions: [
        'Use --tls-cert and --tls-key.',
        'Behind a proxy that speaks TLS, use --trust-proxy with its address and SVC_PUBLIC_URL with an https URL.',
        'On a loopback host, the console needs no option.',
      ],
    },
  )
}

/** Whether browsers reach the server by https only. */
function isSecure({ hasTls, hasProxies, publicUrl }: ConsoleHost): boolean {
  return hasTls || (hasProxies && publicUrl?.startsWith('https:') === true)
}
