/** Bundles TypeScript sources into one module that Node can load, so that a benchmark can run the engine in its own process. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

export const root = join(fileURLToPath(import.meta.url), '..', '..', '..')

let bundles = 0

/**
 * Returns the exports of `entry` (a file name below test/bench), and the path of the bundled module. A program is not loaded, because it
 * runs in its own process.
 */
export async function bundled(entry, { isProgram = false } = {}) {
  // below node_modules, so that it finds the packages that are not bundled
  const outfile = join(root, 'node_modules', '.cache', 'svc-bench', entry.replace(/\.ts$/, isProgram ? '.mjs' : '.cjs'))
  // renamed into place, because tests in other processes may be loading the same module
  const unfinished = `${outfile}.${process.pid}-${++bundles}`
  await build({
    entryPoints: [join(root, 'test', 'bench', entry)],
    outfile: unfinished,
    bundle: true,
    platform: 'node',
    format: isProgram ? 'esm' : 'cjs',
    target: 'node20',
    logLevel: 'error',
    // the same banner as in the project's own bundle
    ...(!isProgram && {
      banner: {
        js: "'use strict';var __bundle={get url(){return require('node:url').pathToFileURL(__filename).href}};",
      },
      define: { 'import.meta': '__bundle' },
    }),
    external: [
      '@photostructure/sqlite',
      'pg',
      'pg-copy-streams',
      'undici',
      'fastify',
      'conf',
      'yauzl',
      'fit-file-parser',
      'playwright-core',
    ],
  })
  renameSync(unfinished, outfile)
  if (isProgram) return { path: outfile }
  return { path: outfile, ...(await import(pathToFileURL(outfile).href)).default }
}
