/** Reads and writes files that are verified or signed by hand: the body of a webhook, byte for byte, its headers, and signed documents. */
import { readFile, stat } from 'node:fs/promises'
import { ServiceError } from '../../core/errors.ts'
import { saveFile } from '../output/output-file.ts'
import { resolveReadable } from '../runtime/readable-file.ts'
import { readStdin } from '../runtime/standard-input.ts'

const STDIN = '-'
/** Maximum size of a file. A webhook has at most 1 MiB, and a signed document that lists 10,000 samples a few. */
const MOST_BYTES = 16 << 20

/** Returns the bytes of a file, or of stdin for `-`. Throws ServiceError `usage` or `missing_input`. */
export async function readBytes(given: string, flag: string): Promise<Uint8Array> {
  if (given === STDIN) return readStdin(`${flag} -`, MOST_BYTES, () => tooLong(flag))
  const file = await resolveReadable(given)
  // The size of a shell pipe is not known here, so the bytes are checked again below.
  if ((await stat(file)).size > MOST_BYTES) throw tooLong(flag)
  const bytes = await readFile(file)
  if (bytes.length > MOST_BYTES) throw tooLong(flag)
  return bytes
}

/** Throws ServiceError `usage` when more than one input would come from stdin. */
export function checkStdinOnce(uses: Readonly<Record<string, boolean>>): void {
  const names = Object.entries(uses).flatMap(([name, isUsed]) => (isUsed ? [name] : []))
  if (names.length < 2) return
  throw new ServiceError('usage', `${names.join(' and ')} cannot both read from stdin. Use a file for one of them.`)
}

/** Returns whether the name stands for stdin. */
export function isStdin(given: string): boolean {
  return given === STDIN
}

/** Writes `name: value` lines that `curl -H @FILE` can read. */
export async function writeHeaders(file: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  await saveFile(file, lines)
}

function tooLong(flag: string): ServiceError {
  return new ServiceError('usage', `${flag} is larger than the limit of ${MOST_BYTES >> 20} MiB. Choose another file.`)
}
