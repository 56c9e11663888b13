/** Finds a PostgreSQL store's password. */
import { Writable } from 'node:stream'
import type { StoreUrl } from '../../core/store-url.ts'

/**
 * Returns the URL with its password: its own, otherwise PGPASSWORD, otherwise the one in ~/.pgpass (or PGPASSFILE). Without any of them,
 * the URL has no password, for servers that do not require one. `note` receives the reason if a password file is not used.
 */
export async function withPassword(url: StoreUrl, note?: (line: string) => void): Promise<StoreUrl> {
  const password = url.password ?? process.env['PGPASSWORD'] ?? (await fromFile(url, note))
  return { ...url, password: password === '' ? null : password }
}

/** Reads the password file. The driver would read it too, but warns that it will stop doing so. */
async function fromFile(url: StoreUrl, note?: (line: string) => void): Promise<string | null> {
  const { default: pgpass } = await import('pgpass')
  const warnings = new Writable({
    write(chunk, _encoding, done) {
      note?.(String(chunk).trim())
      done()
    },
  })
  const before = pgpass.warnTo(warnings)
  try {
    return await new Promise(resolve => pgpass(url, password => resolve(password ?? null)))
  } finally {
    pgpass.warnTo(before)
  }
}
