/** Renders the JSON response to an aggregate query in pieces, because it may exceed the maximum length of a string. */
import type { Pieces } from '../output/output-file.ts'

/** Number of cells to render in one piece. */
const PIECE_CELLS = 50_000

interface Body {
  readonly results: readonly { readonly table: Readonly<Record<string, readonly unknown[]>> }[]
}

/** Yields the same bytes as JSON.stringify, and a line feed. `indent` formats the response for a person. */
export async function* bodyPieces(body: Body, indent: boolean): Pieces {
  if (indent) return yield `${JSON.stringify(body, null, 2)}\n`
  yield* objectPieces({ ...body })
  yield '\n'
}

/** Yields long lists in pieces, and every other value as JSON.stringify writes it. */
async function* valuePieces(value: unknown): Pieces {
  if (Array.isArray(value)) yield* listPieces(value)
  else if (typeof value === 'object' && value !== null) yield* objectPieces(value as Record<string, unknown>)
  else yield JSON.stringify(value)
}

async function* objectPieces(value: Readonly<Record<string, unknown>>): Pieces {
  let before = '{'
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* valuePieces(inner)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

async function* listPieces(value: readonly unknown[]): Pieces {
  if (value.some(each => typeof each === 'object' && each !== null)) {
    let before = '['
    for (const each of value) {
      yield before
      yield* valuePieces(each)
      before = ','
    }
    return yield ']'
  }
  yield '['
  for (let from = 0; from < value.length; from += PIECE_CELLS) {
    yield (from === 0 ? '' : ',') + JSON.stringify(value.slice(from, from + PIECE_CELLS)).slice(1, -1)
  }
  yield ']'
}
