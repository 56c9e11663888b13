/** Runs one tool call, and converts every outcome to a result that a model can act on. */
import { didYouMean, invalid, ServiceError } from '../../core/errors.ts'
import { failureDocument } from '../runtime/failure.ts'
import { cutResult } from './cut-result.ts'
import { type Arguments, type McpTool, SKIP } from './tool.ts'

export interface CallLimits {
  readonly maxBytes: number
  readonly allowsWrites: boolean
}

/** Log record of a call, without arguments or results. */
export interface CallRecord {
  /** Tool name; `unknown` if there is no such tool, because the name in the request may be any text. */
  readonly tool: string
  readonly milliseconds: number
  /** The outcome: `ok`, or an error code. */
  readonly outcome: string
  /** Stack trace of an unexpected error, without its message, which may contain sensitive data. */
  readonly trace: string
}

export interface CallResult {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError?: true
  // the protocol allows more fields
  readonly [key: string]: unknown
}

/** Advice for models that replaces the catalogue's advice for a person at a terminal. */
const HINTS: Readonly<Record<string, string>> = {
  user_not_found: 'Find the user with users_list, action list or search.',
  usage: 'The message says what is allowed.',
  operator_only: "The server's API key may not do this. Use other tools, or tell the person who configured it.",
  invalid_cursor: 'Repeat the call without next_cursor to start at the first page.',
  bug: 'Report it to the people who maintain svc.',
}

/** Returns a result even if the call throws. `log` receives one record for each call. */
export async function callTool(
  tools: ReadonlyMap<string, McpTool>,
  { name, given, signal }: { readonly name: string; readonly given: Arguments; readonly signal: AbortSignal },
  limits: CallLimits,
  log: (record: CallRecord) => void,
): Promise<CallResult> {
  const start = performance.now()
  const tool = tools.get(name)
  let outcome = 'ok'
  let trace = ''
  try {
    if (!tool) throw unknownTool(name, tools, limits)
    if (!tool.isReadOnly && !limits.allowsWrites) throw writesDisabled(tool)
    const { [SKIP]: skipped = 0, ...rest } = given
    const skip = readSkip(skipped, tool)
    const result = await tool.call(rest, signal)
    const text = cutResult(result, { skip, maxBytes: limits.maxBytes, canContinue: tool.isReadOnly })
    return { content: [{ type: 'text', text }] }
  } catch (thrown) {
    const error = signal.aborted ? new ServiceError('cancelled', 'Cancelled.', { cause: thrown }) : thrown
    outcome = error instanceof ServiceError ? error.code : 'bug'
    if (outcome === 'bug') trace = stackFrames(error)
    return { content: [{ type: 'text', text: JSON.stringify(errorDocument(error)) }], isError: true }
  } finally {
    log({ tool: tool?.name ?? 'unknown', milliseconds: Math.round(performance.now() - start), outcome, trace })
  }
}

function errorDocument(thrown: unknown): unknown {
  // the detail repeats the message
  const { detail: _, ...error } = failureDocument(thrown).error
  const hint = HINTS[error.code]
  const hasOwn = thrown instanceof ServiceError && thrown.suggestions.length > 0
  const suggestions = hasOwn || hint === undefined ? error.suggestions : [hint]
  if (thrown instanceof ServiceError) return { error: { ...error, suggestions } }
  // the message of an unexpected error may contain sensitive data
  const name = thrown instanceof Error ? thrown.name : 'a thrown value'
  return { error: { ...error, message: `svc has a bug: ${name}`, suggestions } }
}

function unknownTool(name: string, tools: ReadonlyMap<string, McpTool>, limits: CallLimits): ServiceError {
  const known = [...tools.values()].filter(({ isReadOnly }) => isReadOnly || limits.allowsWrites).map(tool => tool.name)
  return new ServiceError('not_found', `There is no such tool.${didYouMean(name.slice(0, 64), known)}`, {
    suggestions: [`Tools: ${known.join(', ')}.`],
  })
}

function writesDisabled({ name }: McpTool): ServiceError {
  return new ServiceError('writes_disabled', `${name} changes data, and this server only reads.`, {
    suggestions: ['Ask the person you work for to start the server with `svc mcp --allow-writes`.'],
  })
}

/** Throws ServiceError `invalid_request` if the value is not a number of records, or if the tool has no records to skip. */
function readSkip(given: unknown, tool: McpTool): number {
  // models sometimes send numbers as text, which the service accepts too
  const skip = typeof given === 'string' && /^\d{1,12}$/.test(given) ? Number(given) : given
  if (typeof skip === 'number' && Number.isSafeInteger(skip) && skip >= 0 && (skip === 0 || tool.isReadOnly))
    return skip
  const msg = tool.isReadOnly ? 'must be a whole number of at least 0' : 'is not an argument of this tool'
  throw invalid([{ loc: ['arguments', SKIP], msg, type: 'value_error' }])
}

function stackFrames(thrown: unknown): string {
  const lines = thrown instanceof Error ? (thrown.stack ?? '').split('\n') : []
  return lines.filter(line => /^ +at /.test(line)).join('\n')
}
