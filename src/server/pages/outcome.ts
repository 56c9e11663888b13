/** The outcome of a request to a hosted page: a page or a redirect. */
import type { FastifyReply } from 'fastify'
import { type HtmlPage, sendPage } from './layout.ts'

export type PageOutcome = ({ readonly page: HtmlPage } | { readonly to: string }) & {
  /** The `Set-Cookie` header. */
  readonly cookie?: string
}

/** Sends the page, or a 303 redirect, so that reloading does not repeat the request. */
export function sendOutcome(reply: FastifyReply, base: string, outcome: PageOutcome): string {
  if (outcome.cookie !== undefined) reply.header('set-cookie', outcome.cookie)
  if ('page' in outcome) return sendPage(reply, base, outcome.page)
  reply.code(303).header('location', outcome.to)
  return ''
}
