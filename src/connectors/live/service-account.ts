/** Reads service accounts' key files, and obtains access tokens with a signed JWT (RFC 7523). */
import { createPrivateKey, sign } from 'node:crypto'
import { MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import { type AppSession, ProviderError, type ServiceAccount } from '../provider-session.ts'
import { asText, member } from '../shared/json-fields.ts'
import { checkedUrl } from './oauth.ts'
import { parsedJson } from './requests.ts'
import { issuedTokens } from './token-response.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** Lifetime of a JWT. It is sent immediately. */
const LASTS_MS = 10 * MINUTE_MS
/** How much to backdate a JWT, because a provider whose clock is slow would refuse a JWT from the future. */
const EARLIER_MS = MINUTE_MS
const KEY_FILE = 'the JSON key file that the provider issued for a service account'

/**
 * Returns the account in a key file. Throws ProviderError `credentials` with a message that completes a sentence and does not repeat the
 * file's content.
 */
export function readKeyFile(text: string): ServiceAccount {
  const file = parsedJson(text)
  const [email, privateKey] = ['client_email', 'private_key'].map(name => asText(member(file, name)))
  if (!email || !privateKey) {
    throw new ProviderError('credentials', `must be ${KEY_FILE}, with client_email and private_key`)
  }
  if (!isRsaKey(privateKey)) {
    throw new ProviderError('credentials', `must be ${KEY_FILE}: its private_key is not an RSA key in PEM`)
  }
  return { email, privateKey, keyId: asText(member(file, 'private_key_id')) ?? null }
}

/** Returns an access token of the app's service account. Throws ProviderError, with `credentials` if the key is refused. */
export async function serviceAccountToken(session: AppSession, scope: string): Promise<string> {
  const { serviceAccount, tokenUrl } = session.app
  if (!serviceAccount) throw new ProviderError('credentials', 'The OAuth app has no service account.')
  const url = checkedUrl(tokenUrl, 'token')
  const assertion = signedJwt(serviceAccount, { scope, aud: url.href }, session.now())
  const form = { grant_type: GRANT_TYPE, assertion }
  const response = await session.send({ method: 'POST', url, form, isRepeatable: true, accepted: [400, 401, 403] })
  const { status } = response
  if (status >= 400) {
    const message = 'The key of the service account was refused. Set the provider up again with a new key file.'
    throw new ProviderError('credentials', message, { status })
  }
  return issuedTokens(session, response.json()).accessToken
}

function signedJwt(
  { email, privateKey, keyId }: ServiceAccount,
  claims: { readonly scope: string; readonly aud: string },
  now: number,
): string {
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === null ? {} : { kid: keyId }) }
  const iat = Math.floor((now - EARLIER_MS) / SECOND_MS)
  const exp = iat + LASTS_MS / SECOND_MS
  const text = [header, { iss: email, ...claims, iat, exp }]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
