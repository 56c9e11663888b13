/** Passkeys in the browser: adds one for the signed-in person, and signs in with one. */
import type { ResponseOf } from './call.ts'
import { Problem } from './problem.ts'
import { ask, beginSession, type Session } from './session.ts'

export type Passkey = ResponseOf<'passkey.list'>['passkeys'][number]

/** The origin at which passkeys work, according to the server; empty if they work nowhere. */
const ORIGIN = document.documentElement.dataset['passkeys'] ?? ''

/** Returns why this page cannot use passkeys; null if it can. */
export function whyNoPasskeys(): string | null {
  if (ORIGIN === '')
    return 'Passkeys need https and a host name, or localhost. Here, people sign in with one-time URLs only.'
  if (ORIGIN !== location.origin)
    return `Passkeys work only at ${ORIGIN}. Here, people sign in with one-time URLs only.`
  const isNew = 'PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential
  return isNew ? null : 'This browser is too old for passkeys. Update it, or sign in with one-time URLs.'
}

/** Returns the passkeys of the signed-in person, oldest first. */
export async function loadPasskeys(): Promise<readonly Passkey[]> {
  const { passkeys } = await receive<{ passkeys: readonly Passkey[] }>('passkeys')
  return passkeys
}

/** Lets the browser create a passkey, and stores it. */
export async function addPasskey(): Promise<void> {
  const options = await receive<PublicKeyCredentialCreationOptionsJSON>('passkeys/creation-options', {})
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey }).catch(giveUp)
  await ask('passkeys', { credential })
}

export async function removePasskey(passkeyId: string): Promise<void> {
  await ask('passkeys/remove', { passkey_id: passkeyId })
}

/** Lets the browser ask for a passkey, and signs in with it. */
export async function signInWithPasskey(): Promise<Session> {
  const options = await receive<PublicKeyCredentialRequestOptionsJSON>('passkeys/request-options', {})
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey }).catch(giveUp)
  return beginSession(ask('passkeys/sign-in', { credential }))
}

async function receive<T>(route: string, body?: object): Promise<T> {
  return (await ask(route, body)).json() // the server defines the shape in src/server/console
}

/** Throws the problem for an error of the browser. Its own message is not meant for users. */
function giveUp(error: unknown): never {
  const isKnown = error instanceof DOMException && error.name === 'InvalidStateError'
  const text = isKnown ? 'You have added a passkey of this device already.' : 'No passkey was used. Try again.'
  throw new Problem(0, 'passkey_unused', text)
}
