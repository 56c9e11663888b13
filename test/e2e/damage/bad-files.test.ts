/** Files that are empty, damaged, hostile or in another format: a clear refusal or a counted record, and nothing half-written. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildZip, exportXml, record } from '../../connectors/files/exports.ts'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { expectRefusal } from '../../kit/refusal.ts'
import { scratchFiles } from '../../kit/sandbox.ts'

const sandbox = new InProcessSandbox()
const inSandbox = (name: string) => path.join(sandbox.folder, name)
const MIB = 1_048_576

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada'])
})

function steps(count: number, more: Readonly<Record<string, string>> = {}): string {
  const records = Array.from({ length: count }, (_, i) => {
    const at = new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString()
    const time = `${at.slice(0, 10)} ${at.slice(11, 19)} +0000`
    const type = 'HKQuantityTypeIdentifierStepCount'
    return record(type, `${i % 97}`, 'count', { startDate: time, endDate: time, ...more })
  })
  return records.join('\n')
}

const XML = exportXml(steps(3))
const EXPORT = { name: 'apple_health_export/export.xml', content: XML }

/** Returns bytes of no known format, the same in each run. */
function rubbish(sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes)
  for (let i = 0, state = 0x2545f491; i < sizeBytes; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}

async function isEmpty(): Promise<boolean> {
  const { imports } = await sandbox.json<{ imports: unknown[] }>(['import', 'list'])
  const { providers } = await sandbox.json<{ providers: unknown[] }>(['provider', 'list', '--user', 'ada'])
  return imports.length === 0 && providers.length === 0
}

describe('files that are refused', () => {
  const blank = (sizeBytes: number) => `<HealthData>${' '.repeat(sizeBytes)}</HealthData>`
  test.each<[string, () => string | Uint8Array, RegExp]>([
    ['empty.csv', () => '', /The file is empty/],
    ['empty.fit.gz', () => gzipSync(''), /The file is empty/],
    ['rubbish.bin', () => rubbish(200_000), /no format that can be imported. Known formats: .*apple_health/],
    ['rubbish.gz', () => gzipSync(rubbish(200_000)), /no format that can be imported/],
    ['cut.gz', () => gzipSync(rubbish(200_000)).subarray(0, 5), /gzip file is cut off/],
    ['zip-in-a-zip.zip', () => buildZip([{ name: 'export.zip', content: buildZip([EXPORT]) }]), /holds no /],
    ['gzip-in-a-gzip.gz', () => gzipSync(gzipSync(XML)), /another gzip file/],
    ['stated-bomb.zip', () => buildZip([{ ...EXPORT, statedSize: 4_000_000_000 }]), /200 times its size/],
    ['real-bomb.zip', () => buildZip([{ ...EXPORT, content: blank(66 * MIB) }]), /200 times its size/],
    [
      'lying-bomb.zip',
      () => buildZip([{ ...EXPORT, content: blank(66 * MIB), statedSize: 4096 }]),
      /size that it states/,
    ],
    ['bomb.gz', () => gzipSync(blank(66 * MIB)), /200 times its size/],
    ['one-tag.xml', () => `<HealthData><Record value="${'7'.repeat(3 * MIB)}`, /1 MiB/],
  ])('%s', async (name, content, says) => {
    writeFileSync(inSandbox(name), content())
    expectRefusal(await sandbox.run(['import', name, '--user', 'ada']), 2, says)
    expect(scratchFiles(sandbox)).toEqual([])
  })

  test('are also refused with --keep-partial, if nothing precedes the damage', async () => {
    writeFileSync(inSandbox('cut.xml'), XML.slice(0, 300))
    expectRefusal(await sandbox.run(['import', 'cut.xml', '--user', 'ada', '--keep-partial']), 2, /cut off/)
  })

  test('leave nothing behind', async () => {
    expect(await isEmpty()).toBe(true)
  })
})

