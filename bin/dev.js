#!/usr/bin/env node

/** Runs `svc` from a working copy, and builds it first if a source file is newer than the bundle. */
const path = require('node:path')

async function run() {
  const { buildBundle, isStale } = await import('../scripts/build.mjs')
  if (isStale()) await buildBundle()
  const root = path.dirname(__dirname)
  const argv = process.argv.slice(2)
  const bundle = require('./load-bundle.js').loadBundle(root, argv)
  if (bundle) bundle.main(argv, root)
}

run().catch(error => {
  console.error(error.message)
  process.exitCode = 1
})
