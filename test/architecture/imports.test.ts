/**
 * Enforces the rules about the structure of src: which layer may import which, no import cycles, no barrel files, files short enough to
 * read.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const SRC = join(ROOT, 'src')

/** The layers that each layer is built on directly. It may also import from the layers below those (docs/architecture.md). */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  catalogue: ['core'],
  contract: ['catalogue', 'core'],
  table: ['core'],
  store: ['catalogue', 'core'],
  connectors: ['catalogue', 'core'],
  engine: ['store', 'connectors', 'table', 'contract'],
  delivery: ['engine'],
  server: ['delivery', 'engine', 'table'],
  client: ['engine', 'contract'],
  profile: ['core'],
  output: ['table', 'core'],
  cli: ['client', 'profile', 'output', 'delivery'],
  commands: ['cli', 'server'],
  // it runs in browsers, so it imports only types from the contract
  console: ['contract'],
}

function below(layer: string, seen = new Set<string>()): Set<string> {
  for (const next of LAYERS[layer] ?? []) {
    if (seen.has(next)) continue
    seen.add(next)
    below(next, seen)
  }
  return seen
}

/** Folders of src down to the second level, as docs/architecture.md lists them. */
function mappedFolders(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap(each =>
      each.isDirectory() ? [`${folder}/${each.name}`] : [],
    )
  return below('src').flatMap(folder => [folder, ...below(folder)])
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder).flatMap(name => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return filesUnder(path)
    return /\.tsx?$/.test(path) ? [path] : []
  })
}

/** Returns our own files that a file imports, statically or dynamically. Type imports count: they are dependencies too. */
function readImports(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)]
  return found.map(match => resolve(dirname(file), match[1] as string))
}

const files = filesUnder(SRC)
const fileLayer = (file: string): string => relative(SRC, file).split('/')[0] as string
const shown = (file: string): string => relative(ROOT, file)

