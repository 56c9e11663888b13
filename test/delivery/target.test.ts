/** Where webhooks may go: by the words of a URL, and by the address that a name stands for at that moment. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkedConnector, checkedLookup, type Resolve, refuseTarget } from '../../src/delivery/target.ts'
import { targetProblem } from '../../src/engine/webhooks/target.ts'

const strict = { allowPrivate: false }
const open = { allowPrivate: true }

describe('the URL of a target', () => {
  it.each([
    'https://example.com/hooks',
    'https://example.com:8443/hooks?a=b%20c',
    'HTTPS://Example.COM',
    'https://bücher.example/x',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'http://localhost:3000/hooks',
    'https://localhost',
    'http://127.0.0.1:3000',
    'http://[::1]:3000/',
  ])('may be %s', url => expect(targetProblem(url, strict)).toBeNull())

  it.each([
    ['', 'must be a URL'],
    ['example.com/hooks', 'must be a URL'],
    ['ftp://example.com', 'must be a URL'],
    ['https:example.com', 'must be a URL'],
    ['https:\\\\example.com', 'must be a URL'],
    ['https://exa mple.com', 'must be a URL'],
    ['https://example.com/a\nb', 'must be a URL'],
    ['https://example.com\\@10.0.0.1/', 'must be a URL'],
    [`https://example.com/${'a'.repeat(2_048)}`, 'longer than 2048'],
    ['https://user:pass@example.com/', 'user name or password'],
    ['https://@example.com/', 'user name or password'],
    ['https://example.com/#part', 'fragment'],
    ['https://example.com:0/', 'port 0'],
    ['https://example.com./', 'end its host with a dot'],
    ['http://localhost.:3000/', 'end its host with a dot'],
    ['http://app.localhost:3000/', 'must name this machine as'],
    ['http://example.com/', 'must begin with https'],
    ['http://8.8.8.8/', 'must begin with https'],
    ['https://%6cocalhost/', 'must spell its address localhost'],
    ['https://ex%61mple.com/', 'must spell its host example.com'],
    ['http://ⓛocalhost/', 'must spell its address localhost'],
  ])('is refused as %j', (url, words) => {
    expect(targetProblem(url, strict)).toContain(words)
    expect(() => refuseTarget(url, strict)).toThrow(words)
  })

  it.each([
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '127.000.000.001',
    '127.0.0.1.',
    '[0:0:0:0:0:0:0:1]',
  ])('has no other spelling of this machine: %s', host => {
    for (const options of [strict, open]) expect(targetProblem(`http://${host}:3000/`, options)).not.toBeNull()
  })

  it.each([
    ['10.0.0.1', 'a private address'],
    ['172.31.255.255', 'a private address'],
    ['192.168.1.1', 'a private address'],
    ['100.100.100.200', 'a private address'],
    ['127.0.0.2', 'a loopback address'],
    ['169.254.169.254', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['0.0.0.0', 'no address of a host'],
    ['255.255.255.255', 'special use'],
    ['224.0.0.1', 'multicast'],
    ['[fd00:ec2::254]', 'a private address'],
    ['[fe80::1]', 'link-local'],
    ['[::]', 'no address of a host'],
    ['[::ffff:a00:1]', 'in the form of an IPv6 one'],
    ['[::ffff:7f00:1]', 'in the form of an IPv6 one'],
    ['[64:ff9b::a00:1]', 'a private address'],
    ['[2002:a00:1::]', 'special use'],
    ['[::a00:1]', 'special use'],
    ['[4000::1]', 'special use'],
  ])('is not %s', (host, words) => expect(targetProblem(`https://${host}/`, strict)).toContain(words))

  it('may be a private one where that is allowed, by plain http too, but never a mapped or impossible one', () => {
    for (const host of ['10.0.0.1', '127.0.0.2', '[fd00::1]', 'app.internal']) {
      expect(targetProblem(`http://${host}:3000/`, open)).toBeNull()
    }
    for (const host of ['0.0.0.0', '224.0.0.1', '[::ffff:a00:1]']) {
      expect(targetProblem(`https://${host}/`, open)).not.toBeNull()
    }
    expect(targetProblem('http://8.8.8.8/', open)).toContain('must begin with https')
  })
})

describe('the address that is connected to', () => {
  let server: Server
  let port = 0
  beforeAll(async () => {
    server = createServer((_request, answer) => answer.end('here'))
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => new Promise(done => server.close(done)))

  const resolvesTo =
    (...addresses: string[]): Resolve =>
    (_hostname, done) =>
      done(
        null,
        addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
  const fetched = async (url: string, options: { allowPrivate: boolean; resolve?: Resolve }): Promise<string> => {
    const agent = new Agent({ connect: await checkedConnector(options) })
    try {
      const answer = await request(url, { dispatcher: agent })
      return await answer.body.text()
    } catch (error) {
      return (error as Error).message
    } finally {
      await agent.destroy()
    }
  }

  it('is this machine for its three names', async () => {
    expect(await fetched(`http://127.0.0.1:${port}/`, strict)).toBe('here')
    expect(await fetched(`http://localhost:${port}/`, strict)).toBe('here')
    expect(await fetched(`http://localhost:${port}/`, { ...strict, resolve: resolvesTo('10.0.0.1') })).toBe(
      'localhost is a private address here, not this machine',
    )
  })

  it('is none that a public name hides, unless that is allowed', async () => {
    const hidden = { resolve: resolvesTo('127.0.0.1') }
    const url = `http://hooks.example:${port}/`
    expect(await fetched(url, { ...strict, ...hidden })).toContain(
      'hooks.example resolves to 127.0.0.1, a loopback address',
    )
    expect(await fetched(url, { ...open, ...hidden })).toBe('here')
    for (const address of ['10.1.2.3', '169.254.169.254', 'fd00::1', '::ffff:127.0.0.1', '0.0.0.0', '::']) {
      const answer = await fetched('https://hooks.example/', { ...strict, resolve: resolvesTo(address) })
      expect(answer).toContain(`hooks.example resolves to ${address}, `)
    }
    expect(await fetched(url, { ...open, resolve: resolvesTo('::ffff:127.0.0.1') })).toContain(
      'in the form of an IPv6 one',
    )
  })

  it('is checked where nothing is looked up', async () => {
    expect(await fetched('https://10.0.0.1/', strict)).toContain('10.0.0.1 is a private address')
    expect(await fetched(`http://127.0.0.2:${port}/`, strict)).toContain('127.0.0.2 is a loopback address')
    expect(await fetched('http://[::ffff:7f00:1]/', open)).toContain('in the form of an IPv6 one')
    expect(await fetched('http://8.8.8.8/', open)).toContain('plain http does not go there')
  })

  it('is the one that was checked: a name that changes its mind is asked once', async () => {
    let asked = 0
    const rebinding: Resolve = (_hostname, done) => {
      asked++
      done(null, [{ address: asked === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }])
    }
    const lookup = checkedLookup({ ...strict, resolve: rebinding })
    const address = await new Promise(done => lookup('hooks.example', {}, (_error, found) => done(found)))
    expect([address, asked]).toEqual(['93.184.216.34', 1])
    const second = await new Promise(done => lookup('hooks.example', {}, error => done(error?.message)))
    expect(second).toContain('resolves to 127.0.0.1')
  })

  it('leaves out what may not be reached among several', async () => {
    const lookup = checkedLookup({ ...strict, resolve: resolvesTo('10.0.0.1', '2606:4700::1111', '8.8.8.8') })
    const all = await new Promise(done => lookup('a.example', { all: true }, (_error, found) => done(found)))
    expect(all).toEqual([
      { address: '2606:4700::1111', family: 6 },
      { address: '8.8.8.8', family: 4 },
    ])
    const four = await new Promise(done => lookup('a.example', { family: 4 }, (_error, found) => done(found)))
    expect(four).toBe('8.8.8.8')
  })
})
