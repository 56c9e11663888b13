/** Creates, shows, changes, disables, enables and deletes webhook endpoints, and rotates their secrets. */
import type { HandlerInput, ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { MOST_ENDPOINTS } from '../../contract/webhooks/webhook.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { randomUuid } from '../../core/random.ts'
import { newSecret, parseSigningSecret, secretText } from '../../core/signing-secret.ts'
import { type EpochMs, formatInstant, HOUR_MS } from '../../core/time.ts'
import type { EndpointChange, EndpointRecord, UrlSetBy } from '../../store/webhook.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { readDays } from '../upkeep/days.ts'
import { sealSecret } from './sealed-secret.ts'

type EndpointView = ReplyBody<Operations['webhook.get']>

export const createEndpoint: Handler<'webhook.create'> = async (engine, { body }, call) => {
  const urlSetBy = urlSetter(call)
  await refuseTarget(engine, body.url, urlSetBy)
  const { teamId } = call.team
  if ((await engine.store.webhooks.list(teamId)).length >= MOST_ENDPOINTS) {
    const message = `The team has ${MOST_ENDPOINTS} webhook endpoints, which is the maximum.`
    throw new ServiceError('bad_request', message, { suggestions: ['Delete one that is no longer needed.'] })
  }
  const endpointId = randomUuid(engine.random)
  call.about('endpoint_id', endpointId)
  const key = signingKey(engine, body.secret)
  const endpoint: EndpointRecord = {
    endpointId,
    teamId,
    url: body.url,
    urlSetBy,
    description: body.description,
    eventTypes: [...new Set(body.event_types)],
    headerPrefix: body.header_prefix,
    concurrency: body.concurrency,
    rateLimit: body.rate_limit,
    secret: sealSecret(engine, { teamId, endpointId }, key),
    formerSecret: null,
    formerUntil: null,
    createdAt: call.now,
    updatedAt: call.now,
    disabledAt: null,
    disabledReason: null,
    failingSince: null,
  }
  const view = endpointView(endpoint, { ...NOTHING_KEPT, refusal: null }, engine.time.now())
  const reply = ok({ ...view, secret: secretText(key) })
  return call.settle(
    () => engine.store.webhooks.add(endpoint),
    () => reply,
  )
}

export const listEndpoints: Handler<'webhook.list'> = async (engine, _input, call) =>
  ok({ endpoints: await views(engine, await engine.store.webhooks.list(call.team.teamId)) })

export const getEndpoint: Handler<'webhook.get'> = async (engine, { params }, call) =>
  ok(await shown(engine, await engine.store.webhooks.find(call.team.teamId, params.endpoint_id)))

/** Returns the attempts of the last 14 days, as counted by the processes that deliver. */
export const endpointDays: Handler<'webhook.days'> = async (engine, { params }, call) => {
  const { endpointId, teamId } = await endpointNamed(engine, call, params.endpoint_id)
  const { days } = await readDays(engine, teamId, endpointId)
  return ok({
    days: days.map(({ date, delivered, failed, delivery_ms }) => {
      const attempts = delivered + failed
      return { date, delivered, failed, mean_ms: attempts === 0 ? null : delivery_ms / attempts }
    }),
  })
}

export const updateEndpoint: Handler<'webhook.update'> = async (engine, { params, body }, call) => {
  const { webhooks } = engine.store
  const { teamId } = call.team
  const urlSetBy = urlSetter(call)
  // sending the unchanged URL does not count as setting it, so a URL set by an operator stays one
  const isSet = urlSetBy === 'operator' || body.url !== (await webhooks.find(teamId, params.endpoint_id))?.url
  const url = isSet ? body.url : undefined
  if (url !== undefined) await refuseTarget(engine, url, urlSetBy)
  const change = { ...endpointChange(body), ...(url === undefined ? {} : { url, urlSetBy }) }
  if (Object.keys(change).length === 0) return ok(await shown(engine, await webhooks.find(teamId, params.endpoint_id)))
  return ok(await shown(engine, await webhooks.change(teamId, params.endpoint_id, change, call.now)))
}

export const disableEndpoint: Handler<'webhook.disable'> = async (engine, { params }, call) =>
  ok(await shown(engine, await engine.store.webhooks.disable(call.team.teamId, params.endpoint_id, 'manual', call.now)))

export const enableEndpoint: Handler<'webhook.enable'> = async (engine, { params }, call) =>
  ok(await shown(engine, await engine.store.webhooks.enable(call.team.teamId, params.endpoint_id, call.now)))

export const deleteEndpoint: Handler<'webhook.delete'> = async (engine, { params }, call) => {
  if (!(await engine.store.webhooks.remove(call.team.teamId, params.endpoint_id))) throw noSuchEndpoint()
  return ok({ success: true })
}

/** Replaces a secret. A rotation during the overlap of an earlier one ends that overlap, so that at most two secrets sign. */
export const rotateSecret: Handler<'webhook.rotate_secret'> = async (engine, { params, body }, call) => {
  const known = await endpointNamed(engine, call, params.endpoint_id)
  const { endpointId, teamId } = known
  const counts = (await engine.store.webhooks.kept([known])).get(endpointId) ?? NOTHING_KEPT
  const kept = { ...counts, refusal: await targetRefusal(engine, known) }
  const key = signingKey(engine, body.secret)
  const realNow = engine.time.now()
  const rotation = {
    secret: sealSecret(engine, { teamId, endpointId }, key),
    formerUntil: realNow + body.overlap_hours * HOUR_MS,
    at: call.now,
  }
  return call.settle(
    () => engine.store.webhooks.rotate(teamId, endpointId, rotation),
    rotated => {
      if (rotated === null) throw noSuchEndpoint()
      return ok({ ...endpointView(rotated, kept, realNow), secret: secretText(key) })
    },
  )
}

/** Returns one of the calling team's endpoints. Throws 404 if no endpoint has this ID. */
export async function endpointNamed(
  engine: EngineContext,
  call: TeamCall,
  endpointId: string,
): Promise<EndpointRecord> {
  const endpoint = await engine.store.webhooks.find(call.team.teamId, endpointId)
  if (endpoint === null) throw noSuchEndpoint()
  return endpoint
}

/** Returns the problem with a URL, or null if there is none. The address rules need a separate parser, which is loaded only here. */
async function urlProblem(engine: EngineContext, url: string, urlSetBy: UrlSetBy | null): Promise<string | null> {
  const { targetOptions, targetProblem } = await import('./target.ts')
  return targetProblem(url, targetOptions(engine, urlSetBy))
}

async function refuseTarget(engine: EngineContext, url: string, urlSetBy: UrlSetBy): Promise<void> {
  const problem = await urlProblem(engine, url, urlSetBy)
  if (problem !== null) throw invalid([{ loc: ['body', 'url'], msg: problem, type: 'value_error' }])
}

function signingKey(engine: EngineContext, given: string | undefined): Uint8Array {
  const read = parseSigningSecret(given ?? newSecret(engine.random))
  // the contract has already refused malformed secrets
  if ('problem' in read) throw new Error('a malformed secret')
  return read.key
}

function endpointChange(body: HandlerInput<Operations['webhook.update']>['body']): EndpointChange {
  return {
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.event_types === undefined ? {} : { eventTypes: [...new Set(body.event_types)] }),
    ...(body.header_prefix === undefined ? {} : { headerPrefix: body.header_prefix }),
    ...(body.concurrency === undefined ? {} : { concurrency: body.concurrency }),
    ...(body.rate_limit === undefined ? {} : { rateLimit: body.rate_limit }),
  }
}