describe('the structure of src', () => {
  it('has no layer that the rules do not cover', () => {
    expect([...new Set(files.map(fileLayer))].filter(layer => !(layer in LAYERS))).toEqual([])
  })

  it('has a line for each folder in the repository map', () => {
    const map = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
    expect(mappedFolders().filter(folder => !map.includes(`| \`${folder}\` |`))).toEqual([])
  })

  it('has imports in one direction only', () => {
    const wrong = files.flatMap(file => {
      const own = fileLayer(file)
      const allowed = below(own).add(own)
      return readImports(file)
        .filter(target => target.startsWith(SRC) && !allowed.has(fileLayer(target)))
        .map(target => `${shown(file)} imports ${shown(target)}`)
    })
    expect(wrong).toEqual([])
  })

  it('keeps the connectors’ shared code independent of the folders that use it', () => {
    const folder = (path: string): string => relative(join(SRC, 'connectors'), path).split('/')[0] as string
    const wrong = files
      .filter(file => file.startsWith(join(SRC, 'connectors/shared')))
      .flatMap(file => readImports(file).filter(target => ['files', 'live', 'synthetic'].includes(folder(target))))
    expect(wrong.map(shown)).toEqual([])
  })

  it('lets the console import only contract types, and rules that import nothing', () => {
    const shared = [
      'core/chart-rules.ts',
      'core/csv/text.ts',
      'core/error-catalogue.ts',
      'catalogue/roles.ts',
      'catalogue/wording.ts',
    ].map(name => join(SRC, name))
    expect(shared.flatMap(readImports)).toEqual([])
    const outside = /^import (?!type\b)[^']*'((?:\.\.\/)+(?:contract|catalogue|core)\/[^']+)'/gm
    const ofConsole = files.filter(file => fileLayer(file) === 'console')
    expect(ofConsole.length).toBeGreaterThan(20)
    const wrong = ofConsole.flatMap(file =>
      [...readFileSync(file, 'utf8').matchAll(outside)]
        .map(match => resolve(dirname(file), match[1] as string))
        .filter(target => !shared.includes(target))
        .map(target => `${shown(file)} imports ${shown(target)}`),
    )
    expect(wrong).toEqual([])
  })

  it('has no import cycles', () => {
    const edges = new Map(files.map(file => [file, readImports(file)]))
    const done = new Set<string>()
    const circles: string[] = []
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].map(shown).join(' → '))
      if (path.includes(file) || done.has(file)) return
      for (const target of edges.get(file) ?? []) visit(target, [...path, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
    expect(circles).toEqual([])
  })

  it('lets only `serve` and `open` reach the server', () => {
    const wrong = files
      .filter(file => fileLayer(file) === 'commands' && !/commands\/(?:serve|open)\.ts$/.test(file))
      .filter(file =>
        readImports(file).some(target => fileLayer(target) === 'server' || fileLayer(target) === 'delivery'),
      )
    expect(wrong.map(shown)).toEqual([])
  })

  it('keeps drivers out of the store’s logic', () => {
    const driver = /from '(?:@photostructure\/sqlite|node:(?:fs|sqlite|worker_threads)[/\w]*)'/
    const ofLogic = files.filter(file => file.startsWith(join(SRC, 'store/logic/')))
    const wrong = ofLogic.filter(
      file =>
        driver.test(readFileSync(file, 'utf8')) ||
        readImports(file).some(target => /\/store\/(?:sqlite|folder)\//.test(target)),
    )
    expect(ofLogic.length).toBeGreaterThan(50)
    expect(wrong.map(shown)).toEqual([])
  })

  it('keeps the store’s adapters independent of each other', () => {
    const wrong = files
      .filter(file => file.startsWith(join(SRC, 'store/postgres/')))
      .filter(file => readImports(file).some(target => target.startsWith(join(SRC, 'store/sqlite/'))))
    expect(wrong.map(shown)).toEqual([])
  })

  it('keeps code and test folders short enough to read as a list', () => {
    const entries = ['src', 'test'].flatMap(name =>
      readdirSync(join(ROOT, name), { recursive: true, withFileTypes: true }),
    )
    const sizes = new Map<string, number>()
    for (const { parentPath } of entries.filter(each => each.isFile()))
      sizes.set(parentPath, (sizes.get(parentPath) ?? 0) + 1)
    const long = [...sizes].filter(([, files]) => files > 25)
    expect(long.map(([folder, files]) => `${shown(folder)}: ${files} files`)).toEqual([])
  })

  it('chooses the driver only where the engine is opened, and names store files only in the store', () => {
    const above = files.filter(file => fileLayer(file) !== 'store')
    const choosing = above.filter(file =>
      readImports(file).some(target => target.startsWith(join(SRC, 'store/sqlite/'))),
    )
    expect(choosing.map(shown)).toEqual(['src/engine/folder.ts', 'src/engine/open.ts'])
    // only a name, which a text for users may contain
    const named =
      /(?<=['"`/])svc\.db(?=['"`-])|(?<=[`}'"])-(?:wal|shm)['"`]|['"`/]master\.key['"`]|SQLite format|PRAGMA|sqlite_/
    // importers read other programs' databases, which have the same format
    const readers = ['sqlite', 'gadgetbridge', 'health-connect'].map(name => join(SRC, 'connectors/files', name, '/'))
    const others = above.filter(file => !readers.some(folder => file.startsWith(folder)))
    const knowing = others.filter(file => named.test(readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')))
    expect(knowing.map(shown)).toEqual([])
  })

  it('has no file that only re-exports, and no utils', () => {
    const barrels = files.filter(file => /^export \* from/m.test(readFileSync(file, 'utf8')))
    const vague = files.filter(file => /(^|\/)(utils?|helpers?|misc|common)(\/|\.ts$)/.test(relative(SRC, file)))
    expect([...barrels, ...vague].map(shown)).toEqual([])
  })

  it('renames files only where the folder is synced afterwards', () => {
    const named = /\b(?:rename|link|symlink)(?:Sync)?\b(?=[^'\n]*} from 'node:fs(?:\/promises)?')/
    const wrong = files.filter(file => named.test(readFileSync(file, 'utf8').replaceAll(/\n(?: {2}|(?=}))/g, ' ')))
    expect(wrong.map(shown)).toEqual(['src/core/synced-file.ts'])
  })

  it('keeps code files short enough to read in one sitting', () => {
    // catalogue files are data: they are as long as the lists in them
    const long = files
      .filter(file => fileLayer(file) !== 'catalogue')
      .map(file => ({ file, lines: readFileSync(file, 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > 400)
    expect(long.map(({ file, lines }) => `${shown(file)}: ${lines} lines`)).toEqual([])
  })

  it('starts every module with a comment that says what it is for', () => {
    expect(files.filter(file => !readFileSync(file, 'utf8').startsWith('/**')).map(shown)).toEqual([])
  })
})
