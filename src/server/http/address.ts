/** Where a server listens, and what its address is called. */
import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/errors.ts'

/** Throws ServiceError `port_in_use` or `usage`; the application is closed then. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw listenError(error, host, port)
  }
}

function listenError(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new ServiceError('port_in_use', `Port ${port} on ${host} is taken by another process.`, {
        suggestions: ['Choose another with --port, or --port 0 for a free one.'],
        cause: error,
      })
    case 'EACCES':
      return new ServiceError('usage', `Port ${port} needs rights that this process lacks.`, {
        suggestions: ['Choose a port from 1024 to 65535 with --port, or --port 0 for a free one.'],
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ServiceError('usage', `${host} is not an address of this machine.`, {
        suggestions: ['Use --host 127.0.0.1, or an address of one of its network interfaces.'],
        cause: error,
      })
    default:
      return error
  }
}

/** Throws ServiceError `usage` for a host that others can reach, unless that is safe or asked for. */
export function refuseOpenHost(host: string, isAllowed: boolean): void {
  if (isAllowed || isLoopback(host)) return
  throw new ServiceError(
    'usage',
    `Listening on ${host} would send keys and health data over the network in clear text.`,
    {
      suggestions: [
        'Allowed without more: a loopback host (127.0.0.1, ::1, localhost).',
        'With --tls-cert and --tls-key any host.',
        'With --insecure-http any host: only behind a proxy that speaks TLS, or on a network you trust.',
      ],
    },
  )
}

/** Whether nobody but this machine reaches a server that listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** A public URL without a slash at its end. Throws ServiceError `usage`. */
export function cleanUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ServiceError(
      'usage',
      'The public URL must be an http or https address without credentials, query or fragment.',
    )
  }
  return url.href.replace(/\/+$/, '')
}

/** `http://127.0.0.1:8123`. */
export function urlOf(scheme: string, host: string, port: number): string {
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
