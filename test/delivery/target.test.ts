/** The allowed targets of webhooks, checked by URL and by the address that a name currently resolves to. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  checkedConnector,
  checkedLookup,
  type LookupOptions,
  type Resolve,
  refuseTarget,
} from '../../src/delivery/target.ts'
import { addressKind } from '../../src/engine/webhooks/address-kind.ts'
import { targetOptions, targetProblem } from '../../src/engine/webhooks/target.ts'

const strict = { allowPrivate: false, allowLoopback: true }
const open = { allowPrivate: true, allowLoopback: true }
/** The widest permission of a team's own key. */
const team = { allowPrivate: true, allowLoopback: false }

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
    ['https://example.com./', 'have a host that ends with a dot'],
    ['http://localhost.:3000/', 'have a host that ends with a dot'],
    ['http://app.localhost:3000/', 'must name this machine as'],
    ['http://example.com/', 'must begin with https'],
    ['http://8.8.8.8/', 'must begin with https'],
    ['https://%6cocalhost/', 'must have its address written as localhost'],
    ['https://ex%61mple.com/', 'must have its host written as example.com'],
    ['http://ⓛocalhost/', 'must have its address written as localhost'],
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
  ])('cannot refer to this machine in another spelling: %s', host => {
    for (const options of [strict, open]) expect(targetProblem(`http://${host}:3000/`, options)).not.toBeNull()
  })

  it.each([
    ['10.0.0.1', 'a private address'],
    ['172.31.255.255', 'a private address'],
    ['192.168.1.1', 'a private address'],
    ['100.100.100.200', 'metadata'],
    ['127.0.0.2', 'a loopback address'],
    ['169.254.169.254', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['0.0.0.0', 'the unspecified address'],
    ['255.255.255.255', 'special use'],
    ['224.0.0.1', 'multicast'],
    ['[fd00:ec2::254]', 'metadata'],
    ['[fe80::1]', 'link-local'],
    ['[::]', 'the unspecified address'],
    ['[::ffff:a00:1]', 'written as IPv6'],
    ['[::ffff:7f00:1]', 'written as IPv6'],
    ['[64:ff9b::a00:1]', 'the NAT64 form of a private address'],
    ['[2002:a00:1::]', 'special use'],
    ['[::a00:1]', 'special use'],
    ['[4000::1]', 'special use'],
  ])('cannot be %s', (host, words) => expect(targetProblem(`https://${host}/`, strict)).toContain(words))

  it('may be private where that is allowed, also over plain http, but never a mapped or impossible address', () => {
    for (const host of ['10.0.0.1', '127.0.0.2', '[fd00::1]', 'app.internal']) {
      expect(targetProblem(`http://${host}:3000/`, open)).toBeNull()
    }
    for (const host of ['0.0.0.0', '224.0.0.1', '[::ffff:a00:1]', '169.254.169.254', '[fd00:ec2::254]']) {
      expect(targetProblem(`https://${host}/`, open)).not.toBeNull()
    }
    expect(targetProblem('http://8.8.8.8/', open)).toContain('must begin with https')
  })
})

describe('the kind of key that set the URL', () => {
  it.each([
    ['operator', 'operator', true],
    ['operator', 'team', false],
    ['operator', null, false],
    ['any', 'team', true],
    ['any', null, true],
    ['none', 'operator', false],
    ['none', 'team', false],
  ] as const)('decides on loopback when it is open to %s: set by %s, allowed: %s', (loopbackTargets, setBy, isOpen) => {
    const options = targetOptions({ allowPrivateTargets: false, loopbackTargets }, setBy)
    expect(options).toEqual({ allowPrivate: false, allowLoopback: isOpen })
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const problem = targetProblem(`http://${host}:3000/`, options)
      if (isOpen) expect(problem).toBeNull()
      else expect(problem).toMatch(/^leads to this machine, .*operator's key.*--allow-loopback-targets/)
    }
  })

  it('keeps teams from reaching this machine even where private networks are allowed', () => {
    for (const host of ['127.0.0.1', '127.0.0.2', 'localhost', '[::1]']) {
      expect(targetProblem(`http://${host}:3000/`, team), host).toContain('--allow-loopback-targets')
    }
    expect(targetProblem('http://10.0.0.1:3000/', team)).toBeNull()
  })
})

