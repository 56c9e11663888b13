/** The client address of a request, and the part that a trusted proxy may state. */
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { ClientAddresses, isLoopbackAddress } from '../../../src/server/connections/client-address.ts'
import { RequestShares } from '../../../src/server/connections/request-shares.ts'
import { requestLines, serve } from '../../kit/server.ts'

const PROXIES = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8', '::1']

function findClient(peer: string, forwarded: string | undefined, proxies: readonly string[] = PROXIES): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return new ClientAddresses(proxies).of({ socket: { remoteAddress: peer }, headers } as IncomingMessage)
}

describe('the client', () => {
  it.each([
    ['no proxy is named: the peer', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['the proxy says nothing: the proxy', '10.1.2.3', undefined, '10.1.2.3'],
    ['one hop', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['what the client made up stands further left', '10.1.2.3', '1.1.1.1, junk, 198.51.100.1', '198.51.100.1'],
    ['the rightmost that is no proxy', '10.1.2.3', '1.1.1.1, 198.51.100.1, 10.9.9.9, 192.0.2.1', '198.51.100.1'],
    ['all are proxies: the first', '10.1.2.3', '10.0.0.7,10.0.0.8', '10.0.0.7'],
    ['IPv6', '::1', '2001:db8::5', '2001:db8::5'],
    ['a proxy in IPv6', 'fd12::1', '198.51.100.1', '198.51.100.1'],
    ['IPv4 as a socket for both writes it', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['no address', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['an address with a port', '10.1.2.3', '198.51.100.1:4711', '10.1.2.3'],
    ['a comma too many', '10.1.2.3', '198.51.100.1,', '10.1.2.3'],
    ['nothing', '10.1.2.3', '', '10.1.2.3'],
    ['a number that some read as an address', '10.1.2.3', '0x7f.1', '10.1.2.3'],
    ['a very long list', '10.1.2.3', `${'1.1.1.1,'.repeat(2_000)} 198.51.100.1`, '198.51.100.1'],
  ])('%s', (_what, peer, forwarded, client) => {
    expect(findClient(peer, forwarded)).toBe(client)
  })

  it('is the peer if no proxy is trusted', () => {
    expect(findClient('10.1.2.3', '198.51.100.1', [])).toBe('10.1.2.3')
  })
})

describe('the list of trusted proxies', () => {
  it.each([
    ['localhost', 'proxy.example', '*', '', ' ', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8'],
    ['10.0.0.1-10.0.0.9', '10.0.0.0/255.0.0.0', '010.0.0.1', 'fe80::1%eth0', '[::1]', '10.0.0.1:80', '10.0.0.0/-1'],
  ])('contains addresses and ranges, but not %s, …', (...wrong) => {
    for (const each of wrong) {
      expect(() => new ClientAddresses(['10.0.0.1', each]), each).toThrowError(
        expect.objectContaining({ code: 'usage', message: expect.stringContaining('IP addresses and CIDR ranges') }),
      )
    }
  })

  it('recognizes this machine', () => {
    const addresses = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.0.0.1', '::2', 'x', '']
    expect(addresses.map(isLoopbackAddress)).toEqual([true, true, true, true, false, false, false, false])
  })
})

describe('behind a trusted proxy', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address })

  it('guesses count against the client, and the log names it', async () => {
    const server = await serve({ trustedProxies: ['127.0.0.1'], logFormat: 'json' })
    const guess = async (address: string) =>
      (await server.ask('GET', '/v2/user', { key: 'wrong', headers: from(address) })).status
    for (let i = 0; i < 20; i++) expect(await guess('198.51.100.1')).toBe(401)
    expect(await guess('198.51.100.1')).toBe(429)
    expect(await guess('10.0.0.9, 198.51.100.1')).toBe(429)
    expect(await guess('198.51.100.2')).toBe(401)
    await expect.poll(() => requestLines(server)).toHaveLength(23)
    const addresses = requestLines(server).map(line => (JSON.parse(line) as { client_address: string }).client_address)
    expect([...new Set(addresses)]).toEqual(['198.51.100.1', '198.51.100.2'])
  })

  it('but not without one, where any client could forge the header', async () => {
    const server = await serve({ trustedProxies: ['192.0.2.1'] })
    for (let i = 0; i < 20; i++) await server.ask('GET', '/v2/user', { key: 'wrong', headers: from(`198.51.100.${i}`) })
    expect((await server.ask('GET', '/v2/user', { key: 'wrong', headers: from('198.51.100.99') })).status).toBe(429)
  })

  it('one client cannot use all concurrent requests', () => {
    const shares = new RequestShares({ requests: 10, perAddress: 3 })
    for (let i = 0; i < 6; i++) shares.began('198.51.100.1')
    expect(() => shares.check('198.51.100.1')).toThrowError(
      expect.objectContaining({ code: 'rate_limited', status: 429, headers: { 'retry-after': '1' } }),
    )
    shares.began('198.51.100.2')
    shares.check('198.51.100.2')
    shares.ended('198.51.100.1')
    shares.ended('198.51.100.1')
    // half of them are free again
    shares.check('198.51.100.1')
  })
})
