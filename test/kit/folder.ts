/** A temporary folder for a test, removed when the test file ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEndOfFile } from './end-of-file.ts'

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
