/**
 * Finds the help page that the build rendered (scripts/help-pages.mjs), so that it can be printed without loading the bundle. The bundle
 * handles cases that these pages do not cover, such as other flags with --help or a terminal narrower than a page.
 */
const fs = require('node:fs')
const path = require('node:path')

/** The width of the rendered pages, in columns. */
const PAGE_WIDTH = 80
/** Placeholder in a page for the output of `svc --version`. */
const VERSION_MARK = '{{version}}'
const HELP_FLAGS = ['--help', '-h']
// biome-ignore lint/suspicious/noControlCharactersInRegex: color escape codes
const STYLES = /\x1b\[\d+m/g

/**
 * Returns the page that a command line requests, or undefined if it requests none or the page does not exist. `readFile` returns the content
 * of a file that ships with svc.
 */
function helpPage(root, argv, version, readFile = fs.readFileSync) {
  const read = (folder, name) => {
    try {
      return `${readFile(path.join(root, 'dist', 'help', folder, name))}`
    } catch {
      return undefined
    }
  }
  const asks = argv.length === 0 || argv[0] === 'help' || argv.some(each => HELP_FLAGS.includes(each))
  const words = (argv[0] === 'help' ? argv.slice(1) : argv).filter(each => !HELP_FLAGS.includes(each))
  if (!words.every(word => /^[a-z][a-z0-9-]*$/.test(word))) return undefined
  const { isTTY, columns } = process.stdout
  if (isTTY && !(columns >= PAGE_WIDTH)) return undefined
  const name = `${words.join('-') || 'svc'}.txt`
  // a topic that is not a command shows its help even without --help
  const page = read('topics', name) ?? (asks ? read('commands', name) : undefined)
  if (page === undefined) return undefined
  const text = page.replace(VERSION_MARK, version)
  const { NO_COLOR, SVC_NO_COLOR, TERM } = process.env
  return isTTY && !NO_COLOR && !SVC_NO_COLOR && TERM !== 'dumb' ? text : text.replace(STYLES, '')
}

module.exports = { helpPage, PAGE_WIDTH, VERSION_MARK }
