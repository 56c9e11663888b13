/** The errors when PostgreSQL cannot be used, from driver errors and from servers that behave badly. */
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/core/errors.ts'
import { parseStoreUrl, type StoreUrl, shownStore } from '../../../src/core/store-url.ts'
import { toConnectionError } from '../../../src/store/postgres/connect-errors.ts'
import { probeStore } from '../../../src/store/postgres/probe.ts'
import { foreignDatabase, schemaTooNew, serverTooOld } from '../../../src/store/postgres/store-errors.ts'
import { freePort } from '../../kit/free-port.ts'
import { LET_IN, refusing, SECRET, storeThat, versionRow } from './fake-server.ts'

const SHOWN = 'postgres://svc@db:5432/svc'

const withCode = (code: string): Error => Object.assign(new Error(`the server says ${SECRET}`), { code })

function refusal(error: unknown): ServiceError {
  expect(error).toBeInstanceOf(ServiceError)
  const found = error as ServiceError // as the line above says
  expect(`${found.message} ${found.suggestions.join(' ')} ${JSON.stringify(found.body)}`).not.toContain(SECRET)
  return found
}

describe('a driver error', () => {
  it.each([
    ['28P01', 'store_unusable', 2, /refused the user or the password/],
    ['28000', 'store_unusable', 2, /does not allow this user to connect/],
    ['3D000', 'store_unusable', 2, /no database with this name/],
    ['42501', 'store_unusable', 2, /may not create or use tables/],
    ['53100', 'disk_full', 7, /disk of the PostgreSQL server is full/],
    ['53300', 'store_unreachable', 7, /no free connection/],
    ['57P01', 'store_unreachable', 7, /shut down/],
    ['57P02', 'store_unreachable', 7, /crashed/],
    ['57P03', 'store_unreachable', 7, /starting or stopping/],
    ['25006', 'store_unreachable', 7, /standby/],
    ['08006', 'store_unreachable', 7, /connection broke/],
    ['08P01', 'store_unreachable', 7, /connection broke/],
    ['ECONNREFUSED', 'store_unreachable', 7, /nothing listens there/],
    ['ENOTFOUND', 'store_unreachable', 7, /does not resolve/],
    ['ETIMEDOUT', 'store_unreachable', 7, /took too long/],
    ['ECONNRESET', 'store_unreachable', 7, /connection broke/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'store_unusable', 2, /authority that is not trusted/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'store_unusable', 2, /another host name/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'store_unusable', 2, /TLS failed \(ERR_SSL_WRONG_VERSION_NUMBER\)/],
  ])('%s becomes %s, with a remedy', (code, name, exit, says) => {
    const found = refusal(toConnectionError(withCode(code), SHOWN))
    expect(found).toMatchObject({ code: name, exitCode: exit })
    expect(found.message).toMatch(says)
    expect(found.suggestions.length).toBeGreaterThan(0)
    // clients over HTTP do not see the store's location
    expect(JSON.stringify(found.body)).not.toContain('db:5432')
  })

  it.each([
    ['replication_factor (1) exceeds number of worker nodes (0)', /does not have a worker/, /citus_add_node/],
    ['operation is not allowed on this node', /only the coordinator/, /--store/],
  ])('of Citus, "%s", says what to do', (message, says, remedy) => {
    const found = refusal(toConnectionError(Object.assign(new Error(message), { code: 'XX000' }), SHOWN))
    expect(found).toMatchObject({ code: 'store_unusable', exitCode: 2 })
    expect(found.message).toMatch(says)
    expect(found.suggestions.join(' ')).toMatch(remedy)
  })

  it('has the code of its cause, or of the host’s first address', () => {
    const wrapped = new Error('Connection terminated due to connection timeout', { cause: withCode('ECONNREFUSED') })
    expect(refusal(toConnectionError(wrapped, SHOWN)).message).toMatch(/nothing listens/)
    const addresses = new AggregateError([withCode('ECONNREFUSED'), withCode('ENETUNREACH')])
    expect(refusal(toConnectionError(addresses, SHOWN)).message).toMatch(/nothing listens/)
  })

  it('is unchanged if it is a bug of ours, or already a refusal', () => {
    const bug = withCode('42601')
    expect(toConnectionError(bug, SHOWN)).toBe(bug)
    const own = new ServiceError('conflict', 'x')
    expect(toConnectionError(own, SHOWN)).toBe(own)
  })
})

describe('a store that cannot be used', () => {
  it('is refused with a remedy', () => {
    expect(serverTooOld('14.9', SHOWN)).toMatchObject({ code: 'store_unusable', status: 500, exitCode: 2 })
    expect(foreignDatabase(SHOWN).message).toMatch(/belongs to another application; nothing in it was changed/)
    expect(schemaTooNew(SHOWN, 12, 9)).toMatchObject({ code: 'data_too_new', exitCode: 2 })
  })
})

const probe = async (url: StoreUrl) => {
  const found = refusal(await probeStore(url, 500).catch((error: unknown) => error))
  expect(found.message).toContain(shownStore(url))
  return found
}

describe('a server', () => {
  it('is found, with its version', async () => {
    const row = versionRow('16.4 (Debian 16.4-1)')
    // the second query, for the schema, finds no store
    const url = await storeThat(LET_IN, row, row)
    expect(await probeStore(url, 2_000)).toMatchObject({ server: '16.4', schema: { version: null } })
  })

  it('that is older than PostgreSQL 15 is refused', async () => {
    const found = await probe(await storeThat(LET_IN, versionRow('14.13')))
    expect(found.message).toMatch(/runs PostgreSQL 14\.13, and svc needs 15 or newer/)
  })

  it('that refuses the password, is starting, or has no such database is reported', async () => {
    expect((await probe(await storeThat(refusing('28P01')))).code).toBe('store_unusable')
    expect((await probe(await storeThat(refusing('57P03')))).code).toBe('store_unreachable')
    expect((await probe(await storeThat(refusing('3D000')))).message).toMatch(/no database with this name/)
  })

  it('that stops in the middle is reported', async () => {
    const found = await probe(await storeThat(LET_IN, socket => socket.destroy()))
    expect(found).toMatchObject({ code: 'store_unreachable', status: 503 })
  })

  it('that never responds is reported after a time limit', async () => {
    expect((await probe(await storeThat())).message).toMatch(/took too long/)
  })

  it('that cannot be found is reported', async () => {
    const url = parseStoreUrl(`postgres://svc:${SECRET}@127.0.0.1:${await freePort()}/svc`)
    expect((await probe(url)).message).toMatch(/nothing listens there/)
  })

  it('without TLS is refused if the URL requires TLS', async () => {
    const url = { ...(await storeThat(Buffer.from('N'))), sslMode: 'require' } as const
    expect((await probe(url)).message).toMatch(/does not support TLS/)
  })
})
