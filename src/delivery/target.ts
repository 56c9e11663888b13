/** Connects webhooks to exactly the address that was checked. */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'
import { ServiceError } from '../core/errors.ts'
import { addressKind } from '../engine/webhooks/address-kind.ts'
import { kindProblem, literalAddress, type TargetOptions, targetProblem } from '../engine/webhooks/target.ts'

/** Resolves a host name to all of its addresses. */
export type Resolve = (
  hostname: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void

export interface LookupOptions extends TargetOptions {
  /** Whether the request is plain http, which is allowed only to this machine and to private networks, if these are allowed. */
  readonly plain?: boolean
  /** Defaults to the system's resolver. */
  readonly resolve?: Resolve
}

/** Thrown when no connection was made because the target is not allowed. */
export class TargetRefused extends Error {
  readonly code = 'target_refused'

  constructor(message: string) {
    super(message)
    this.name = 'TargetRefused'
  }
}

/** Throws ServiceError `usage` if the URL itself shows that webhooks must not go there. `name` starts the sentence. */
export function refuseTarget(url: string, options: TargetOptions, name = 'The target'): void {
  const problem = targetProblem(url, options)
  if (problem !== null) throw new ServiceError('usage', `${name} ${problem}.`)
}

/**
 * Returns a lookup for `net.connect` that passes on only addresses that webhooks may go to. The connection uses exactly these addresses, so
 * it does not matter if a name resolves differently a moment later. `localhost` must resolve to this machine; other names may do so only if
 * private networks are also allowed. Fails with TargetRefused if no address remains.
 */
export function checkedLookup(options: LookupOptions): LookupFunction {
  const resolve = options.resolve ?? systemResolve
  return (hostname, { all, family }, done) => {
    resolve(hostname, (error, found) => {
      if (error) {
        done(error, '')
        return
      }
      const wanted = family === 4 || family === 6 ? found.filter(each => each.family === family) : found
      const problems = wanted.map(({ address }) => addressProblem(hostname, address, options))
      const allowed = wanted.filter((_, at) => problems[at] === null)
      const first = allowed[0]
      if (first === undefined) {
        done(new TargetRefused(problems.find(each => each !== null) ?? `${hostname} has no address`), '')
      } else if (all) done(null, [...allowed])
      else done(null, first.address, first.family)
    })
  }
}

/**
 * Returns undici's connector with a checked lookup. Literal addresses are never looked up, so they are checked here. `connect` contains
 * undici's own options (`timeout`, `ca` and others).
 */
export async function checkedConnector(
  options: Omit<LookupOptions, 'plain'>,
  connect: buildConnector.BuildOptions = {},
): Promise<buildConnector.connector> {
  const { buildConnector: build } = await import('undici')
  const by = (plain: boolean) => {
    const lookupOptions = { ...options, plain }
    const connector = build({ ...connect, lookup: checkedLookup(lookupOptions) })
    return { connector, lookupOptions }
  }
  const ways = { plain: by(true), secure: by(false) }
  return (target, done) => {
    const { connector, lookupOptions } = target.protocol === 'http:' ? ways.plain : ways.secure
    const address = literalAddress(target.hostname)
    const problem = address === null ? null : addressProblem(target.hostname, address, lookupOptions)
    if (problem === null) connector(target, done)
    else queueMicrotask(() => done(new TargetRefused(problem), null))
  }
}

/**
 * Returns why this host's connection to the address is not allowed, or null. The text does not contain the address, because teams read it
 * and must not learn how names resolve in this network.
 */
function addressProblem(host: string, address: string, options: LookupOptions): string | null {
  const found = addressKind(address)
  const isOwn = host === 'localhost' || host === '127.0.0.1' || host === '::1'
  if (isOwn && found.kind !== 'loopback') return `${host} is ${found.words} here instead of this machine`
  const problem = kindProblem(found, isOwn ? { ...options, allowPrivate: true } : options)
  const verb = literalAddress(host) === null ? 'resolves to' : 'is'
  if (problem !== null) return `${host} ${verb} ${problem}`
  if (found.kind === 'public' && options.plain)
    return `${host} ${verb} ${found.words}, and webhooks go there by https only`
  return null
}

const systemResolve: Resolve = (hostname, done) =>
  systemLookup(hostname, { all: true }, (error, found) => done(error, found ?? []))
