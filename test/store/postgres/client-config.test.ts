/** How a connection to PostgreSQL uses TLS. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { clientConfig } from '../../../src/store/postgres/client-config.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const folder = temporaryFolder()
const pem = (name: string): string => {
  const file = join(folder, name)
  writeFileSync(file, `text of ${name}`)
  return file
}
const sslConfig = (parameters: string) =>
  clientConfig(parseStoreUrl(`postgres://svc@db.example.com/svc?${parameters}`)).ssl

it.each([
  ['sslmode=disable', false],
  ['sslmode=require', { rejectUnauthorized: false, checkServerIdentity: expect.any(Function) }],
  ['sslmode=verify-ca', { rejectUnauthorized: true, checkServerIdentity: expect.any(Function) }],
  ['sslmode=verify-full', { rejectUnauthorized: true }],
  ['', { rejectUnauthorized: true }],
])('%s', (parameters, expected) => expect(sslConfig(parameters)).toEqual(expected))

it('reads the files in the URL', () => {
  const files = `sslrootcert=${pem('ca')}&sslcert=${pem('cert')}&sslkey=${pem('key')}`
  expect(sslConfig(files)).toEqual({
    rejectUnauthorized: true,
    ca: 'text of ca',
    cert: 'text of cert',
    key: 'text of key',
  })
  // as with libpq, an authority to trust is an authority to check
  expect(sslConfig(`sslmode=require&sslrootcert=${pem('ca')}`)).toMatchObject({
    rejectUnauthorized: true,
    ca: 'text of ca',
  })
})

it('refuses a file that cannot be read', () => {
  expect(() => sslConfig('sslrootcert=/nowhere/ca.pem')).toThrow(
    /\/nowhere\/ca\.pem, specified by sslrootcert in .* \(ENOENT\)/,
  )
})
