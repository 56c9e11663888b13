/** The dependencies of the console's routes. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EngineContext } from '../../engine/context.ts'
import type { BodyBudget } from '../bodies/budget.ts'
import type { GuessLimit } from '../guards/guess-limit.ts'
import type { RateLimit } from '../guards/rate-limit.ts'
import type { HeaderPrefixes } from '../http/header-prefix.ts'
import type { SessionCookie } from './cookie.ts'

export interface ConsoleOptions {
  readonly engine: EngineContext
  readonly version: string
  readonly prefixes: HeaderPrefixes
  readonly guesses: GuessLimit
  readonly rates: RateLimit
  readonly budget: BodyBudget
  readonly cookie: SessionCookie
  /** The URL at which browsers reach the server, if it was given. */
  readonly publicUrl: string | null
  /** Called with store errors that no request reports. */
  readonly onError: (error: unknown) => void
  readonly showShell: (request: FastifyRequest, reply: FastifyReply) => string
  /** Called when sessions have ended. */
  readonly onEnded: () => void
}
