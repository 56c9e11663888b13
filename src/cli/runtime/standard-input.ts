/** Reads stdin: a secret on one line, or a whole document. */
import { fstatSync } from 'node:fs'
import { ServiceError } from '../../core/errors.ts'

const SECRET_LIMIT_BYTES = 64 * 1024
const DOCUMENT_LIMIT_BYTES = 16 * 1024 * 1024

/** Returns the first line of stdin, for `--password-stdin` and similar flags (`flag` is the name). Throws ServiceError `missing_input`. */
export async function readSecret(flag: string): Promise<string> {
  const text = await readAll(flag, SECRET_LIMIT_BYTES)
  const line = text.split('\n')[0]?.replace(/\r$/, '') ?? ''
  if (line === '') throw new ServiceError('missing_input', `${flag} was given, but stdin is empty.`)
  return line
}

/** Returns all of stdin as text, for `-`. Throws ServiceError `missing_input` on a terminal, `usage` when it is too long. */
export function readDocument(): Promise<string> {
  return readAll('-', DOCUMENT_LIMIT_BYTES)
}

async function readAll(flag: string, limitBytes: number): Promise<string> {
  if (process.stdin.isTTY) {
    throw new ServiceError('missing_input', `${flag} reads from stdin, but stdin is a terminal.`, {
      suggestions: ['Use a pipe or redirect a file: `… < FILE`.'],
    })
  }
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of process.stdin) {
    sizeBytes += (chunk as Buffer).length
    if (sizeBytes > limitBytes) throw new ServiceError('usage', `Stdin exceeds the limit of ${limitBytes} bytes.`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
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

/** The null device and a missing stdin provide no data. */
function isPiped(): boolean {
  try {
    const stdin = fstatSync(0)
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket()
  } catch {
    return false
  }
}