describe('an address that no setting allows', () => {
  it.each([
    ['169.254.169.254', 'EC2, Google, Azure, OpenStack and others'],
    ['169.254.170.2', 'ECS'],
    ['169.254.0.1', 'link-local'],
    ['100.100.100.200', 'Alibaba Cloud'],
    ['168.63.129.16', 'Azure'],
    ['192.0.0.192', 'Oracle Cloud Classic'],
    ['fe80::1', 'link-local'],
    ['fe80::a9fe:a9fe', 'OpenStack'],
    ['febf:ffff::1', 'link-local'],
    ['fd00:ec2::254', 'AWS'],
    ['fd00:ec2::23', 'AWS EKS'],
    ['fd20:ce::254', 'Google Cloud'],
    ['fd00:c1::a9fe:a9fe', 'Oracle Cloud'],
    ['fd00:42::42', 'Scaleway'],
    ['fd00:a9fe:a9fe::1', 'Linode'],
    ['fd00:100::100:200', 'Alibaba Cloud'],
    ['::ffff:169.254.169.254', 'IPv4-mapped'],
    ['::ffff:10.0.0.1', 'IPv4-mapped'],
    ['::ffff:8.8.8.8', 'IPv4-mapped'],
    ['::169.254.169.254', 'IPv4-compatible'],
    ['::ffff:0:169.254.169.254', 'IPv4-translated'],
    ['64:ff9b::169.254.169.254', 'NAT64'],
    ['64:ff9b::100.100.100.200', 'NAT64'],
    ['64:ff9b::10.0.0.1', 'NAT64'],
    ['64:ff9b::127.0.0.1', 'NAT64'],
    ['64:ff9b:1::a9fe:a9fe', 'NAT64 of a local network'],
    ['64:ff9b:1:ffff::808:808', 'NAT64 of a local network'],
    ['2002:a9fe:a9fe::1', '6to4'],
    ['2002:808:808::1', '6to4'],
    ['2001:0:a9fe:a9fe::1', 'Teredo'],
    ['2a00:1450::5efe:169.254.169.254', 'ISATAP'],
    ['2a00:1450::200:5efe:8.8.8.8', 'ISATAP'],
    ['fd00::5efe:169.254.169.254', 'ISATAP'],
    ['fd00::200:5efe:127.0.0.1', 'ISATAP'],
    ['fe80::5efe:10.0.0.1', 'ISATAP'],
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
  ])('is %s (%s)', async (address, _what) => {
    expect(addressKind(address).kind).toBe('refused')
    const host = address.includes(':') ? `[${new URL(`http://[${address}]/`).hostname.slice(1, -1)}]` : address
    for (const scheme of ['http', 'https']) expect(targetProblem(`${scheme}://${host}/`, open)).not.toBeNull()
    const lookup = checkedLookup({ ...open, resolve: resolvesTo(address) })
    const refused = await new Promise<Error | null>(done => lookup('hooks.example', {}, error => done(error)))
    expect(refused?.message).toMatch(/^hooks\.example resolves to .*, to which webhooks are not sent$/)
    expect(refused?.message).not.toContain(address)
  })

  it('does not include the NAT64 form of a public one, which a resolver returns on an IPv6-only host', () => {
    expect(addressKind('64:ff9b::8.8.8.8').kind).toBe('public')
  })
})

const resolvesTo =
  (...addresses: string[]): Resolve =>
  (_hostname, done) =>
    done(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )

describe('the address to connect to', () => {
  let server: Server
  let port = 0
  beforeAll(async () => {
    server = createServer((_request, response) => response.end('here'))
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => new Promise(done => server.close(done)))

  const fetched = async (url: string, options: LookupOptions): Promise<string> => {
    const agent = new Agent({ connect: await checkedConnector(options) })
    try {
      const response = await request(url, { dispatcher: agent })
      return await response.body.text()
    } catch (error) {
      return (error as Error).message
    } finally {
      await agent.destroy()
    }
  }

  it('is on this machine for its three names', async () => {
    expect(await fetched(`http://127.0.0.1:${port}/`, strict)).toBe('here')
    expect(await fetched(`http://localhost:${port}/`, strict)).toBe('here')
    expect(await fetched(`http://localhost:${port}/`, { ...strict, resolve: resolvesTo('10.0.0.1') })).toBe(
      'localhost is a private address here instead of this machine',
    )
  })

  it('is never a private one behind a public name, unless that is allowed', async () => {
    const hidden = { resolve: resolvesTo('127.0.0.1') }
    const url = `http://hooks.example:${port}/`
    expect(await fetched(url, { ...strict, ...hidden })).toContain(
      'hooks.example resolves to a loopback address, to which webhooks are not sent',
    )
    expect(await fetched(url, { ...open, ...hidden })).toBe('here')
    for (const address of ['10.1.2.3', '169.254.169.254', 'fd00::1', '::ffff:127.0.0.1', '0.0.0.0', '::']) {
      const response = await fetched('https://hooks.example/', { ...strict, resolve: resolvesTo(address) })
      expect(response).toContain('to which webhooks are not sent')
      // a team must not learn what names resolve to in this network
      expect(response).not.toContain(address)
    }
    expect(await fetched(url, { ...team, ...hidden })).toContain('hooks.example resolves to a loopback address')
    expect(await fetched(url, { ...open, resolve: resolvesTo('::ffff:127.0.0.1') })).toContain('written as IPv6')
  })

  it('is never on this machine for a team', async () => {
    for (const host of ['localhost', '127.0.0.1', '127.0.0.2', '[::1]']) {
      for (const allowPrivate of [false, true]) {
        const response = await fetched(`http://${host}:${port}/`, { allowPrivate, allowLoopback: false })
        expect(response, host).toContain('--allow-loopback-targets')
      }
    }
  })

  it('is checked even if no name is resolved', async () => {
    expect(await fetched('https://10.0.0.1/', strict)).toContain('10.0.0.1 is a private address')
    expect(await fetched(`http://127.0.0.2:${port}/`, strict)).toContain('127.0.0.2 is a loopback address')
    expect(await fetched('http://[::ffff:7f00:1]/', open)).toContain('written as IPv6')
    expect(await fetched('http://8.8.8.8/', open)).toContain('webhooks go there by https only')
  })

  it('is the one that was checked: a name that changes its address is resolved only once', async () => {
    let asked = 0
    const rebinding: Resolve = (_hostname, done) => {
      asked++
      done(null, [{ address: asked === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }])
    }
    const lookup = checkedLookup({ ...strict, resolve: rebinding })
    const address = await new Promise(done => lookup('hooks.example', {}, (_error, found) => done(found)))
    expect([address, asked]).toEqual(['93.184.216.34', 1])
    const second = await new Promise(done => lookup('hooks.example', {}, error => done(error?.message)))
    expect(second).toContain('resolves to a loopback address')
  })

  it('excludes forbidden addresses if there are several', async () => {
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
