/** The webhook of a client at the fake Polar provider. */
import { createHmac, randomBytes } from 'node:crypto'
import type { FakeProvider, FakeProviderRequest, FakeProviderResponse } from '../fake-provider.ts'

interface Webhook {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  active: boolean
}

export class PolarWebhook {
  current: Webhook | null = null
  /** The key of its signatures, which Polar returns once. */
  key = ''
  private made = 0
  private readonly fake: FakeProvider
  private readonly now: () => number

  constructor(fake: FakeProvider, now: () => number) {
    this.fake = fake
    this.now = now
  }

  async respond(request: FakeProviderRequest): Promise<FakeProviderResponse | undefined> {
    const { method, path, headers } = request
    const { clientId, clientSecret } = this.fake
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    if (headers.authorization !== basic) return { status: 401, body: {} }
    const { current } = this
    if (path === '/v3/webhooks' && method === 'POST')
      return this.make(request.json() as Pick<Webhook, 'url' | 'events'>)
    if (path === '/v3/webhooks' && method === 'GET') return { body: { data: current ? [current] : [] } }
    if (path === '/v3/webhooks/activate' && method === 'POST') {
      if (current) current.active = true
      return current ? { status: 200 } : { status: 404 }
    }
    if (method === 'DELETE' && path === `/v3/webhooks/${current?.id}`) {
      this.current = null
      return { status: 204 }
    }
    return undefined
  }

  private async make({ url, events }: Pick<Webhook, 'url' | 'events'>): Promise<FakeProviderResponse> {
    if (this.current) return { status: 409, body: {} }
    const ping = { timestamp: new Date(this.now()).toISOString(), event: 'PING' }
    const status = await post(url, JSON.stringify(ping), {})
    if (status !== 200) return { status: 400, body: { status: 400, errorType: 'ping_failed' } }
    this.key = randomBytes(16).toString('hex')
    this.current = { id: `hook-${++this.made}`, url, events, active: true }
    return { status: 201, body: { data: { ...this.current, signature_secret_key: this.key } } }
  }

  /** Sends an event. Returns the response status, or 0 if no active webhook accepts it. */
  async send(event: Readonly<Record<string, unknown>>, key = this.key): Promise<number> {
    const { current } = this
    if (!current?.active || !current.events.includes(String(event['event']))) return 0
    const body = JSON.stringify({
      timestamp: new Date(this.now()).toISOString(),
      url: 'https://elsewhere.example/',
      ...event,
    })
    const signature = createHmac('sha256', key).update(body).digest('hex')
    return post(current.url, body, {
      'Polar-Webhook-Signature': signature,
      'Polar-Webhook-Event': String(event['event']),
    })
  }
}

async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  await response.arrayBuffer()
  return response.status
}
