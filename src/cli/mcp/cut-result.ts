/** Cuts a response between two records to limit its size, so that the result is valid JSON. */
import { ServiceError } from '../../core/errors.ts'
import { type Arguments, SKIP, type ToolResult } from './tool.ts'

/** The part of a response that is shown, and the arguments to continue. */
export interface ResultPage {
  /** Number of records that were skipped, as requested. */
  readonly skipped_records: number
  readonly records: number
  /** Number of records in this response after the shown ones. */
  readonly left_records: number
  /** Arguments to change in the next call; null after the last part. */
  readonly next: Arguments | null
}

interface CutOptions {
  readonly skip: number
  readonly maxBytes: number
  /** Whether the tool may be called again to read the rest. */
  readonly canContinue: boolean
}

/** One or more parallel lists in an object. The nth items of all lists form one record. */
interface Block {
  readonly holder: Record<string, unknown>
  readonly columns: ReadonlyMap<string, readonly unknown[]>
  readonly length: number
}

/**
 * Returns `{page, result}` as JSON with at most `maxBytes` bytes. A complete response has no `page`. Throws ServiceError `answer_too_large`
 * if not even one record fits.
 */
export function cutResult({ body, lists, next }: ToolResult, { skip, maxBytes, canContinue }: CutOptions): string {
  const { root, blocks } = opened(body, lists ?? [Array.isArray(body) ? '' : '*'])
  const total = blocks.reduce((sum, { length }) => sum + length, 0)
  const first = Math.min(skip, total)
  const after = next === null || skip === 0 ? next : { ...next, [SKIP]: 0 }
  const render = (end: number): string => {
    keep(blocks, first, end)
    // a complete response needs no page
    if (end - first === total && after === null) return JSON.stringify(root)
    const rest = canContinue ? { [SKIP]: end } : null
    const page: ResultPage = {
      skipped_records: first,
      records: end - first,
      left_records: total - end,
      next: end < total ? rest : after,
    }
    return JSON.stringify({ page, ...root })
  }
  const whole = render(total)
  if (byteLength(whole) <= maxBytes) return whole
  let end = first
  // `page` may grow by a few digits and by the service's cursor
  let left = maxBytes - byteLength(render(first)) - 40
  for (const size of sizes(blocks, first)) {
    left -= size
    if (left < 0) break
    end++
  }
  if (end === first) throw tooLarge(first, byteLength(whole), maxBytes)
  return render(end)
}

function tooLarge(record: number, wholeBytes: number, maxBytes: number): ServiceError {
  return new ServiceError(
    'answer_too_large',
    `The response has ${wholeBytes} bytes, and its record ${record + 1} does not fit into the limit of ${maxBytes} bytes for a result.`,
    {
      suggestions: [
        'Ask for less: a shorter period, fewer fields, or a tool that returns a summary.',
        'The person who configured the server can raise --max-result-bytes.',
      ],
    },
  )
}

/** Copies the objects on the way to the lists, because the response may be shared, and returns the lists in order. */
function opened(body: unknown, paths: readonly string[]): { root: Record<string, unknown>; blocks: Block[] } {
  const root: Record<string, unknown> = { result: body }
  const blocks: Block[] = []
  const copies = new Set<unknown>()
  const visit = (holder: Record<string, unknown>, [step = '', ...rest]: readonly string[]): void => {
    if (step === '=') return void blocks.push(readBlock(holder, Object.keys(holder)))
    for (const key of step === '*' ? Object.keys(holder) : [step]) {
      const value = holder[key]
      if (rest.length === 0) {
        if (Array.isArray(value)) blocks.push(readBlock(holder, [key]))
      } else if (typeof value === 'object' && value !== null) {
        const copy = copies.has(value) ? value : Array.isArray(value) ? [...value] : { ...value }
        copies.add(copy)
        holder[key] = copy
        // lists are traversed by index
        visit(copy as Record<string, unknown>, rest)
      }
    }
  }
  for (const path of paths) visit(root, path === '' ? ['result'] : ['result', ...path.split('.')])
  return { root, blocks: blocks.filter(({ columns }) => columns.size > 0) }
}

function readBlock(holder: Record<string, unknown>, keys: readonly string[]): Block {
  const columns = new Map<string, readonly unknown[]>()
  for (const key of keys) {
    const list = holder[key]
    if (Array.isArray(list)) columns.set(key, list)
  }
  return { holder, columns, length: Math.max(0, ...[...columns.values()].map(list => list.length)) }
}

/** Reduces the lists to the records within the range, counted over all blocks. */
function keep(blocks: readonly Block[], from: number, to: number): void {
  let start = 0
  for (const { holder, columns, length } of blocks) {
    const begin = Math.max(0, from - start)
    for (const [key, list] of columns) holder[key] = list.slice(begin, Math.max(begin, to - start))
    start += length
  }
}

/** Yields the size of each record in bytes, including commas, from the given record on. */
function* sizes(blocks: readonly Block[], from: number): Generator<number> {
  let start = 0
  for (const { columns, length } of blocks) {
    for (let i = Math.max(0, from - start); i < length; i++) {
      let size = 0
      for (const list of columns.values()) if (i < list.length) size += byteLength(JSON.stringify(list[i])) + 1
      yield size
    }
    start += length
  }
}

function byteLength(text: string): number {
  return Buffer.byteLength(text)
}
