/** Renders the parts of a response that `--fields` and `--jq` keep. */
import type { OperationId } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { printable } from '../../output/printable.ts'
import type { Pieces } from '../output/output-file.ts'
import { checkFields, type FieldPath, selectMembers } from './fields.ts'
import type { Selection } from './selection.ts'

/** Options for printing the selection. */
export interface SelectionStyle {
  /** Whether to print one line for each record, as in ndjson, instead of one document. */
  readonly hasLines: boolean
  /** Whether the output is for people. JSON is then indented, and control characters in texts have no effect. */
  readonly isTerminal: boolean
}

/** A response as it would be printed without a selection. */
export interface SelectableResponse {
  /** The json output. */
  readonly body: unknown
  /** The ndjson output, with one item for each line. */
  readonly records: readonly unknown[]
  /** Whether the only record is the response itself, not an item of a list. */
  readonly isOneDocument: boolean
  /** Returns whether a record may have this member although none of the records has it. */
  readonly isDocumented: (path: FieldPath) => Promise<boolean>
}

/** Returns a function that looks up fields in the responses of the called operations. It loads their schemas on first use. */
export function documentedIn(called: Iterable<OperationId>, isList: boolean): SelectableResponse['isDocumented'] {
  return async path => (await import('./reply-fields.ts')).isReplyField(called, path, isList)
}

/** Returns the text of a response that is in memory. Throws ServiceError `usage`. */
export async function selectedResponse(
  selection: Selection,
  response: SelectableResponse,
  style: SelectionStyle,
): Promise<string> {
  const { body, records, isOneDocument, isDocumented } = response
  if (selection.kind === 'jq') {
    const run = await jqRunner(selection.expression, style)
    return run(style.hasLines ? records.map(record => JSON.stringify(record)).join('\n') : JSON.stringify(body))
  }
  await checkFields(selection.paths, records, isDocumented)
  const kept = records.map(record => selectMembers(record, selection.paths))
  if (style.hasLines) return kept.map(record => `${JSON.stringify(record)}\n`).join('')
  return `${JSON.stringify(isOneDocument ? kept[0] : kept, null, style.isTerminal ? 2 : undefined)}\n`
}

/**
 * Renders a response that arrives in pieces. `piecesOf` yields it as json or as ndjson. Only `--jq` without lines keeps the whole response
 * in memory.
 */
export async function* selectedPieces(
  selection: Selection,
  style: SelectionStyle,
  piecesOf: (format: 'json' | 'ndjson') => Pieces,
): Pieces {
  if (selection.kind === 'jq') {
    const run = await jqRunner(selection.expression, style)
    if (!style.hasLines) return yield run(await wholeText(piecesOf('json')))
    for await (const lines of wholeLines(piecesOf('ndjson'))) yield run(lines)
    return
  }
  yield* fieldPieces(selection.paths, style, piecesOf('ndjson'))
}

/**
 * Returns a function that selects from the records of an endless stream, as lines. `example` has every member that a record can have;
 * members nested below them are not checked.
 */
export async function lineSelector(
  selection: Selection,
  isTerminal: boolean,
  example: Readonly<Record<string, unknown>>,
): Promise<(record: object) => string> {
  if (selection.kind === 'jq') {
    const run = await jqRunner(selection.expression, { hasLines: true, isTerminal })
    return record => run(JSON.stringify(record))
  }
  const { paths } = selection
  await checkFields(paths, [example], async ([name = '']) => Object.hasOwn(example, name))
  return record => `${JSON.stringify(selectMembers(record, paths))}\n`
}

async function* fieldPieces(paths: readonly FieldPath[], style: SelectionStyle, lines: Pieces): Pieces {
  const { hasLines, isTerminal } = style
  let isFirst = true
  for await (const text of wholeLines(lines)) {
    const records = text.split('\n').map(line => JSON.parse(line) as unknown)
    if (isFirst) await checkFields(paths, records, async () => false)
    for (const record of records) {
      const kept = selectMembers(record, paths)
      if (hasLines) yield `${JSON.stringify(kept)}\n`
      else if (isTerminal) yield `${isFirst ? '[' : ','}\n${JSON.stringify(kept, null, 2).replaceAll(/^/gm, '  ')}`
      else yield `${isFirst ? '[' : ','}${JSON.stringify(kept)}`
      isFirst = false
    }
  }
  if (!hasLines) yield isFirst ? '[]\n' : isTerminal ? '\n]\n' : ']\n'
}

async function jqRunner(expression: string, { isTerminal }: SelectionStyle): Promise<(json: string) => string> {
  const { jqFilter } = await import('./jq.ts')
  const filter = await jqFilter(expression)
  if (!isTerminal) return json => filter.run(json)
  return json => filter.run(json).replaceAll(/[^\n\t]+/g, printable)
}

async function wholeText(pieces: Pieces): Promise<string> {
  const parts: Buffer[] = []
  for await (const piece of pieces) parts.push(Buffer.from(piece))
  try {
    return Buffer.concat(parts).toString('utf8')
  } catch (cause) {
    throw new ServiceError('usage', '--jq: the response is too large for a single string.', {
      suggestions: ['Use --output ndjson, which runs the expression for each line.'],
      cause,
    })
  }
}

/** Yields the text of a stream in pieces of whole lines, without the last line feed. */
async function* wholeLines(pieces: Pieces): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, Buffer.from(piece)])
    const end = bytes.lastIndexOf(0x0a)
    rest = bytes.subarray(end + 1)
    if (end > 0) yield bytes.toString('utf8', 0, end)
  }
  if (rest.length > 0) yield rest.toString('utf8')
}
