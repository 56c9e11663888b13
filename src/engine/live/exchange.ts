/** One request to a provider over undici, which is loaded here only: time-out, size of the answer, no redirects. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Agent } from 'undici'
import { type ProviderAnswer, ProviderError, type ProviderRequest } from '../../connectors/provider-session.ts'

/** Most bytes of an answer, unpacked. */
export const MOST_ANSWER_BYTES = 32 * 1024 * 1024
const MOST_HEADER_BYTES = 64 * 1024
/** Connections to one host. */
const MOST_CONNECTIONS = 32

const unzip = promisify(gunzip)

let agent: Agent | undefined

async function sharedAgent(): Promise<Agent> {
  const undici = await import('undici')
  agent ??= new undici.Agent({
    connections: MOST_CONNECTIONS,
    pipelining: 1,
    maxHeaderSize: MOST_HEADER_BYTES,
  })
  return agent
}

/** Closes the connections to providers that are idle. The next request opens new ones. */
export async function closeProviderConnections(): Promise<void> {
  const closing = agent
  agent = undefined
  await closing?.close()
}

export interface ExchangeLimits {
  /** Time for the whole answer, in milliseconds. */
  readonly answerMs: number
  readonly signal: AbortSignal | undefined
  /** Name of the provider for messages. */
  readonly provider: string
}

/**
 * Sends a request and returns the whole answer, whatever its status. Throws ProviderError `unavailable` without an answer and `bad_answer`
 * for one that is too large; and the signal's reason.
 */
export async function exchange(
  { method, url, headers = {}, form, json }: ProviderRequest,
  { answerMs, signal, provider }: ExchangeLimits,
): Promise<ProviderAnswer> {
  const body = bodyOf(form, json)
  const late = AbortSignal.timeout(answerMs)
  try {
    const answer = await (await sharedAgent()).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip',
        'user-agent': 'svc',
        ...(body ? { 'content-type': body.type } : {}),
        ...headers,
      },
      body: body?.text ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    const pieces: Buffer[] = []
    let bytes = 0
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > MOST_ANSWER_BYTES) throw tooLarge(provider, answer.statusCode)
      pieces.push(piece)
    }
    return new Answer(provider, answer.statusCode, answer.headers, await textOf(pieces, answer.headers, provider))
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof ProviderError) throw error
    throw new ProviderError('unavailable', `${provider} did not answer: ${wordsOf(error, late, answerMs)}.`)
  }
}

function bodyOf(
  form: ProviderRequest['form'],
  json: ProviderRequest['json'],
): { readonly type: string; readonly text: string } | null {
  if (form !== undefined) {
    return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(form).toString() }
  }
  return json === undefined ? null : { type: 'application/json', text: JSON.stringify(json) }
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

async function textOf(pieces: readonly Buffer[], headers: Headers, provider: string): Promise<string> {
  const whole = Buffer.concat(pieces)
  if (headers['content-encoding'] !== 'gzip' || whole.length === 0) return whole.toString('utf8')
  try {
    return (await unzip(whole, { maxOutputLength: MOST_ANSWER_BYTES })).toString('utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(provider, null)
    throw new ProviderError('bad_answer', `${provider} sent an answer that is not gzip although it says so.`)
  }
}

function tooLarge(provider: string, status: number | null): ProviderError {
  return new ProviderError('bad_answer', `${provider} sent an answer of more than 32 MiB.`, { status })
}

/** Says what went wrong without the URL, which may hold a token. */
function wordsOf(error: unknown, late: AbortSignal, answerMs: number): string {
  if (late.aborted) return `no answer within ${answerMs / 1000} s`
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code === '' ? 'the connection failed' : `the connection failed (${code})`
}

class Answer implements ProviderAnswer {
  readonly status: number
  readonly text: string
  private readonly provider: string
  private readonly headers: Headers

  constructor(provider: string, status: number, headers: Headers, text: string) {
    this.provider = provider
    this.status = status
    this.headers = headers
    this.text = text
  }

  header(name: string): string | null {
    const value = this.headers[name]
    return (typeof value === 'string' ? value : value?.join(', ')) ?? null
  }

  json(): unknown {
    try {
      return JSON.parse(this.text)
    } catch {
      // the parser's message would quote the answer
      throw new ProviderError('bad_answer', `${this.provider} sent an answer that is not JSON.`, {
        status: this.status,
      })
    }
  }
}
