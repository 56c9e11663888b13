/** Lists and removes the passkeys of people, and determines where passkeys work. See docs/people.md#passkeys. */
import { isIP } from 'node:net'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { type EpochMs, formatInstant } from '../../core/time.ts'
import type { ListedPasskey } from '../../store/console/passkey.ts'
import type { SessionHolder, SessionPersonFacts } from '../../store/console/session.ts'
import { audited } from '../audit/audit.ts'
import { done, type EngineContext, type Handler, ok } from '../context.ts'

/** A call by a person who is signed in. */
export interface PersonCall extends Pick<SessionHolder, 'team' | 'session'> {
  readonly person: SessionPersonFacts
  /** The engine's time. */
  readonly now: EpochMs
}

type PasskeyView = ReplyBody<Operations['passkey.list']>['passkeys'][number]

/** Where passkeys work. */
export interface PasskeySite {
  readonly origin: string
  readonly host: string
}

/** Returns where passkeys work, according to the public URL: at an https name, or at localhost. Null if they work nowhere. */
export function passkeySite(engine: Pick<EngineContext, 'publicUrl'>): PasskeySite | null {
  const publicUrl = engine.publicUrl()
  if (publicUrl === null) return null
  const url = new URL(publicUrl)
  const address = url.hostname.replace(/^\[|\]$/g, '')
  // a passkey belongs to a name, and a browser reaches the same server at localhost
  if (address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))) url.hostname = 'localhost'
  const isPossible = url.hostname === 'localhost' || (url.protocol === 'https:' && isIP(address) === 0)
  return isPossible ? { origin: url.origin, host: url.hostname } : null
}

export const listPasskeys: Handler<'passkey.list'> = async engine =>
  ok({ passkeys: (await engine.store.consolePasskeys.all()).map(passkeyView) })

export const removePasskey: Handler<'passkey.remove'> = async (engine, { params }) => {
  if ((await engine.store.consolePasskeys.remove(params.passkey_id)) === 0) throw noSuchPasskey()
  return done()
}

/** Returns the passkeys of the person who is signed in, oldest first. */
export async function ownPasskeys(engine: EngineContext, { person }: PersonCall): Promise<ListedPasskey[]> {
  return (await engine.store.consolePasskeys.all()).filter(({ personId }) => personId === person.personId)
}

/** Removes a passkey of the person who is signed in, whatever the role. Throws ServiceError `not_found` for other passkeys. */
export async function removeOwnPasskey(engine: EngineContext, call: PersonCall, passkeyId: string): Promise<void> {
  if (!(await ownPasskeys(engine, call)).some(each => each.passkeyId === passkeyId)) throw noSuchPasskey()
  await auditedAs(engine, call, { id: 'passkey.remove', passkeyId }, async within => {
    if ((await within.store.consolePasskeys.remove(passkeyId)) === 0) throw noSuchPasskey()
  })
}

/** Runs a change to a person's own passkey, or a sign-in with it, and adds it to the audit trail. */
export async function auditedAs(
  engine: EngineContext,
  {
    team,
    person: { personId },
    now,
  }: Pick<PersonCall, 'team' | 'now'> & { readonly person: { readonly personId: string } },
  { id, passkeyId }: { readonly id: 'passkey.add' | 'passkey.remove' | 'passkey.sign_in'; readonly passkeyId: string },
  change: (within: EngineContext) => Promise<void>,
): Promise<void> {
  const caller = { team, linkToken: null, actor: `person:${personId}`, isOperator: false } as const
  const input = { params: {}, query: {}, body: undefined }
  await audited(engine, { id, operation: { path: '' }, input, caller, now }, async (within, about) => {
    about('passkey_id', passkeyId)
    await change(within)
    return done()
  })
}

/** Returns what a list shows of a passkey: nothing about its key. */
export function passkeyView(passkey: ListedPasskey): PasskeyView {
  const { passkeyId, teamId, personId, personName, name, host, createdAt, lastUsedAt } = passkey
  return {
    passkey_id: passkeyId,
    team_id: teamId,
    person_id: personId,
    person: personName,
    name,
    host,
    created_at: formatInstant(createdAt),
    last_used_at: lastUsedAt === null ? null : formatInstant(lastUsedAt),
  }
}

function noSuchPasskey(): ServiceError {
  return new ServiceError('not_found', 'There is no passkey with this id.', {
    suggestions: ['`svc engine passkey list` lists the passkeys.'],
  })
}
