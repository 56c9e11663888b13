/** The URL of a PostgreSQL store: its allowed parts, and that its password is never shown. */
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../src/core/errors.ts'
import { parseStoreUrl, shownStore, storeUrlOfArgument, storeUrlText } from '../../src/core/store-url.ts'

/** Part of every refused URL; it must not be repeated. */
const SECRET = 'Tr0ub4dor'

function refusalOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    expect(error.code).toBe('usage')
    return [error.message, ...error.suggestions].join('\n')
  }
  throw new Error('nothing was refused')
}

describe('a store URL', () => {
  it('contains host, port, database, user and password', () => {
    expect(parseStoreUrl('postgres://svc:p%40ss%2Fw%25rd@db.example.com:6432/health')).toEqual({
      host: 'db.example.com',
      port: 6432,
      database: 'health',
      user: 'svc',
      password: 'p@ss/w%rd',
      sslMode: 'verify-full',
      sslRootCert: null,
      sslCert: null,
      sslKey: null,
    })
  })

  it.each([
    ['postgresql://svc@db.example.com/svc', { port: 5432, password: null, sslMode: 'verify-full' }],
    ['postgres://svc:@localhost/svc', { host: 'localhost', password: null, sslMode: 'disable' }],
    ['postgres://svc@127.0.0.1/svc', { sslMode: 'disable' }],
    ['postgres://svc@[::1]:5433/svc', { host: '::1', port: 5433, sslMode: 'disable' }],
    ['postgres://svc@[2001:db8::7]/svc', { host: '2001:db8::7', sslMode: 'verify-full' }],
    ['postgres://a%20b@h/d%C3%A9', { user: 'a b', database: 'dé' }],
    ['postgres://svc@h/svc?sslmode=require', { sslMode: 'require', sslRootCert: null }],
    ['postgres://svc@h/svc?sslrootcert=/ca.pem', { sslMode: 'verify-full', sslRootCert: '/ca.pem' }],
    [
      'postgres://svc@h/svc?sslmode=verify-ca&sslcert=/c.pem&sslkey=/k.pem',
      { sslMode: 'verify-ca', sslCert: '/c.pem', sslKey: '/k.pem' },
    ],
  ])('%s', (text, parts) => {
    expect(parseStoreUrl(text)).toMatchObject(parts)
    // the shown URL and the stored one refer to the same store
    const url = parseStoreUrl(text)
    expect(parseStoreUrl(storeUrlText(url))).toEqual(url)
    expect(parseStoreUrl(shownStore(url))).toEqual({ ...url, password: null })
  })

  it.each([
    ['', /postgres:\/\/USER@HOST/],
    [`mysql://svc:${SECRET}@h/svc`, /start with postgres/],
    [`svc:${SECRET}@h/svc`, /start with postgres/],
    [`postgres://:${SECRET}@h/svc`, /no user/],
    [`postgres://svc:${SECRET}@h`, /no database name/],
    [`postgres://svc:${SECRET}@h/`, /no database name/],
    [`postgres://svc:${SECRET}@h/a/b`, /no database name/],
    [`postgres:///svc?password=${SECRET}`, /no host/],
    [`postgres://svc:${SECRET}@%2Fvar%2Frun/svc`, /Unix socket/],
    [`postgres://svc:${SECRET}@h1:5432,h2:5432/svc`, /invalid/],
    [`postgres://svc:${SECRET}@h:99999/svc`, /invalid/],
    [`postgres://svc:${SECRET}%@h/svc`, /does not start a percent-encoding/],
    // a password with unencoded characters, which become other parts of the URL
    [`postgres://svc:a/${SECRET}@h/svc`, /%2F/],
    [`postgres://svc:1/${SECRET}@h/svc`, /%2F/],
    [`postgres://svc:1?${SECRET}@h/svc`, /%2F/],
    [`postgres://svc:x#${SECRET}@h/svc`, /%2F/],
    [`postgres://svc@h/svc#${SECRET}`, /fragment/],
    [`postgres://svc@h/svc?password=${SECRET}`, /Allowed: sslmode, sslrootcert, sslcert, sslkey/],
    [`postgres://svc@h/svc?${SECRET}=1`, /Allowed: sslmode/],
    ['postgres://svc@h/svc?sslmode=require&sslmode=disable', /repeated/],
    [`postgres://svc@h/svc?sslmode=${SECRET}`, /Allowed: disable, require, verify-ca, verify-full/],
    ['postgres://svc@h/svc?sslmode=prefer', /Allowed: disable, require/],
    ['postgres://svc@h/svc?sslcert=/c.pem', /only one of sslcert and sslkey/],
    ['postgres://svc@h/svc?sslmode=disable&sslrootcert=/ca.pem', /uses none/],
  ])('is refused without being repeated: %s', (text, says) => {
    const said = refusalOf(() => parseStoreUrl(text))
    expect(said).toMatch(says)
    expect(said).toContain('postgres://USER@HOST:PORT/DATABASE')
    expect(said).not.toContain(SECRET)
  })

  it('with a password is refused as an argument, and the message lists the three ways to pass one', () => {
    const said = refusalOf(() => storeUrlOfArgument(`postgres://svc:${SECRET}@h/svc`, '--store'))
    expect(said).toMatch(/--store contains a password.*\(ps\).*history/s)
    for (const way of ['SVC_STORE', '--store-password-stdin', 'PGPASSWORD', '~/.pgpass', 'PGPASSFILE'])
      expect(said).toContain(way)
    expect(said).not.toContain(SECRET)
    expect(storeUrlOfArgument('postgres://svc@h/svc', '--store').user).toBe('svc')
  })
})
