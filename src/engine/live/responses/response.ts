/** A provider's response as read by connectors. It consists of bytes, so that it can be transferred to a thread. */
import { isUtf8 } from 'node:buffer'
import { ProviderError, type ProviderResponse } from '../../../connectors/provider-session.ts'

export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Parts of a response. */
export interface ResponseParts {
  /** The provider's name, for messages. */
  readonly provider: string
  readonly status: number
  readonly headers: ResponseHeaders
  /** The unpacked body. */
  readonly bytes: Uint8Array
}

export class ReceivedResponse implements ProviderResponse {
  readonly parts: ResponseParts
  private parsed: { readonly value: unknown } | undefined

  constructor(parts: ResponseParts) {
    this.parts = parts
  }

  get status(): number {
    return this.parts.status
  }

  get text(): string {
    return this.buffer.toString('utf8')
  }

  header(name: string): string | null {
    const value = this.parts.headers[name]
    return (typeof value === 'string' ? value : value?.join(', ')) ?? null
  }

  json(): unknown {
    this.parsed ??= { value: this.parse() }
    return this.parsed.value
  }

  private parse(): unknown {
    try {
      // invalid bytes would be replaced and end up in IDs and texts
      if (isUtf8(this.buffer)) return JSON.parse(this.text)
    } catch {
      // do not rethrow: the parser's message would quote the response
    }
    const { provider, status } = this.parts
    throw new ProviderError('bad_answer', `${provider} sent a response that is not JSON.`, { status })
  }

  private get buffer(): Buffer {
    const { bytes } = this.parts
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
}
