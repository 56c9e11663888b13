#!/usr/bin/env node

/**
 * The program that npm installs as `svc`: handles --version and plain help itself, otherwise loads the bundle with V8's cached code and
 * runs it.
 */
const path = require('node:path')

const root = path.dirname(__dirname)
const argv = process.argv.slice(2)
const { name, version } = require('../package.json')
const about = `${name}/${version} ${process.platform}-${process.arch} node-${process.version}`
const isVersion = argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v' || argv[0] === 'version')
const text = isVersion ? `${about}\n` : require('./help-page.js').helpPage(root, argv, about)

if (text !== undefined) {
  // a reader that closes the pipe early is not a failure
  process.stdout.on('error', error => {
    process.exitCode = error.code === 'EPIPE' ? 0 : 1
  })
  process.stdout.write(text)
} else {
  const { loadBundle } = require('./load-bundle.js')
  const bundle = loadBundle(root, argv)
  if (bundle) bundle.main(argv, root)
}
