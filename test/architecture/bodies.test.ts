/** Every transaction is run: one that is called without `yield*` does nothing, and its result always counts as true. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { CallExpression, Node } from 'typescript/unstable/ast'
import {
  isArrayLiteralExpression,
  isArrowFunction,
  isCallExpression,
  isConditionalExpression,
  isParenthesizedExpression,
  isReturnStatement,
  isSpreadElement,
  isYieldExpression,
} from 'typescript/unstable/ast/is'
import { API, type Project } from 'typescript/unstable/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../kit/sandbox.ts'

const STORE = join(root, 'src/store')
/** The types are read as if this file had mistakes at its end, which shows that the test finds them. */
const WITH_MISTAKES = join(STORE, 'logic/teams/settings.ts')
const MISTAKES = `
export function* mistaken(db: { read<T>(body: () => Steps<T>): T }): Steps<number | undefined> {
  setting('ignored')
  const kept = setting('kept')
  if (setting('tested') !== undefined && kept) return 1
  yield* putSetting('run', 1)
  db.read(() => setting('handed over'))
  return yield* setting('returned')
}
`

/** The transaction calls that are never run, as `file: text`. */
let idle: readonly string[]

beforeAll(() => {
  const readFile = (file: string) => (file === WITH_MISTAKES ? readFileSync(file, 'utf8') + MISTAKES : undefined)
  const api = new API({ cwd: root, fs: { readFile } })
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()
    if (!project) throw new Error('TypeScript did not open the project.')
    idle = project.program
      .getSourceFileNames()
      .filter(name => name.startsWith(STORE))
      .flatMap(name => idleIn(project, name))
  } finally {
    api.close()
  }
})

function idleIn({ program, checker }: Project, name: string): string[] {
  const calls: CallExpression[] = []
  const collect = (node: Node): undefined => {
    if (isCallExpression(node) && !isHandedOn(node)) calls.push(node)
    node.forEachChild(collect)
  }
  const file = program.getSourceFile(name)
  if (file) collect(file)
  return checker.getTypeAtLocation(calls).flatMap((type, i) => {
    const isBody =
      type && /^(?:Steps<|Generator<Step,)/.test(checker.typeToString(type)) && type.getSymbol() !== undefined
    return isBody ? [`${relative(root, name)}: ${calls[i]?.getText()}`] : []
  })
}

/** Returns whether a transaction is passed to `yield*`, to a caller, to a function, or into a list of transactions. */
function isHandedOn(call: CallExpression): boolean {
  let node: Node = call
  while (isParenthesizedExpression(node.parent)) node = node.parent
  const { parent } = node
  if (isYieldExpression(parent)) return parent.asteriskToken !== undefined
  if (isArrowFunction(parent)) return parent.body === node
  if (isCallExpression(parent)) return parent.expression !== node
  if (isConditionalExpression(parent)) return parent.condition !== node
  return isReturnStatement(parent) || isSpreadElement(parent) || isArrayLiteralExpression(parent)
}

describe('a transaction', () => {
  it('is never called without being run or returned', () => {
    const mistakes = ["setting('ignored')", "setting('kept')", "setting('tested')"]
    expect(idle).toEqual(mistakes.map(call => `${relative(root, WITH_MISTAKES)}: ${call}`))
  })
})
