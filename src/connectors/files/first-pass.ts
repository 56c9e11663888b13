/** Facts about a whole file that are collected before its import: it is read twice. */
import { ServiceError } from '../../core/errors.ts'

/** Runs a pass that only inspects a file. It stops at damage: the second pass reads up to the same damage and reports it. */
export async function firstPass(look: () => Promise<void>): Promise<void> {
  try {
    await look()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file') throw error
  }
}
