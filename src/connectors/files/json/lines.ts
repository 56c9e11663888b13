/** Streaming reader for NDJSON, one document per line. A line that is not JSON counts as one bad record and does not stop the reader. */
import { ServiceError } from '../../../core/errors.ts'
import { TextStart } from '../bytes/text-encoding.ts'
import { MOST_VALUE_BYTES } from './capture.ts'
import { parseUtf8Json } from './items.ts'
import type { JsonRecord } from './record.ts'

const LF = 0x0a

/** Splits lines and ignores empty ones. Throws ServiceError `invalid_file` for a line over 16 MiB. */
export class JsonLines {
  private records: JsonRecord[] = []
  private readonly start = new TextStart()
  private carried: Buffer[] = []
  private carriedBytes = 0
  private line = 1

  take(): readonly JsonRecord[] {
    const records = this.records
    this.records = []
    return records
  }

  write(bytes: Uint8Array): void {
    this.scan(this.start.next(bytes))
  }

  end(): void {
    this.scan(this.start.rest())
    this.finishLine()
  }

  private scan(bytes: Uint8Array): void {
    let from = 0
    for (;;) {
      const at = bytes.indexOf(LF, from)
      const part = bytes.subarray(from, at === -1 ? bytes.length : at)
      this.carriedBytes += part.length
      if (this.carriedBytes > MOST_VALUE_BYTES) {
        throw new ServiceError(
          'invalid_file',
          `Line ${this.line} of the file is longer than 16 MiB, which is the limit.`,
        )
      }
      this.carried.push(Buffer.from(part))
      if (at === -1) return
      this.finishLine()
      from = at + 1
    }
  }

  private finishLine(): void {
    const [first, second] = this.carried
    const bytes = first && !second ? first : Buffer.concat(this.carried)
    const position = `line ${this.line}`
    this.carried = []
    this.carriedBytes = 0
    this.line++
    if (bytes.every(byte => byte === 0x20 || byte === 0x0d || byte === 0x09)) return
    const value = parseUtf8Json(bytes)
    this.records.push(value ? { kind: 'document', value: value.value, position } : { kind: 'broken', position })
  }
}
