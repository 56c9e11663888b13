/**
 * Adds passkeys, and signs people in with them (WebAuthn). A challenge is encrypted with the master key instead of being stored, so that any
 * server of the store accepts it and a visitor who is not signed in writes nothing. Only used challenges are stored, until they expire.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { ServiceError } from '../../core/errors.ts'
import { hashSecret, uuidBytes } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import { type EpochMs, formatDate, MINUTE_MS } from '../../core/time.ts'
import type { UsedChallenge } from '../../store/console/passkey.ts'
import type { SessionOwner } from '../../store/console/session.ts'
import type { EngineContext } from '../context.ts'
import { NONCE_BYTES, Sealing } from '../sealing.ts'
import { auditedAs, ownPasskeys, type PasskeySite, type PersonCall, passkeySite } from './passkeys.ts'

/** How long a challenge is valid. */
export const CHALLENGE_MS = 5 * MINUTE_MS
/** Maximum number of passkeys of a person. */
export const MOST_PASSKEYS = 20
/** Maximum length of an authenticator's ID for a passkey: 1,023 bytes in base64url, as in WebAuthn. */
const MOST_ID_CHARACTERS = 1_364
/** EdDSA, ES256 and RS256, which every supported Node can verify. */
const ALGORITHMS = [-8, -7, -257]

const library = async () => await import('@simplewebauthn/server')
const challenges = new Sealing('challenges for passkeys')
const SIGN_IN = 'sign-in'

/** Returns the options with which a browser creates a passkey for the person who is signed in. */
export async function creationOptions(engine: EngineContext, call: PersonCall) {
  const { host } = requireSite(engine)
  const own = await ownPasskeys(engine, call)
  if (own.length >= MOST_PASSKEYS) {
    throw new ServiceError('conflict', `You have ${MOST_PASSKEYS} passkeys, which is the maximum.`, {
      suggestions: ['Remove one that you no longer use.'],
    })
  }
  const { personId, name } = call.person
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'svc console',
    rpID: host,
    userName: name,
    userDisplayName: name,
    userID: Uint8Array.from(uuidBytes(personId)),
    challenge: newChallenge(engine, call.session.hash),
    timeout: CHALLENGE_MS,
    excludeCredentials: own.filter(each => each.host === host).map(({ credentialId }) => ({ id: credentialId })),
    // nobody types a name to sign in, and a passkey alone signs in, so that possession of a device is not enough
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/** Adds the passkey that a browser created. Throws ServiceError `passkey_refused`. */
export async function addPasskey(
  engine: EngineContext,
  call: PersonCall,
  response: RegistrationResponseJSON,
  browser: string,
): Promise<void> {
  const { origin, host } = requireSite(engine)
  const { verifyRegistrationResponse } = await library()
  const challenge = new Expected(engine, call.session.hash)
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge.accepts,
    expectedOrigin: origin,
    expectedRPID: host,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(refuse)
  if (registrationInfo === undefined || registrationInfo.credential.id.length > MOST_ID_CHARACTERS) throw refused()
  const { id: credentialId, publicKey, counter: signCount } = registrationInfo.credential
  const { personId } = call.person
  const { teamId } = call.session
  const createdAt = engine.wall.now()
  const passkeyId = randomUuid(engine.random)
  const name = `${browser || 'Passkey'} ${formatDate(createdAt)}`
  const key = { host, credentialId, publicKey, signCount }
  const passkey = { passkeyId, personId, teamId, name, ...key, createdAt, lastUsedAt: null }
  await auditedAs(engine, call, { id: 'passkey.add', passkeyId }, async within => {
    if (!(await within.store.consolePasskeys.add(passkey, challenge.used(teamId)))) throw refused()
  })
}

/** Returns the options with which a browser asks for any passkey of this console. */
export async function requestOptions(engine: EngineContext) {
  const { host } = requireSite(engine)
  const { generateAuthenticationOptions } = await library()
  const challenge = newChallenge(engine, SIGN_IN)
  return generateAuthenticationOptions({ rpID: host, challenge, timeout: CHALLENGE_MS, userVerification: 'required' })
}

/** Returns the person whose passkey signed the challenge. Throws ServiceError `passkey_refused`. `now` is the engine's time. */
export async function signInWithPasskey(
  engine: EngineContext,
  response: AuthenticationResponseJSON,
  now: EpochMs,
): Promise<SessionOwner> {
  const { origin, host } = requireSite(engine)
  const passkey = await engine.store.consolePasskeys.find(response.id)
  const team = passkey && (await engine.store.teams.find(passkey.teamId))
  if (passkey === null || team === null || passkey.host !== host) throw refused()
  const { passkeyId, personId, teamId, credentialId, publicKey, signCount } = passkey
  const { verifyAuthenticationResponse } = await library()
  const challenge = new Expected(engine, SIGN_IN)
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge.accepts,
    expectedOrigin: origin,
    expectedRPID: host,
    // the library refuses a counter that does not grow
    credential: { id: credentialId, publicKey: Uint8Array.from(publicKey), counter: signCount },
  }).catch(refuse)
  if (!verified) throw refused()
  await auditedAs(engine, { team, person: passkey, now }, { id: 'passkey.sign_in', passkeyId }, async ({ store }) => {
    const used = challenge.used(teamId)
    if (!(await store.consolePasskeys.use(passkeyId, used, authenticationInfo.newCounter, engine.wall.now())))
      throw refused()
  })
  return { teamId, keyId: null, personId }
}

/** Returns a challenge that contains its expiry. `boundTo` is the session that may respond to it, or `SIGN_IN`. */
function newChallenge(engine: EngineContext, boundTo: string): Uint8Array<ArrayBuffer> {
  const expiry = Buffer.from(String(engine.wall.now() + CHALLENGE_MS))
  return Uint8Array.from(challenges.seal(engine, boundTo, expiry, engine.random.bytes(NONCE_BYTES)))
}

/** The challenge that a response must contain. */
class Expected {
  private challenge: Omit<UsedChallenge, 'teamId'> = { hash: '', expiresAt: 0 }
  private readonly open: (challenge: Buffer) => EpochMs
  private readonly now: EpochMs

  constructor(engine: EngineContext, boundTo: string) {
    this.now = engine.wall.now()
    this.open = challenge => Number(challenges.open(engine, boundTo, challenge).toString())
  }

  /** Returns whether a challenge in base64url was made for this purpose and has not expired. Throws if another service made it. */
  readonly accepts = (text: string): boolean => {
    const bytes = Buffer.from(text, 'base64url')
    // several texts stand for the same bytes
    this.challenge = { hash: hashSecret(bytes.toString('base64url')), expiresAt: this.open(bytes) }
    return this.now < this.challenge.expiresAt
  }

  used(teamId: UsedChallenge['teamId']): UsedChallenge {
    return { ...this.challenge, teamId }
  }
}

/** Throws ServiceError `conflict` if passkeys work nowhere. */
function requireSite(engine: EngineContext): PasskeySite {
  const site = passkeySite(engine)
  if (site !== null) return site
  throw new ServiceError('conflict', 'Passkeys work only at a console with https and a host name, or at localhost.', {
    suggestions: ['Sign in with a one-time URL: svc engine person sign-in NAME'],
  })
}

/** Hides the library's messages, because they contain values from the response. */
function refuse(): never {
  throw refused()
}

function refused(): ServiceError {
  return new ServiceError(
    'passkey_refused',
    'The passkey was refused. It is unknown or was removed, or it took longer than 5 minutes. Try again.',
  )
}
