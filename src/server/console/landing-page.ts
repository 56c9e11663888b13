/** The page at `/`: describes this server and links to its parts. */
import type { FastifyInstance } from 'fastify'
import type { EngineContext } from '../../engine/context.ts'
import { html } from '../pages/html.ts'
import { sendPage } from '../pages/layout.ts'
import { basePath } from '../pages/page-context.ts'

export interface LandingOptions {
  readonly engine: EngineContext
  readonly version: string
}

export function addLandingPage(app: FastifyInstance, { engine, version }: LandingOptions): void {
  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept')
    const consoleUrl = engine.consoleUrl()
    if (/\btext\/html\b/i.test(request.headers.accept ?? '')) {
      return sendPage(reply, basePath(engine), landingPage(version, basePath(engine), consoleUrl !== null))
    }
    reply.type('application/json')
    const url = engine.publicUrl() ?? ''
    return JSON.stringify({
      name: 'svc',
      version,
      console_url: consoleUrl,
      openapi_url: `${url}/openapi.json`,
      health_url: `${url}/healthz`,
    })
  })
}

function landingPage(version: string, base: string, hasConsole: boolean) {
  const link = (path: string, name: string, about: string) =>
    html`<li><a href="${base}${path}"><span class="about"><strong>${name}</strong> <small>${about}</small></span></a></li>`
  return {
    title: 'svc',
    heading: 'Health data service',
    notice: `svc ${version}`,
    body: html`<h1>svc</h1>
<p>This server collects health data from providers and runs queries on it.</p>
<ul class="choices">
${hasConsole && link('/console', 'Console', 'Users, data, events and the engine. Sign in with an API key, or run svc open')}
${hasConsole && link('/console/reference', 'API reference', 'Every operation, with its parameters and responses')}
${link('/openapi.json', 'OpenAPI document', 'The same reference, machine-readable')}
${link('/healthz', 'Health', 'Whether the server can read its store')}
</ul>`,
  }
}
