/** Sends a file as the body of an operation. Unlike fetch, it reports how much has been sent. */
import { BASE } from './base.ts'
import { buildRequest, type Input, type OperationId, type ResponseOf } from './call.ts'
import { readProblem, unreachable } from './problem.ts'
import { csrfToken, endSession } from './session.ts'

interface UploadOptions {
  readonly signal: AbortSignal
  /** Called during sending, with the fraction sent, from 0 to 1. At 1, the server has received the whole file and is processing it. */
  readonly onProgress: (share: number) => void
}

/** Returns the operation's JSON response. Throws Problem, or the signal's abort reason if the signal aborted the upload. */
export async function upload<K extends OperationId>(
  id: K,
  input: Input<K>,
  file: Blob,
  { signal, onProgress }: UploadOptions,
): Promise<ResponseOf<K>> {
  const { method, url } = buildRequest(id, input)
  const request = new XMLHttpRequest()
  const ended = new Promise<void>((resolve, reject) => {
    request.onload = () => resolve()
    request.onerror = () => reject(unreachable())
    request.onabort = () => reject(signal.reason)
  })
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
  request.upload.onload = () => onProgress(1)
  request.open(method, `${BASE}${url}`)
  request.setRequestHeader('accept', 'application/json')
  request.setRequestHeader('content-type', 'application/octet-stream')
  request.setRequestHeader('x-svc-csrf-token', csrfToken())
  const stop = (): void => request.abort()
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    request.send(file)
    await ended
  } finally {
    signal.removeEventListener('abort', stop)
  }
  if (request.status >= 200 && request.status < 300) return JSON.parse(request.responseText) as ResponseOf<K> // as in call.ts
  const code = request.getResponseHeader('x-svc-error-code')
  const headers = new Headers()
  if (code !== null) headers.set('x-svc-error-code', code)
  const problem = await readProblem(new Response(request.responseText, { status: request.status, headers }))
  if (problem.status === 401) endSession()
  throw problem
}
