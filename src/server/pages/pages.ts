/** Routes that do not require an API key: the OpenAPI document and the pages for linking. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openApiDocument } from '../../contract/kernel/openapi.ts'
import { ServiceError } from '../../core/errors.ts'
import type { EngineContext } from '../../engine/context.ts'
import type { DiskWatch } from '../guards/disk-watch.ts'
import type { GuessLimit } from '../guards/guess-limit.ts'
import { showCallback } from './callback-page.ts'
import { showConsent, submitConsent } from './consent-page.ts'
import { isFromElsewhere, queryText } from './form.ts'
import { showLink, submitLink } from './link-page.ts'
import { failedPage, liveNotice } from './link-steps.ts'
import { closedView, doneView, failedView } from './link-views.ts'
import { type PageOutcome, sendOutcome } from './outcome.ts'
import { createPageContext, type PageContext } from './page-context.ts'
import { OTHER_SITE } from './problems.ts'
import { STYLE, STYLE_PATH } from './style.ts'

const CALLBACK_ROUTE = '/oauth/:provider/callback'

/** The pages' routes, for the response to a wrong method. */
export const PAGE_ROUTES: readonly { readonly method: 'GET' | 'POST'; readonly path: string }[] = [
  { method: 'GET', path: '/openapi.json' },
  { method: 'GET', path: STYLE_PATH },
  { method: 'GET', path: '/link' },
  { method: 'POST', path: '/link' },
  { method: 'GET', path: '/link/done' },
  { method: 'GET', path: '/link/closed' },
  { method: 'GET', path: '/oauth/{provider}' },
  { method: 'POST', path: '/oauth/{provider}' },
  { method: 'GET', path: '/oauth/{provider}/callback' },
]

export interface PageOptions {
  readonly engine: EngineContext
  readonly version: string
  /** Called with every running call, so that the server can wait for it when closing. */
  readonly track: (running: Promise<unknown>) => void
  /** Shared with the routes, so that wrong values sent to them count here too. */
  readonly guesses: GuessLimit
  readonly disk: Pick<DiskWatch, 'report'>
}

export function addPages(app: FastifyInstance, options: PageOptions): void {
  const { engine, version } = options
  let document: string | undefined
  app.get('/openapi.json', async (_request, reply) => {
    document ??= JSON.stringify(
      openApiDocument({ version, serverUrl: engine.publicUrl(), providers: engine.providers }),
    )
    reply.type('application/json')
    return document
  })

  app.get(STYLE_PATH, async (_request, reply) => {
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=31536000, immutable')
    return STYLE
  })
  addLinkPages(app, options)
}

function addLinkPages(app: FastifyInstance, { engine, track, guesses, disk }: PageOptions): void {
  const on = (
    method: 'GET' | 'POST',
    url: string,
    show: (context: PageContext, request: FastifyRequest) => Promise<PageOutcome>,
  ) =>
    app.route({
      method,
      url,
      // a HEAD request would consume a sign-in's code
      exposeHeadRoute: url !== CALLBACK_ROUTE,
      handler: async (request, reply) => {
        const context = createPageContext(engine, guesses)
        const shown = method === 'POST' && isFromElsewhere(request) ? refuseOtherSite() : show(context, request)
        const running = shown.then(
          outcome => sendOutcome(reply, context.base, outcome),
          error => {
            disk.report(error)
            return sendOutcome(reply, context.base, failureOutcome(error, reply))
          },
        )
        track(running)
        return running
      },
    })
  on('GET', '/link', showLink)
  on('POST', '/link', submitLink)
  on('GET', '/oauth/:provider', showConsent)
  on('POST', '/oauth/:provider', submitConsent)
  on('GET', CALLBACK_ROUTE, showCallback)
  on('GET', '/link/done', async (_desk, request) => {
    const provider = engine.providers.find(queryText(request, 'provider'))
    const isLive = provider !== undefined && queryText(request, 'live') !== ''
    const notice = isLive ? { notice: liveNotice(provider) } : {}
    return { page: { title: 'Connected', body: doneView(provider), ...notice } }
  })
  on('GET', '/link/closed', async () => ({ page: { title: 'Nothing was connected', body: closedView() } }))
}

async function refuseOtherSite(): Promise<PageOutcome> {
  return failedPage(OTHER_SITE, null, 403)
}

/** Returns a refusal as a page. Rethrows an internal error, which is reported elsewhere. */
function failureOutcome(error: unknown, reply: FastifyReply): PageOutcome {
  if (!(error instanceof ServiceError) || error.status === null) throw error
  reply.headers(error.headers ?? {})
  const title = error.status === 429 ? 'Too many attempts' : 'Something went wrong'
  // a message for the operator may contain folder names; the body contains the text for callers
  const { detail } = error.body
  const advice = typeof detail === 'string' ? detail : error.message
  return { page: { title, body: failedView({ title, advice }, null), status: error.status } }
}
