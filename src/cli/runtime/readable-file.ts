/** Checks a file from the command line before any other work starts. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import path from 'node:path'
import { ServiceError } from '../../core/errors.ts'

/** Maximum length of a path. No file system has longer file names, and paths are rarely this long. */
const MOST_NAME_CHARACTERS = 1_024

/** Returns the absolute path of a readable file. Throws ServiceError `usage`. */
export async function resolveReadable(given: string): Promise<string> {
  const file = path.resolve(given)
  try {
    const found = await stat(file)
    if (found.isDirectory()) throw new ServiceError('usage', `${given} is a folder. Use a file.`)
    await access(file, constants.R_OK)
    return file
  } catch (error) {
    if (error instanceof ServiceError) throw error
    // Leave out the cause: it also contains the text, and --debug prints causes.
    if (isDocument(given)) {
      throw new ServiceError(
        'usage',
        `A file name is needed, not the contents of a file (${given.length} characters).`,
        {
          suggestions: ['Give a file name, or pipe the text in if the command accepts - for stdin.'],
        },
      )
    }
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw new ServiceError(
      'usage',
      isAbsent ? `The file ${given} does not exist.` : `The file ${given} cannot be read.`,
      {
        suggestions: [isAbsent ? 'Check the path.' : 'Check its permissions.'],
        cause: error,
      },
    )
  }
}

/** Returns whether the text is a document instead of a file name. A document may contain personal data, so it must not be repeated. */
function isDocument(given: string): boolean {
  return given.length > MOST_NAME_CHARACTERS || /^\s*[{[]|\n/.test(given)
}
