/** What the server says without an API key: its health, its contract, and where a link leads. */
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../contract/openapi.ts'
import type { EngineContext } from '../engine/context.ts'

/** Paths of the pages, for the answer to a wrong method. */
export const PAGE_PATHS = ['/healthz', '/openapi.json', '/link'] as const

/** No script, no style, no frame, no form: the page is text, and it says nothing back of what it was asked. */
const LINK_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Connect a provider</title></head>
<body>
<h1>Connect a provider</h1>
<p>This address carries a link token: 60 minutes, one use. A sign-in with it is completed in one of these ways:</p>
<ul>
<li>in a terminal, with the token of this address in the variable: <code>SVC_LINK_TOKEN=… svc link password PROVIDER</code></li>
<li>over HTTP: <code>POST /v2/link/provider/password/{provider}</code> with the header <code>x-service-link-token</code>,
then <code>POST /v2/link/provider/password/{provider}/complete_mfa</code> where a code is asked for</li>
</ul>
<p>The full description of these calls is at <a href="/openapi.json">/openapi.json</a>.</p>
</body>
</html>
`
const LINK_PAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export interface PageOptions {
  readonly engine: EngineContext
  readonly version: string
}

export function addPages(app: FastifyInstance, { engine, version }: PageOptions): void {
  app.get('/healthz', async (_request, reply) => {
    reply.type('application/json')
    try {
      await engine.store.ping()
      return '{"status":"ok"}'
    } catch {
      reply.code(503).header('retry-after', '1')
      return '{"status":"unavailable"}'
    }
  })

  let document: string | undefined
  app.get('/openapi.json', async (_request, reply) => {
    document ??= JSON.stringify(openApiDocument({ version, serverUrl: engine.publicUrl() }))
    reply.type('application/json')
    return document
  })

  app.get('/link', async (_request, reply) => {
    reply.type('text/html; charset=utf-8').header('content-security-policy', LINK_PAGE_POLICY)
    return LINK_PAGE
  })
}
