/**
 * Writes oclif.manifest.json, the list of commands and flags that start-up and --help read instead of loading every command, and the list
 * of manual pages in package.json. With --check nothing is written, and a stale file is an error.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Plugin } from '@oclif/core'
import { aliasesOf } from './build.mjs'
import { writeHelpPages } from './help-pages.mjs'
import { manFiles } from './man-pages.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const file = path.join(root, 'oclif.manifest.json')

const plugin = new Plugin({
  root,
  type: 'core',
  ignoreManifest: true,
  errorOnManifestCreate: true,
  respectNoCacheDefault: true,
})
await plugin.load()
addAliases(plugin.manifest.commands)
// leave out values that depend on how the file was loaded, or that are the same everywhere
const fresh = asLines(plugin.manifest)
const packageFile = path.join(root, 'package.json')
const about = JSON.parse(read(packageFile))
const freshPackage = `${JSON.stringify({ ...about, man: manFiles(plugin.manifest, about.oclif) }, null, 2)}\n`

if (process.argv.includes('--check')) {
  if (read(file) !== fresh || read(packageFile) !== freshPackage) {
    console.error(
      'oclif.manifest.json or "man" in package.json is stale: run `npm run build && npm run manifest`, and commit the files.',
    )
    process.exitCode = 1
  }
} else {
  writeFileSync(file, fresh)
  if (read(packageFile) !== freshPackage) writeFileSync(packageFile, freshPackage)
  writeHelpPages()
  console.log(`oclif.manifest.json: ${Object.keys(plugin.manifest.commands).length} commands`)
}

/** Returns JSON with a line for each command. Indentation would add half to the size of the file, which every installation contains. */
function asLines({ commands, ...rest }) {
  const lines = Object.entries(commands).map(([id, command]) => `${JSON.stringify(id)}:${JSON.stringify(command)}`)
  return `{"commands":{\n${lines.join(',\n')}\n},${JSON.stringify(rest).slice(1)}\n`
}

/** Throws when an alias is also the name or an alias of another command. */
function addAliases(commands) {
  const taken = new Set(Object.keys(commands))
  for (const command of Object.values(commands)) {
    command.aliases = aliasesOf(command.id)
    for (const alias of command.aliases) {
      if (taken.has(alias)) throw new Error(`${alias} is taken, so it cannot mean ${command.id}`)
      taken.add(alias)
    }
  }
}

function read(name) {
  try {
    return readFileSync(name, 'utf8')
  } catch {
    return ''
  }
}
