/** Finds a PostgreSQL store's password. */
import { Writable } from 'node:stream'
import type { StoreUrl } from '../../core/store-url.ts'

/**
 * Returns the URL with its password, taken from the URL itself, PGPASSWORD, or ~/.pgpass (or PGPASSFILE), in this order. If none of them
 * has a password, the URL has none, because some servers do not require one. Calls `note` with the reason if a password file is not used.
 */
export async function withPassword(url: StoreUrl, note?: (line: string) => void): Promise<StoreUrl> {
  const password = url.password ?? process.env['PGPASSWORD'] ?? (await fromFile(url, note))
  return { ...url, password: password === '' ? null : password }
}

/** Reads the password file. The driver would also read it, but warns that it will stop doing so. */
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
