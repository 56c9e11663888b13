/** What becomes of a request to a hosted page: a page, or another address. */
import type { FastifyReply } from 'fastify'
import { type Page, sendPage } from './layout.ts'

export type Outcome = { readonly page: Page } | { readonly to: string }

/** Sends the page, or 303, so that reloading what follows repeats nothing. */
export function sendOutcome(reply: FastifyReply, base: string, outcome: Outcome): string {
  if ('page' in outcome) return sendPage(reply, base, outcome.page)
  reply.code(303).header('location', outcome.to)
  return ''
}