describe('a damaged file', () => {
  test('is refused as a whole, or kept up to its damage on request', async () => {
    const user = ['--user', 'cut']
    await sandbox.json(['user', 'create', 'cut'])
    writeFileSync(inSandbox('half.xml'), exportXml(steps(20_000)).slice(0, -1_000_000))
    expectRefusal(await sandbox.run(['import', 'half.xml', ...user]), 2, [/cut off/, /--keep-partial/])
    expect(await sandbox.json(['import', 'list', ...user])).toEqual({ imports: [], next_cursor: null })
    const dry = await sandbox.json<Report>(['import', 'half.xml', ...user, '--keep-partial', '--dry-run'])
    const run = await sandbox.run(['import', 'half.xml', ...user, '--keep-partial', '--json'])
    const report: Report = JSON.parse(run.stdout)
    expect(run.status).toBe(0)
    expect(run.stderr).toMatch(/^Warning: only the part before the damage was stored\. .*cut off/m)
    expect(report.partial.message).toMatch(/cut off/)
    expect(report.stored.steps.samples).toBeGreaterThan(10_000)
    expect(report.stored.steps.samples).toBeLessThan(20_000)
    expect(dry.stored).toEqual(report.stored)
    expect(scratchFiles(sandbox)).toEqual([])
  })
})

interface Report {
  readonly records: number
  readonly stored: { readonly steps: { readonly samples: number } }
  readonly partial: { readonly message: string }
  readonly skipped: readonly { readonly reason: string; readonly count: number; readonly places: readonly string[] }[]
}

describe('files that are accepted', () => {
  test('can have any name', async () => {
    await sandbox.json(['user', 'create', 'names'])
    writeFileSync(inSandbox('export.fit'), XML)
    writeFileSync(inSandbox('export.xml.zip'), buildZip([EXPORT]))
    writeFileSync(inSandbox('notes'), gzipSync(XML))
    for (const name of ['export.fit', 'export.xml.zip', 'notes']) {
      expect(await sandbox.json(['import', name, '--user', 'names'])).toMatchObject({ format: 'apple_health' })
    }
  })

  test('can contain invalid records: each is counted under its reason, and the rest is stored', async () => {
    await sandbox.json(['user', 'create', 'odd'])
    const tomorrow = (days: number) => {
      const at = new Date(Date.now() + days * 86_400_000).toISOString()
      const time = `${at.slice(0, 10)} ${at.slice(11, 19)} +0000`
      return { startDate: time, endDate: time }
    }
    const odd = [
      steps(1, tomorrow(3)),
      steps(1, tomorrow(0.5)),
      steps(1, { endDate: '2025-12-31 00:00:00 +0000' }),
      steps(1, { startDate: 'yesterday' }),
      record('HKQuantityTypeIdentifierStepCount', 'NaN', 'count'),
      record('HKQuantityTypeIdentifierStepCount', '1e999', 'count'),
      record('HKQuantityTypeIdentifierBodyMass', '4711', 'furlong'),
      record('HKQuantityTypeIdentifierUnheardOf', '4711', 'count'),
    ]
    writeFileSync(inSandbox('odd.xml'), exportXml(odd.join('\n')))
    const run = await sandbox.run(['import', 'odd.xml', '--user', 'odd', '--json'])
    const report: Report = JSON.parse(run.stdout)
    expect(report).toMatchObject({ records: 8, stored: { steps: { samples: 1 } } })
    const reasons = report.skipped.map(each => each.reason).join('\n')
    expect(reasons).toMatch(/more than a day in the future/)
    expect(reasons).toMatch(/ends before it starts/)
    expect(reasons).toMatch(/unit/)
    expect(reasons).toMatch(/UnheardOf/)
    expect(report.skipped.reduce((sum, each) => sum + each.count, 0)).toBe(7)
    expect(run.stdout + run.stderr).not.toMatch(/4711|furlong|yesterday|1e999/)
  })
})
