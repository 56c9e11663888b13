/**
 * Bundles src/ and its dependencies into one minified CommonJS file, dist/svc.cjs, with its hash, the names of its commands, the rendered
 * help, manual pages, jq and the console next to it. Packages that src imports with `import()` are separate files in dist/packages, and
 * parts of src that only some commands need are in dist/parts (bundle-parts.mjs), so that other commands do not read them.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildParts } from './bundle-parts.mjs'
import { buildConsole } from './console.mjs'
import { writeHelpPages } from './help-pages.mjs'
import { leanFramework } from './lean-framework.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** The ID of every command and its file: `src/commands/user/create.ts` is `user:create`. */
export function commandFiles() {
  const folder = path.join(root, 'src', 'commands')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => ({
      id: name.slice(0, -3).split(path.sep).join(':'),
      file: `./src/commands/${name.split(path.sep).join('/')}`,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The last word of a command, and its short alias in every topic. */
const SHORT_WORDS = { list: 'ls', delete: 'rm', remove: 'rm' }

/** The other IDs of a command: `user:list` is also `user:ls`. Derived by a rule, so that every topic has them. */
export function aliasesOf(id) {
  const words = id.split(':')
  const short = SHORT_WORDS[words.at(-1)]
  return short === undefined ? [] : [[...words.slice(0, -1), short].join(':')]
}

/** The module that the bundle starts from: each command behind a getter, so that only the one that runs is evaluated. */
function entry() {
  const getters = [
    ...commandFiles().map(({ id, file }) => ({ id, file })),
    { id: 'help', file: './node_modules/@oclif/plugin-help/lib/commands/help.js' },
  ].map(({ id, file }) => `  get ${JSON.stringify(id)}() { return require(${JSON.stringify(file)}).default },`)
  const threads = [
    "  get engine() { return require('./src/server/threads/engine-worker.ts').serveEngine },",
    "  get mapping() { return require('./src/server/threads/mapping-worker.ts').serveMapping },",
  ]
  return [
    "export { main } from './src/cli/runtime/entry.ts'",
    "export { useInstallation } from './src/core/installation/current.ts'",
    // read by the build; a getter, so that other runs do not evaluate it
    'export const PAGES = {',
    "  get helpPages() { return require('./src/cli/runtime/help.ts').helpPages },",
    "  get EXIT_CODES() { return require('./src/core/error-catalogue.ts').EXIT_CODES },",
    "  get operations() { return require('./src/contract/operations.ts').operations },",
    "  get READER_CODE() { return require('./src/connectors/files/sqlite/child.ts').READER_CODE },",
    '}',
    'export const COMMANDS = {',
    ...getters,
    '}',
    // the code of a worker thread
    'export const THREADS = {',
    ...threads,
    '}',
  ].join('\n')
}

/**
 * Files next to the bundle instead of in it: jq, compiled to WebAssembly, which only --jq loads. The script looks for the binary in the
 * folder `build`. Files of the package by their path in dist/.
 */
const JQ_ENTRY = 'jq/index.cjs'
const BESIDE = {
  [JQ_ENTRY]: 'node_modules/jq-wasm/dist/index.cjs',
  'jq/build/jq.wasm': 'node_modules/jq-wasm/dist/build/jq.wasm',
}

/** Folders of the packages that are copied next to the bundle. */
export const COPIED_PACKAGES = ['node_modules/jq-wasm']

/** The packages that src imports with `import()`. */
function latePackages() {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.ts'),
  )
  const names = files.flatMap(name => {
    const text = readFileSync(path.join(root, 'src', name), 'utf8')
    return [...text.matchAll(/await import\('((?!\.|node:)[^']+)'\)/g)].map(match => match[1])
  })
  return [...new Set(names)].sort()
}

const fileOf = name => `packages/${name.replaceAll(/[^a-z0-9]+/g, '-').replace(/^-/, '')}`

/** @type {import('esbuild').Plugin} */
const ownFiles = {
  name: 'own-files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^jq-wasm$/ }, () => ({ path: `./${JQ_ENTRY}`, external: true }))
    onResolve({ filter: /^entry:/ }, ({ path: name }) => ({ path: name, namespace: 'entry' }))
    onLoad({ filter: /.*/, namespace: 'entry' }, () => ({ contents: entry(), resolveDir: root, loader: 'ts' }))
    onResolve({ filter: /^[^.]/ }, ({ path: name, kind, importer }) =>
      kind === 'dynamic-import' && importer.startsWith(path.join(root, 'src')) && !isBuiltin(name)
        ? { path: `./${fileOf(name)}.cjs`, external: true }
        : undefined,
    )
  },
}

/** The commit of the source, ending in `-dirty` if a file differs from it; null outside a clone. */
function commit() {
  // a source tree without .git may be inside another repository
  if (!existsSync(path.join(root, '.git'))) return null
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

/** The bundle in memory, and its inputs; throws when a module does not build. */
export function bundle() {
  const options = {
    entryPoints: [{ in: 'entry:svc', out: 'svc' }, ...latePackages().map(name => ({ in: name, out: fileOf(name) }))],
    absWorkingDir: root,
    outdir: path.join(root, 'dist'),
    outExtension: { '.js': '.cjs' },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    minify: true,
    keepNames: false,
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
    // import() of a module inside the file is a function call; a module outside is required
    supported: { 'dynamic-import': false },
    // packages written as ES modules read their own path
    banner: {
      js: "'use strict';var __bundle={get url(){return require('node:url').pathToFileURL(__filename).href}};",
    },
    define: { 'import.meta': '__bundle', SVC_COMMIT: JSON.stringify(commit()) },
    mainFields: ['main', 'module'],
  }
  return buildParts(options, [ownFiles, leanFramework])
}

/** Writes dist/svc.cjs, dist/svc.json, dist/help, dist/man, dist/jq and dist/console; throws when a module does not build. */
export async function buildBundle() {
  const { outputFiles, metafile } = await bundle()
  const sum = createHash('sha256')
  for (const { contents } of outputFiles) sum.update(contents)
  const hash = sum.digest('hex').slice(0, 32)
  // beside the bundle, so that start-up reads a short file instead of hashing a long one
  // `complete` is not a command of the framework, but also has its own code cache
  const ids = ['complete', ...commandFiles().flatMap(({ id }) => [id, ...aliasesOf(id)])]
  const about = { hash, commands: ids.map(id => id.replaceAll(':', ' ')) }
  const folder = path.join(root, 'dist')
  const files = [
    ...outputFiles.map(({ path: file, contents }) => [file, contents]),
    [path.join(folder, 'svc.json'), `${JSON.stringify(about)}\n`],
    ...Object.entries(BESIDE).map(([name, from]) => [path.join(folder, name), readFileSync(path.join(root, from))]),
  ]
  for (const [file, data] of files) {
    mkdirSync(path.dirname(file), { recursive: true })
    const temporary = `${file}.${process.pid}.tmp`
    writeFileSync(temporary, data)
    renameSync(temporary, file)
  }
  const written = new Set(files.map(([file]) => file))
  for (const apart of ['packages', 'parts'].map(name => path.join(folder, name)))
    for (const name of readdirSync(apart)) if (!written.has(path.join(apart, name))) rmSync(path.join(apart, name))
  writeHelpPages()
  await buildConsole(operationRoutes())
  return { files: outputFiles.map(({ path: file, contents }) => ({ file, bytes: contents.length })), metafile }
}

/** Method and path of every operation, from the bundle that was just written. */
function operationRoutes() {
  const { operations } = createRequire(import.meta.url)('../dist/svc.cjs').PAGES
  return Object.fromEntries(Object.entries(operations).map(([id, { method, path: at }]) => [id, `${method} ${at}`]))
}

/** Whether a source file is newer than the bundle, or the bundle is absent. */
export function isStale() {
  const built = modified(path.join(root, 'dist', 'svc.cjs'))
  const makers = [
    'package.json',
    'package-lock.json',
    'scripts/build.mjs',
    'scripts/bundle-parts.mjs',
    'scripts/console.mjs',
    'scripts/help-pages.mjs',
    'scripts/lean-framework.mjs',
    'scripts/man-pages.mjs',
  ]
  if (built === 0 || makers.some(name => modified(path.join(root, name)) > built)) return true
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  return sources.some(name => modified(path.join(root, 'src', name)) > built)
}

function modified(file) {
  try {
    return statSync(file).mtimeMs
  } catch {
    return 0
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { files, metafile } = await buildBundle()
  for (const { file, bytes } of files) console.log(`${path.relative(root, file)}: ${(bytes / 1e6).toFixed(2)} MB`)
  if (process.argv.includes('--sizes')) printSizes(metafile)
}

/** The size that each package adds to the bundle, largest first. */
function printSizes(metafile) {
  const sizes = new Map()
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file.split('/').slice(0, 2).join('/')
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput)
    }
  }
  for (const [name, bytes] of [...sizes].sort((a, b) => b[1] - a[1]))
    console.log(`${String(bytes).padStart(9)}  ${name}`)
}
