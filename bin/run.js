#!/usr/bin/env node

/** What npm installs as `svc`: answers --version by itself, else loads the bundle with V8's cached code and runs it. */
const path = require('node:path')

const root = path.dirname(__dirname)
const argv = process.argv.slice(2)

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v' || argv[0] === 'version')) {
  const { name, version } = require('../package.json')
  process.stdout.write(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`)
} else {
  const { loadBundle } = require('./load-bundle.js')
  const bundle = loadBundle(root, argv)
  if (bundle) bundle.main(argv, root)
}
