/**
 * The URL to which live providers send notifications. The route is not an operation, because providers decide what they send and how they
 * authenticate.
 */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingNotification } from '../../connectors/notifications.ts'
import { ServiceError } from '../../core/errors.ts'
import type { EngineContext } from '../../engine/context.ts'
import type { BodyBudget } from '../bodies/budget.ts'
import type { GuessLimit } from '../guards/guess-limit.ts'
import { receiveBytes } from './body.ts'

/** The route, for the response to a wrong method. */
export const NOTIFICATION_PATH = '/providers/{provider}/notifications/{token}'
export const NOTIFICATION_METHODS = ['GET', 'HEAD', 'POST'] as const

export interface NotificationOptions {
  readonly engine: EngineContext
  readonly budget: BodyBudget
  readonly guesses: GuessLimit
  /** Called with every running call, so that the server can wait for it when closing. */
  readonly track: (running: Promise<unknown>) => void
  /** Called after a notification is queued. */
  readonly onNotified: () => void
}

export function addNotifications(app: FastifyInstance, options: NotificationOptions): void {
  const url = NOTIFICATION_PATH.replace(/\{(\w+)\}/g, ':$1')
  app.route({
    method: [...NOTIFICATION_METHODS],
    url,
    handler: (request, reply) => {
      reply.template = url
      const running = handle(request, reply, options)
      options.track(running)
      return running
    },
  })
}

async function handle(request: FastifyRequest, reply: FastifyReply, options: NotificationOptions): Promise<unknown> {
  const { engine, budget, guesses, onNotified } = options
  const { headers, method } = request
  // the route defines these parameters, and every body is a stream
  const { params, body: stream } = request as {
    params: { provider: string; token: string }
    body: Readable | undefined
  }
  const body = stream && (await receiveBytes(stream, headers, budget))
  try {
    const { receiveNotification } = await import('../../engine/live/notifications/notification-queue.ts')
    const response = await receiveNotification(engine, params, {
      method: method as IncomingNotification['method'], // the route has no other methods
      header: name => {
        const value = headers[name]
        return (typeof value === 'string' ? value : value?.join(', ')) ?? null
      },
      query: new URLSearchParams((request.raw.url ?? '').split('?').slice(1).join('?')),
      body: body?.bytes ?? new Uint8Array(),
      receivedAt: engine.wall.now(),
    })
    if (response === null) {
      guesses.failed('notification', request.clientAddress)
      throw new ServiceError('not_found', 'Not Found')
    }
    onNotified()
    const { status, type, body: text = '', retryAfterS } = response
    if (retryAfterS !== undefined) reply.header('retry-after', `${retryAfterS}`)
    if (text !== '') reply.type(type ?? 'text/plain; charset=utf-8')
    return reply.code(status).send(text)
  } finally {
    body?.hold.release()
  }
}
