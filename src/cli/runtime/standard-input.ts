/** Reads stdin: a secret on one line, or a whole document. */
import { fstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { ServiceError } from '../../core/errors.ts'
import { resolveReadable } from './readable-file.ts'

const SECRET_LIMIT_BYTES = 64 * 1024
const DOCUMENT_LIMIT_BYTES = 16 * 1024 * 1024

/** Returns the first line of stdin, for `--password-stdin` and similar flags (`flag` is the name). Throws ServiceError `missing_input`. */
export async function readSecretLine(flag: string): Promise<string> {
  const text = (await readStdin(flag, SECRET_LIMIT_BYTES)).toString('utf8')
  const line = text.split('\n')[0]?.replace(/\r$/, '') ?? ''
  if (line === '') throw new ServiceError('missing_input', `${flag} was given, but stdin is empty.`)
  return line
}

/** Returns the text of a file, or of stdin for `-`. Throws ServiceError `missing_input` on a terminal, and `usage`. */
export async function readText(given: string): Promise<string> {
  if (given !== '-') return readFile(await resolveReadable(given), 'utf8')
  return (await readStdin('-', DOCUMENT_LIMIT_BYTES)).toString('utf8')
}

/**
 * Returns the whole of stdin; `flag` is the flag that requires it. Throws ServiceError `missing_input` on a terminal, and the `tooLong`
 * error beyond the limit.
 */
export async function readStdin(
  flag: string,
  limitBytes: number,
  tooLong = () => new ServiceError('usage', `Stdin exceeds the limit of ${limitBytes} bytes.`),
): Promise<Buffer> {
  if (process.stdin.isTTY) {
    throw new ServiceError('missing_input', `${flag} reads from stdin, but stdin is a terminal.`, {
      suggestions: ['Use a pipe or redirect a file: `… < FILE`.'],
    })
  }
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of process.stdin) {
    sizeBytes += (chunk as Buffer).length
    if (sizeBytes > limitBytes) throw tooLong()
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

/** Throws ServiceError `missing_input` when stdin is a pipe or a file, because its content would be ignored silently. */
export function checkNothingPiped(): void {
  if (process.stdin.isTTY || !isPiped()) return
  throw new ServiceError(
    'missing_input',
    'Stdin is a pipe or a file, but neither --field nor --input is given for the body.',
    {
      suggestions: ['Add --input - to read the body from stdin, or redirect stdin from /dev/null.'],
    },
  )
}

/** Returns whether stdin may have data. The null device and a missing stdin never have any. */
function isPiped(): boolean {
  try {
    const stdin = fstatSync(0)
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket()
  } catch {
    return false
  }
}
