/** The npm package, and its bill of materials. The build and the notices must be fresh. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundledPackages } from '../notices.mjs'
import { out, root } from './folders.mjs'

function npm(...args) {
  return execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
}

/** Writes the tarball. npm sorts its entries, and gives all of them the same time and owner. */
export function packNpm() {
  mkdirSync(out, { recursive: true })
  const pack = (...more) => JSON.parse(npm('pack', '--json', '--ignore-scripts', ...more))[0]
  // npm keeps the modes of files, which depend on the umask of the checkout and of the build
  for (const { path: name, mode } of pack('--dry-run').files)
    chmodSync(path.join(root, name), mode & 0o100 ? 0o755 : 0o644)
  const { filename } = pack('--pack-destination', out)
  return [path.join(out, filename)]
}

/**
 * Writes the bill of materials (CycloneDX). It lists the packages that npm installs and those that the build has bundled, and not the tools
 * of development. Without `SOURCE_DATE_EPOCH`, it has no time.
 */
export async function writeBillOfMaterials() {
  const bundled = new Set((await bundledPackages()).keys())
  const bill = JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx'))
  const { dependencies: required, optionalDependencies: optional } = JSON.parse(
    readFileSync(path.join(root, 'package.json'), 'utf8'),
  )
  const edges = new Map(bill.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
  const isDirect = ({ name }) => name in { ...required, ...optional }
  const installed = new Set(bill.components.filter(isDirect).map(each => each['bom-ref']))
  for (const ref of installed) for (const next of edges.get(ref) ?? []) installed.add(next)
  const components = bill.components.filter(
    each => installed.has(each['bom-ref']) || bundled.has(`${each.name} ${each.version}`),
  )
  const known = new Set([bill.metadata.component['bom-ref'], ...components.map(each => each['bom-ref'])])
  const dependencies = [...edges]
    .filter(([ref]) => known.has(ref))
    .map(([ref, dependsOn]) => ({ ref, dependsOn: dependsOn.filter(each => known.has(each)) }))
  // a random number and the time of the build would differ each time
  const { serialNumber: _, ...rest } = bill
  const { timestamp: __, ...metadata } = bill.metadata
  const epoch = process.env.SOURCE_DATE_EPOCH
  if (epoch) metadata.timestamp = new Date(Number(epoch) * 1_000).toISOString()
  const file = path.join(out, 'svc.cdx.json')
  writeFileSync(file, `${JSON.stringify({ ...rest, metadata, components, dependencies }, null, 2)}\n`)
  return [file]
}
