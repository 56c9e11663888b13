/** Subscribers of a cloud project: a service account manages them with a signed JWT, and their URL is checked before they are created. */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto'
import type { FakeProviderRequest, FakeProviderResponse } from '../fake-provider.ts'

export const PROJECT_NUMBER = '123456789012'

interface Subscriber {
  readonly endpointUri: string
  readonly subscriberConfigs: readonly {
    readonly dataTypes: readonly string[]
    readonly subscriptionCreatePolicy: string
  }[]
  readonly endpointAuthorization: { readonly secret: string }
}

export interface SubscribersOptions {
  readonly now: () => number
  /** The token URL, which JWTs contain. */
  readonly tokenUrl: () => string
  readonly post: (url: string, body: Uint8Array, headers: Record<string, string>) => Promise<number>
}

const CLOUD = 'https://www.googleapis.com/auth/cloud-platform'
const LONGEST_S = 3600

export class Subscribers {
  /** By their chosen ID. */
  readonly all = new Map<string, Subscriber>()
  /** Why a JWT was refused, in order. */
  readonly refusals: string[] = []
  /** Whether the service account has the role. */
  isAllowed = true
  private currentKey: Key | undefined
  private readonly tokens = new Map<string, number>()
  private readonly operations = new Map<string, Promise<string | null>>()
  private readonly options: SubscribersOptions

  constructor(options: SubscribersOptions) {
    this.options = options
  }

  /** Made on first use: an RSA key takes 0.1 s, and few tests need one. */
  private get key(): Key {
    this.currentKey ??= newKey()
    return this.currentKey
  }

  /** The text of the key file. */
  get keyFile(): string {
    return JSON.stringify({
      type: 'service_account',
      project_id: 'svc-test',
      private_key_id: this.key.id,
      private_key: this.key.pem,
      client_email: this.key.email,
      token_uri: this.options.tokenUrl(),
    })
  }

  /** Makes another key: the earlier one is refused from now on. */
  rotateKey(): void {
    this.currentKey = newKey()
  }

  /** Responds to a token request with a JWT; undefined: it is another kind of request. */
  token({ form }: FakeProviderRequest): FakeProviderResponse | undefined {
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return undefined
    const problem = this.checkAssertion(form.get('assertion') ?? '')
    if (problem !== null) {
      this.refusals.push(problem)
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } }
    }
    const token = `cloud-${randomBytes(16).toString('hex')}`
    this.tokens.set(token, this.options.now() + LONGEST_S * 1000)
    return { body: { access_token: token, expires_in: LONGEST_S, token_type: 'Bearer' } }
  }

  /** Responds to requests about subscribers; undefined: it is another kind of request. */
  handle(request: FakeProviderRequest): FakeProviderResponse | undefined | Promise<FakeProviderResponse | undefined> {
    const { path, method, query, headers } = request
    const operation = /^\/v4\/(projects\/\d+\/operations\/[\w-]+)$/.exec(path)?.[1]
    const found = /^\/v4\/projects\/(\d+)\/subscribers(?:\/([\w-]+))?$/.exec(path)
    if (!found && operation === undefined) return undefined
    const until = this.tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
    if (until === undefined || until <= this.options.now()) return { status: 401, body: error(401) }
    if (!this.isAllowed) return { status: 403, body: error(403) }
    if (operation !== undefined) return this.readOperation(operation)
    const [, project, id = query.get('subscriberId') ?? ''] = found ?? []
    if (project !== PROJECT_NUMBER) return { status: 403, body: error(403) }
    if (!/^[a-z0-9-]{4,36}$/.test(id)) return { status: 400, body: error(400) }
    const known = this.all.get(id)
    if (method === 'POST') return known ? { status: 409, body: error(409) } : this.put(id, request.json() as Subscriber)
    if (!known) return { status: 404, body: error(404) }
    if (method === 'PATCH') return this.put(id, masked(known, request.json() as Subscriber, query.get('updateMask')))
    if (method !== 'DELETE' || query.get('force') !== 'true') return { status: 400, body: error(400) }
    this.all.delete(id)
    return { body: { name: `projects/${project}/operations/delete`, done: true, response: {} } }
  }

  /** Returns the subscribers that get events about a data type. */
  of(dataType: string): readonly Subscriber[] {
    return [...this.all.values()].filter(({ subscriberConfigs }) =>
      subscriberConfigs.some(
        each => each.dataTypes.includes(dataType) && each.subscriptionCreatePolicy === 'AUTOMATIC',
      ),
    )
  }

  /** Starts an operation that creates the subscriber at its end if its URL passes the check. */
  private put(id: string, subscriber: Subscriber): FakeProviderResponse {
    const name = `projects/${PROJECT_NUMBER}/operations/${randomBytes(8).toString('hex')}`
    const checked = this.check(subscriber).then(problem => {
      if (problem === null) this.all.set(id, subscriber)
      return problem
    })
    this.operations.set(name, checked)
    return { body: { name, done: false } }
  }

  private async readOperation(name: string): Promise<FakeProviderResponse> {
    const running = this.operations.get(name)
    if (!running) return { status: 404, body: error(404) }
    const problem = await running
    const outcome = problem === null ? { response: {} } : { error: { code: 9, message: problem } }
    return { body: { name, done: true, ...outcome } }
  }

  /** Does the handshake: with the secret, and without it. */
  private async check({ endpointUri, endpointAuthorization: { secret } }: Subscriber): Promise<string | null> {
    const body = Buffer.from('{"type":"verification"}')
    const post = (headers: Record<string, string>): Promise<number> =>
      this.options.post(endpointUri, body, headers).catch(() => 0)
    const [known, unknown] = [await post({ authorization: secret }), await post({})]
    if (known !== 200 && known !== 201) return `${endpointUri} did not verify`
    return unknown === 401 || unknown === 403 ? null : `${endpointUri} verifies anybody`
  }

  private checkAssertion(jwt: string): string | null {
    const [head = '', claims = '', signature = ''] = jwt.split('.')
    const header = decoded(head)
    if (header['alg'] !== 'RS256' || header['kid'] !== this.key.id) return 'header'
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      this.key.publicKey,
      Buffer.from(signature, 'base64url'),
    )
    if (!isSigned) return 'signature'
    const { iss, scope, aud, iat, exp } = decoded(claims)
    if (iss !== this.key.email || scope !== CLOUD || aud !== this.options.tokenUrl()) return 'claims'
    const nowS = this.options.now() / 1000
    if (typeof iat !== 'number' || typeof exp !== 'number' || exp - iat > LONGEST_S) return 'length'
    return iat > nowS || exp <= nowS ? 'time' : null
  }
}

interface Key {
  readonly id: string
  readonly email: string
  readonly pem: string
  readonly publicKey: KeyObject
}

function newKey(): Key {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const id = randomBytes(20).toString('hex')
  return { id, email: 'svc@svc-test.iam.gserviceaccount.com', pem, publicKey: createPublicKey(pem) }
}

function masked(known: Subscriber, sent: Subscriber, mask: string | null): Subscriber {
  const names = mask?.split(',') ?? []
  const changed = Object.fromEntries(Object.entries(sent).filter(([name]) => names.includes(name)))
  return { ...known, ...changed }
}

function decoded(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  } catch {
    return {}
  }
}

function error(code: number) {
  return { error: { code, message: 'refused', status: code === 401 ? 'UNAUTHENTICATED' : 'REFUSED', details: [] } }
}
