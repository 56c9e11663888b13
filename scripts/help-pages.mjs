/**
 * Renders the help of the program, of every topic and of every command into dist/help, where bin/help-page.js finds it, and writes the
 * command names to dist/commands.json, which is the only part of the manifest needed to run a command. The manual pages in dist/man are
 * written along with it. It is the last step of both the build and `npm run manifest`, because all of this is made from the bundle and the
 * manifest.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeManPages } from './man-pages.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const require = createRequire(import.meta.url)
const { PAGE_WIDTH, VERSION_MARK } = require('../bin/help-page.js')

/** Writes the pages. Throws if they cannot be rendered. */
export function writeHelpPages() {
  // the framework reads the width and the use of colors from the environment, once
  const { NO_COLOR: _, ...rest } = process.env
  const env = { ...rest, OCLIF_COLUMNS: `${PAGE_WIDTH}`, FORCE_COLOR: '1' }
  const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url)], { env, stdio: 'inherit' })
  if (status !== 0) throw new Error('the help pages could not be rendered')
}

/** A tenth of the manifest. */
function writeNames() {
  const { version, commands } = require('../oclif.manifest.json')
  const names = Object.entries(commands).map(([id, command]) => {
    const { aliases, hidden, hiddenAliases, pluginAlias, pluginName, pluginType, strict } = command
    // the existence of arguments decides where the command name ends
    const args = Object.fromEntries(Object.keys(command.args).map(name => [name, {}]))
    return [id, { aliases, args, hidden, hiddenAliases, id, pluginAlias, pluginName, pluginType, strict }]
  })
  writeFileSync(
    path.join(root, 'dist', 'commands.json'),
    JSON.stringify({ version, commands: Object.fromEntries(names) }),
  )
}

async function render() {
  const { PAGES } = require(path.join(root, 'dist', 'svc.cjs'))
  const pages = await PAGES.helpPages(root)
  const version = `${process.platform}-${process.arch} node-${process.version}`
  const folder = path.join(root, 'dist', 'help')
  const fresh = `${folder}.${process.pid}.tmp`
  for (const [kind, texts] of Object.entries(pages)) {
    mkdirSync(path.join(fresh, kind), { recursive: true })
    for (const [name, text] of texts) {
      const page = text.replace(new RegExp(`\\S+ ${version.replaceAll('.', '\\.')}`), VERSION_MARK)
      writeFileSync(path.join(fresh, kind, `${name}.txt`), page)
    }
  }
  rmSync(folder, { recursive: true, force: true })
  renameSync(fresh, folder)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeNames()
  await render()
  const { EXIT_CODES: exitCodes } = require('../dist/svc.cjs').PAGES
  const { oclif, description } = require('../package.json')
  const manifest = require('../oclif.manifest.json')
  writeManPages(path.join(root, 'dist', 'man'), { manifest, oclif, description, exitCodes })
}
