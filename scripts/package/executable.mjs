/**
 * `npm run package:executable` writes out/svc: one file for this platform that runs without Node and without other files. It is Node with
 * the bundle, the help, the documentation, the console and the native parts as resources (docs/install.md).
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { inject } from 'postject'
import { out, root } from './folders.mjs'
import { nodeRuntime } from './node-runtime.mjs'

/** The name and the marker under which Node looks for the resources. */
const RESOURCE = 'NODE_SEA_BLOB'
const SENTINEL = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Writes the executable. The build must be fresh. */
export async function buildExecutable() {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-executable-'))
  try {
    const node = path.join(nodeRuntime(22), 'bin', 'node')
    const assets = { ...shippedFiles(), ...nativeFiles(), ...(await scripts(folder)) }
    const native = Object.keys(nativeFiles()).map(name => [name, sha256(readFileSync(assets[name]))])
    const texts = {
      'native.json': JSON.stringify(Object.fromEntries(native)),
      'native.hash': sha256(JSON.stringify(native)).slice(0, 16),
      'files.json': JSON.stringify(Object.keys(shippedFiles())),
      'read-database.js': createRequire(import.meta.url)(path.join(root, 'dist', 'svc.cjs')).PAGES.READER_CODE,
    }
    for (const [name, text] of Object.entries(texts)) {
      assets[name] = path.join(folder, name)
      writeFileSync(assets[name], text)
    }
    const settings = { main: 'main.js', output: 'blob', disableExperimentalSEAWarning: true, assets }
    writeFileSync(path.join(folder, 'sea.json'), JSON.stringify(settings))
    execFileSync(node, ['--experimental-sea-config', 'sea.json'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const file = path.join(out, 'svc')
    mkdirSync(out, { recursive: true })
    rmSync(file, { force: true })
    copyFileSync(node, file)
    chmodSync(file, 0o755)
    await inject(file, RESOURCE, readFileSync(path.join(folder, 'blob')), { sentinelFuse: SENTINEL })
    return [file]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes the licenses of everything in the executable, which is more than in the npm package: Node, and the packages with native parts. */
export function writeLicenses() {
  const files = [
    path.join(root, 'LICENSE'),
    path.join(root, 'THIRD-PARTY-NOTICES.txt'),
    path.join(nodeRuntime(22), 'LICENSE'),
    ...['@photostructure/sqlite/LICENSE', '@napi-rs/keyring/LICENSE', 'node-gyp-build/LICENSE'].map(inPackages),
    inPackages(`@napi-rs/keyring-${process.platform}-${process.arch}-gnu/LICENSE.third-party.md`),
  ]
  const file = path.join(out, 'LICENSES.txt')
  writeFileSync(file, files.map(each => readFileSync(each, 'utf8').trim()).join(`\n\n${'='.repeat(80)}\n`))
  return [file]
}

function inPackages(name) {
  return path.join(root, 'node_modules', name)
}

/** Writes the executable in the form in which it is downloaded. */
export function compressExecutable() {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const file = path.join(out, `svc-${version}-${process.platform}-${process.arch}.xz`)
  const descriptor = openSync(file, 'w')
  // with a fixed number of threads, so that the result is the same on every machine
  execFileSync('xz', ['-c', '-3', '-T2', path.join(out, 'svc')], { stdio: ['ignore', descriptor, 'inherit'] })
  closeSync(descriptor)
  return [file]
}

/** The files that svc reads while it runs, by their path below the folder of package.json. */
function shippedFiles() {
  const names = [
    'oclif.manifest.json',
    ...filesIn('dist').filter(name => !/^dist\/man\/|\.tmp$/.test(name)),
    ...filesIn('docs').filter(name => name.endsWith('.md')),
  ]
  return Object.fromEntries(names.sort().map(name => [name, path.join(root, name)]))
}

/** The files of the packages with native parts that this platform needs. */
function nativeFiles() {
  const platform = `${process.platform}-${process.arch}`
  const names = [
    'node-gyp-build/package.json',
    'node-gyp-build/index.js',
    'node-gyp-build/node-gyp-build.js',
    '@photostructure/sqlite/package.json',
    '@photostructure/sqlite/dist/index.cjs',
    `@photostructure/sqlite/prebuilds/${platform}/@photostructure+sqlite.glibc.node`,
    '@napi-rs/keyring/package.json',
    '@napi-rs/keyring/index.js',
    `@napi-rs/keyring-${platform}-gnu/package.json`,
    `@napi-rs/keyring-${platform}-gnu/keyring.${platform}-gnu.node`,
  ].map(name => `node_modules/${name}`)
  return Object.fromEntries(names.map(name => [name, path.join(root, name)]))
}

/** The scripts of the executable itself. */
async function scripts(folder) {
  const names = ['main', 'thread']
  await build({
    entryPoints: names.map(name => path.join(import.meta.dirname, 'executable', `${name}.mjs`)),
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  })
  return { 'thread.js': path.join(folder, 'thread.js') }
}

function filesIn(folder) {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(root, path.join(entry.parentPath, entry.name)))
}

function sha256(data) {
  return createHash('sha256').update(data).digest('hex')
}
