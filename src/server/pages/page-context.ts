/** The dependencies of the hosted pages' handlers. */
import type { EngineContext } from '../../engine/context.ts'
import type { GuessLimit } from '../guards/guess-limit.ts'

export interface PageContext {
  readonly engine: EngineContext
  readonly guesses: GuessLimit
  /** The public URL's path without a trailing slash; '' unless a proxy serves the pages under a path. */
  readonly base: string
}

export function createPageContext(engine: EngineContext, guesses: GuessLimit): PageContext {
  return { engine, guesses, base: basePath(engine) }
}

/** Returns the public URL's path without a trailing slash. */
export function basePath(engine: EngineContext): string {
  return urlPath(engine.publicUrl())
}

/** Returns the `Path` of cookies: services under the host's other paths do not receive them. */
export function cookiePath(publicUrl: string | null): string {
  const path = urlPath(publicUrl)
  // a semicolon would end the attribute
  return path === '' || path.includes(';') ? '/' : path
}

/** Returns a URL's path without a trailing slash; '' if there is no URL. */
export function urlPath(url: string | null): string {
  return url === null ? '' : new URL(url).pathname.replace(/\/+$/, '')
}
