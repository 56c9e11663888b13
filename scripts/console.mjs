/**
 * Bundles src/console for browsers into dist/console: hashed files, and manifest.json, which lists those that the first view loads. Pages,
 * with the code that only they need, are separate files.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const folder = path.join(root, 'dist', 'console')

const ENTRY = 'src/console/main.tsx'
const PAGES = 'src/console/pages/pages.ts'

/** The bundle in memory; throws when a module does not build. `routes` has the method and path of every operation. */
export function consoleBundle(routes) {
  return build({
    entryPoints: [{ in: ENTRY, out: 'main' }],
    absWorkingDir: root,
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17.5'],
    format: 'esm',
    minify: true,
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { __ROUTES__: JSON.stringify(routes) },
  })
}

/** The names of a file and of all that it imports statically, so that the browser can request them together. */
function staticFiles({ outputs }, file, found = new Set()) {
  found.add(path.basename(file))
  for (const { kind, path: next } of outputs[file].imports)
    if (kind === 'import-statement' && !found.has(path.basename(next))) staticFiles({ outputs }, next, found)
  return found
}

/** The path and the module of every page. */
function pageSources() {
  const text = readFileSync(path.join(root, PAGES), 'utf8')
  const entries = text.matchAll(/path: '([^']+)', page: lazy\(\(\) => import\('\.\/([^']+)'\)\)/g)
  return [...entries].map(([, url, file]) => ({ url, source: path.posix.join(path.posix.dirname(PAGES), file) }))
}

/** Writes dist/console. The manifest comes last, so that it never lists a missing file. */
export async function buildConsole(routes) {
  const { outputFiles, metafile } = await consoleBundle(routes)
  mkdirSync(folder, { recursive: true })
  const files = outputFiles.map(({ path: file, contents }) => [path.basename(file), contents])
  const [entry, { cssBundle }] = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === ENTRY)
  const first = staticFiles(metafile, entry)
  const filesOf = page => {
    const [output] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === page)
    return [...staticFiles(metafile, output)].filter(name => !first.has(name))
  }
  const manifest = {
    entry: path.basename(entry),
    preload: [...first].filter(name => name !== path.basename(entry)),
    pages: pageSources().map(({ url, source }) => ({ path: url, preload: filesOf(source) })),
    styles: cssBundle === undefined ? [] : [path.basename(cssBundle)],
    files: files.map(([name]) => name).sort(),
  }
  const written = new Set(['manifest.json'])
  const write = (name, data) => {
    written.add(name)
    const temporary = path.join(folder, `${name}.${process.pid}.tmp`)
    writeFileSync(temporary, data)
    renameSync(temporary, path.join(folder, name))
  }
  for (const [name, contents] of files) write(name, contents)
  write('manifest.json', `${JSON.stringify(manifest)}\n`)
  for (const name of readdirSync(folder)) if (!written.has(name)) rmSync(path.join(folder, name))
  return { manifest, metafile }
}
