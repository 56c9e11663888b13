/** The address that a server listens on, and its URL. */

import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import { parseUrl } from '../../core/web-host.ts'

/**
 * Maximum number of connections that wait to be accepted. Node's default of 511 is too small when thousands of clients reconnect at the
 * same time, and a client that is dropped retries only after a second. The kernel's own limit also applies.
 */
const MOST_UNACCEPTED = 4_096

/** Starts listening. On failure, closes the application and throws ServiceError `port_in_use` or `usage`. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port, backlog: MOST_UNACCEPTED })
  } catch (error) {
    await app.close()
    throw listenError(error, host, port)
  }
}

function listenError(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new ServiceError('port_in_use', `Port ${port} on ${host} is already in use by another process.`, {
        suggestions: ['Choose another port with --port, or use --port 0 for a free one.'],
        cause: error,
      })
    case 'EACCES':
      return new ServiceError('usage', `This process is not permitted to listen on port ${port}.`, {
        suggestions: ['Choose a port from 1024 to 65535 with --port, or use --port 0 for a free one.'],
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ServiceError('usage', `${host} is not an address of this machine.`, {
        suggestions: ['Use --host 127.0.0.1, or the address of a network interface of this machine.'],
        cause: error,
      })
    default:
      return error
  }
}

/** Throws ServiceError `usage` for a host that other machines can reach, unless that is safe or explicitly allowed. */
export function refuseOpenHost(host: string, isAllowed: boolean): void {
  if (isAllowed || isLoopback(host)) return
  throw new ServiceError(
    'usage',
    `Listening on ${host} would send keys and health data over the network in clear text.`,
    {
      suggestions: [
        'Use a loopback host: 127.0.0.1, ::1 or localhost.',
        'Use --tls-cert and --tls-key to listen on any host.',
        'Use --insecure-http to listen on any host without TLS, but only behind a proxy that speaks TLS or on a network you trust.',
      ],
    },
  )
}

/** Returns whether a server that listens on the host can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Returns the public URL without a trailing slash. Throws ServiceError `usage` for an invalid URL. */
export function cleanUrl(text: string): string {
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ServiceError(
      'usage',
      'The public URL must be an http or https URL without credentials, query or fragment.',
    )
  }
  return url.href.replace(/\/+$/, '')
}

/** Returns the URL of a server: `http://127.0.0.1:8123`. */
export function serverUrl(scheme: string, host: string, port: number): string {
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** Returns the URL at which this machine reaches a server. A server on all interfaces is reached through loopback. */
export function localServerUrl(scheme: string, host: string, port: number): string {
  const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  return serverUrl(scheme, everywhere[host] ?? host, port)
}
