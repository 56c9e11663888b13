/** The URL that live providers redirect to. It completes the sign-in and redirects to the application. */
import type { FastifyRequest } from 'fastify'
import { runOperation } from '../../engine/engine.ts'
import type { LinkResult } from '../../engine/links/results.ts'
import { endConsent, openConsent, refused } from './consent-page.ts'
import { queryText } from './form.ts'
import type { PageOutcome } from './outcome.ts'
import type { PageContext } from './page-context.ts'

/** Handles GET /oauth/{provider}/callback?state=…&code=… */
export async function showCallback(context: PageContext, request: FastifyRequest): Promise<PageOutcome> {
  const state = queryText(request, 'state')
  const consent = await openConsent(context, request, { state, mode: 'live' })
  // the provider returns only the state, so the link page that the user may have come from is unknown here
  if (consent.kind !== 'open') return refused(context, consent, '')
  const { provider, token } = consent
  const reply = await runOperation(context.engine, 'link.oauth_callback', {
    input: { params: { provider: provider.slug }, query: {}, body: { parameters: readParameters(request) } },
    credentials: { kind: 'headers', apiKey: null, linkToken: state },
    accept: 'application/json',
  })
  // the response type of every operation that ends a link
  const result = (reply.kind === 'json' ? reply.body : {}) as LinkResult
  return endConsent(context, { token, provider: provider.slug, result, from: '', isLive: true })
}

/** Returns the query parameters that are present exactly once. */
function readParameters({ query }: FastifyRequest): Record<string, string> {
  const all = Object.entries(query as Readonly<Record<string, unknown>>)
  return Object.fromEntries(all.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))
}
