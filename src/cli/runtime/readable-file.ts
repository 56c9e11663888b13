/** Checks a file that a user names before anything is begun with it. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import path from 'node:path'
import { ServiceError } from '../../core/errors.ts'

/** Longer names are none on any file system; paths are rarely as long. */
const MOST_NAME_CHARACTERS = 1_024

/** The absolute path of a file that can be read. Throws ServiceError `usage`. */
export async function checkReadable(given: string): Promise<string> {
  const file = path.resolve(given)
  try {
    const found = await stat(file)
    if (found.isDirectory()) throw new ServiceError('usage', `${given} is a folder; a file is needed.`)
    await access(file, constants.R_OK)
    return file
  } catch (error) {
    if (error instanceof ServiceError) throw error
    // without the cause: it holds the text too, and --debug shows causes
    if (isDocument(given)) {
      throw new ServiceError('usage', `A file is needed, not the text itself (${given.length} characters).`, {
        suggestions: ['Name a file, or hand the text in through a pipe where the command takes -.'],
      })
    }
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw new ServiceError('usage', isAbsent ? `There is no file ${given}.` : `The file ${given} cannot be read.`, {
      suggestions: [isAbsent ? 'Check the path.' : 'Check its permissions.'],
      cause: error,
    })
  }
}

/** A document in the place of a file's name: it may hold anything about anybody, so it is not said back. */
function isDocument(given: string): boolean {
  return given.length > MOST_NAME_CHARACTERS || /^\s*[{[]|\n/.test(given)
}
