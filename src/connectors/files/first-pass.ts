/** Collects facts about a whole file before its import, so the file is read twice. */
import { ServiceError } from '../../core/errors.ts'

/** Runs a pass that only inspects a file. It stops silently at damage, which the second pass reports. */
export async function firstPass(look: () => Promise<void>): Promise<void> {
  try {
    await look()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file') throw error
  }
}
