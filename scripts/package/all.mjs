/**
 * `npm run package`: builds svc, makes every package in out/, and writes their checksums to out/SHA256SUMS. Names of steps as arguments make
 * only these.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { buildDeb } from './debian/deb.mjs'
import { buildExecutable, compressExecutable, writeLicenses } from './executable.mjs'
import { out, root } from './folders.mjs'
import { buildImage } from './image/image.mjs'
import { packNpm, writeBillOfMaterials } from './npm.mjs'

/** Each step returns the files that it has written. A step may use the files of the steps before it. */
const STEPS = {
  npm: packNpm,
  sbom: writeBillOfMaterials,
  executable: buildExecutable,
  compressed: compressExecutable,
  licenses: writeLicenses,
  deb: buildDeb,
  image: buildImage,
}

const asked = process.argv.slice(2)
const unknown = asked.find(name => !(name in STEPS))
if (unknown !== undefined) {
  console.error(
    `${unknown} is not a step. Use one or more of ${Object.keys(STEPS).join(', ')}, or none for all of them.`,
  )
  process.exit(2)
}
for (const script of ['build', 'notices']) execFileSync('npm', ['run', script], { cwd: root, stdio: 'ignore' })
if (asked.length === 0) rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const sums = []
for (const [name, step] of Object.entries(STEPS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const start = performance.now()
  for (const file of await step()) {
    const { sum, bytes } = await digest(file)
    sums.push(`${sum}  ${path.basename(file)}\n`)
    const seconds = ((performance.now() - start) / 1e3).toFixed(1)
    console.log(`${path.relative(root, file)}: ${(bytes / 1e6).toFixed(1)} MB, ${seconds} s`)
  }
}
if (asked.length === 0) writeFileSync(path.join(out, 'SHA256SUMS'), sums.sort().join(''))

async function digest(file) {
  const hash = createHash('sha256')
  const stream = createReadStream(file)
  await pipeline(stream, hash)
  return { sum: hash.digest('hex'), bytes: stream.bytesRead }
}
