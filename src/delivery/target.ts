/** Connections that webhooks go out on: the address that was checked is the very one connected to. */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'
import { ServiceError } from '../core/errors.ts'
import { addressKind } from '../engine/webhooks/address-kind.ts'
import { kindProblem, literalAddress, type TargetOptions, targetProblem } from '../engine/webhooks/target.ts'

/** How names are resolved: all addresses of one. */
export type Resolve = (
  hostname: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void

export interface LookupOptions extends TargetOptions {
  /** Plain http: nowhere but this machine and private networks, where these are allowed. */
  readonly plain?: boolean
  /** Absent: the system's resolver. */
  readonly resolve?: Resolve
}

/** A connection was not made because of where it would have gone. */
export class TargetRefused extends Error {
  readonly code = 'target_refused'

  constructor(message: string) {
    super(message)
    this.name = 'TargetRefused'
  }
}

/** Throws ServiceError `usage` when webhooks may not go to the URL, by its words alone; `name` begins the sentence. */
export function refuseTarget(url: string, options: TargetOptions, name = 'The target'): void {
  const problem = targetProblem(url, options)
  if (problem !== null) throw new ServiceError('usage', `${name} ${problem}.`)
}

/**
 * A lookup for `net.connect` that hands on only addresses that webhooks may go to, and so the very ones that were checked: a name
 * that resolves otherwise a moment later changes nothing. `localhost` is this machine or nothing, and no other name is. Fails
 * with TargetRefused when none is left.
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
 * Undici's connector over such a lookup. Addresses in digits are never looked up: they are checked here. `connect` are undici's
 * own options (timeout, ca …).
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
 * Why a connection to the address may not be made for this host, or null. The address is not in the text: teams read it, and what
 * a name stands for in this network is not theirs to know.
 */
function addressProblem(host: string, address: string, options: LookupOptions): string | null {
  const found = addressKind(address)
  const isOwn = host === 'localhost' || host === '127.0.0.1' || host === '::1'
  if (isOwn && found.kind !== 'loopback') return `${host} is ${found.words} here, not this machine`
  const problem = kindProblem(found, isOwn ? { ...options, allowPrivate: true } : options)
  const verb = literalAddress(host) === null ? 'resolves to' : 'is'
  if (problem !== null) return `${host} ${verb} ${problem}`
  if (found.kind === 'public' && options.plain) return `${host} ${verb} ${found.words}: plain http does not go there`
  return null
}

const systemResolve: Resolve = (hostname, done) =>
  systemLookup(hostname, { all: true }, (error, found) => done(error, found ?? []))
