/** The JSON answer of an aggregate query as text: it may be longer than one text can be. */
import type { Pieces } from '../runtime/answer-file.ts'

/** Cells that become text at once. */
const PIECE_CELLS = 50_000

interface Body {
  readonly results: readonly { readonly table: Readonly<Record<string, readonly unknown[]>> }[]
}

/** The same bytes as JSON.stringify gives, and a line end. `indent`: for a person to read. */
export async function* bodyPieces(body: Body, indent: boolean): Pieces {
  if (indent) return yield `${JSON.stringify(body, null, 2)}\n`
  yield* objectPieces(body as unknown as Record<string, unknown>)
  yield '\n'
}

/** Only long lists are taken apart; whatever else the service may send is written as it is. */
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
