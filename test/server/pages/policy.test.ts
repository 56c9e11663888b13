/** The security policy of a hosted page lists the targets of its form, and no redirect URL can add anything else to it. */
import type { FastifyReply } from 'fastify'
import { describe, expect, it } from 'vitest'
import { sendPage } from '../../../src/server/pages/layout.ts'
import { serve } from '../../kit/server.ts'

/** Hosts that the URL parser accepts and that have a meaning in a policy, or in a list of policies. */
const HOSTILE = [
  'https://x;script-src *',
  "https://x;script-src'unsafe-inline'/",
  'https://x,default-src.example/',
  'https://x;default-src,x/back',
  'https://*.example/',
  'https://*/',
  "https://'self'/",
  'https://x;report-uri=y:8443/',
  'http://a(b)$c&d+e=f!g~h"i`j{k}l/',
].filter(url => URL.canParse(url))

function contentPolicy(leadsTo: string): string {
  let policy = ''
  const reply = { code: () => reply, type: () => reply, header: (_name: string, value: string) => put(value) }
  const put = (value: string) => {
    policy = value
    return reply
  }
  sendPage(reply as unknown as FastifyReply, '', { title: 'x', body: 'x', leadsTo })
  return policy
}

const policyWith = (source: string): string =>
  `default-src 'none'; style-src 'self'; img-src data:; form-action 'self' ${source}; base-uri 'none'; frame-ancestors 'none'`

describe('the security policy', () => {
  it.each([
    ['https://app.example/back;a,b?c;d', 'https://app.example'],
    ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
    ['http://localhost:3000/', 'http://localhost:3000'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example'],
    ['https://a_b-c.example:8443/', 'https://a_b-c.example:8443'],
    ['http://[::1]:3000/', 'http:'],
  ])('of %s allows %s', (url, source) => {
    expect(contentPolicy(url)).toBe(policyWith(source))
  })

  it('contains only the scheme of a URL that does not fit into it', () => {
    expect(HOSTILE.length).toBeGreaterThan(5)
    for (const url of HOSTILE) expect(contentPolicy(url), url).toBe(policyWith(new URL(url).protocol))
  })
})

describe('a redirect URL', () => {
  it('with such a host is refused with the allowed values, and is not repeated', async () => {
    const server = await serve()
    const user = await server.ask('POST', '/v2/user', { body: '{"client_user_id":"ada"}' })
    const { user_id } = user.json as { user_id: string }
    const token = (url: string) =>
      server.ask('POST', '/v2/link/token', { body: JSON.stringify({ user_id, redirect_url: url }) })
    for (const url of HOSTILE) {
      const refused = await token(url)
      expect([url, refused.status]).toEqual([url, 422])
      expect(refused.text).toContain('with a host of letters, digits')
      expect(refused.text).not.toContain(new URL(url).host)
    }
    for (const url of ['https://app.example/a;b,c', 'http://[::1]:3000/', 'https://bücher.example/']) {
      expect((await token(url)).status, url).toBe(200)
    }
  })
})