function urlSetter({ isOperator }: TeamCall): UrlSetBy {
  return isOperator ? 'operator' : 'team'
}

/** Returns a sentence that explains why nothing is sent from here to the endpoint's URL and how to fix it, or null if webhooks are sent. */
export async function targetRefusal(engine: EngineContext, { url, urlSetBy }: EndpointRecord): Promise<string | null> {
  const problem = await urlProblem(engine, url, urlSetBy)
  return problem === null ? null : `The URL ${problem}.`
}

type Kept = { readonly waiting: number; readonly dead: number }
const NOTHING_KEPT: Kept = { waiting: 0, dead: 0 }

async function shown(engine: EngineContext, endpoint: EndpointRecord | null): Promise<EndpointView> {
  if (endpoint === null) throw noSuchEndpoint()
  const [view] = await views(engine, [endpoint])
  return view as EndpointView
}

async function views(engine: EngineContext, endpoints: readonly EndpointRecord[]): Promise<EndpointView[]> {
  const kept = await engine.store.webhooks.kept(endpoints)
  const realNow = engine.time.now()
  return Promise.all(
    endpoints.map(async endpoint => {
      const counts = kept.get(endpoint.endpointId) ?? NOTHING_KEPT
      return endpointView(endpoint, { ...counts, refusal: await targetRefusal(engine, endpoint) }, realNow)
    }),
  )
}

function endpointView(
  endpoint: EndpointRecord,
  { waiting, dead, refusal }: Kept & { readonly refusal: string | null },
  realNow: EpochMs,
): EndpointView {
  const instant = (at: EpochMs | null): string | null => (at === null ? null : formatInstant(at))
  const { formerUntil } = endpoint
  return {
    endpoint_id: endpoint.endpointId,
    url: endpoint.url,
    description: endpoint.description,
    event_types: [...endpoint.eventTypes],
    header_prefix: endpoint.headerPrefix,
    concurrency: endpoint.concurrency,
    rate_limit: endpoint.rateLimit,
    state: endpoint.disabledAt === null ? 'enabled' : 'disabled',
    disabled_reason: endpoint.disabledReason,
    disabled_at: instant(endpoint.disabledAt),
    failing_since: instant(endpoint.failingSince),
    target_problem: refusal,
    former_secret_until: formerUntil !== null && formerUntil > realNow ? formatInstant(formerUntil) : null,
    waiting,
    dead,
    created_at: formatInstant(endpoint.createdAt),
    updated_at: formatInstant(endpoint.updatedAt),
  }
}

function noSuchEndpoint(): ServiceError {
  return new ServiceError('not_found', 'Webhook endpoint not found', {
    suggestions: ['`svc webhook list` shows the endpoints.'],
  })
}
