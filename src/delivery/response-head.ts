/** Keeps a response's headers and the first bytes of its body. */
import { StringDecoder } from 'node:string_decoder'
import { KEPT_RESPONSE_BYTES, type KeptResponse } from '../engine/deliveries/exchange.ts'

/** Headers to omit, because cookies are the endpoint's secrets. */
const LEFT_OUT = new Set(['set-cookie', 'set-cookie2'])
const MOST_HEADERS = 50
const MOST_VALUE_CHARACTERS = 512

export class ResponseHead {
  private readonly headers: Readonly<Record<string, unknown>>
  private readonly chunks: Buffer[] = []
  private bytes = 0

  constructor(headers: Readonly<Record<string, unknown>>) {
    this.headers = headers
  }

  add(chunk: Buffer): void {
    // copied, because a slice would keep the whole chunk in memory
    if (this.bytes < KEPT_RESPONSE_BYTES)
      this.chunks.push(Buffer.from(chunk.subarray(0, KEPT_RESPONSE_BYTES - this.bytes)))
    this.bytes += chunk.length
  }

  get(isComplete: boolean): KeptResponse {
    const body = Buffer.concat(this.chunks)
    const isTruncated = !isComplete || this.bytes > KEPT_RESPONSE_BYTES
    // a character that was cut in half is dropped
    const text = isTruncated ? new StringDecoder('utf8').write(body) : body.toString('utf8')
    return { headers: shownHeaders(this.headers), text, isTruncated }
  }
}

function shownHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const shown: [string, string][] = []
  for (const name in headers) {
    if (shown.length === MOST_HEADERS) break
    const value = headers[name]
    const text = Array.isArray(value) ? value.join(', ') : `${value}`
    if (!LEFT_OUT.has(name)) shown.push([name, text.slice(0, MOST_VALUE_CHARACTERS)])
  }
  return Object.fromEntries(shown)
}
