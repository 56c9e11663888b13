#!/usr/bin/env node

/**
 * The program that npm installs as `svc`: handles --version and plain help itself, otherwise loads the bundle with V8's cached code and
 * runs it.
 */
const path = require('node:path')
const { name, version } = require('../package.json')

/**
 * Runs one command line. `load` returns the bundle, or undefined after reporting why it cannot be loaded, and `readFile` the content of a
 * file that ships with svc.
 */
function run(root, argv, { load, readFile }) {
  const about = `${name}/${version} ${process.platform}-${process.arch} node-${process.version}`
  const isVersion = argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v' || argv[0] === 'version')
  const text = isVersion ? `${about}\n` : require('./help-page.js').helpPage(root, argv, about, readFile)
  if (text === undefined) return void load()?.main(argv, root)
  // a reader that closes the pipe early is not a failure
  process.stdout.on('error', error => {
    process.exitCode = error.code === 'EPIPE' ? 0 : 1
  })
  process.stdout.write(text)
}

if (require.main === module) {
  const root = path.dirname(__dirname)
  const argv = process.argv.slice(2)
  run(root, argv, { load: () => require('./load-bundle.js').loadBundle(root, argv) })
}

module.exports = { run }
