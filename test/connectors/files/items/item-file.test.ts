/** Files of pushed lines: they are read to the same items, and wrong lines are skipped, counted and located. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importerFor } from '../../../../src/connectors/files/formats.ts'
import type { ImportContext, ImportItem } from '../../../../src/connectors/files/importer.ts'
import { itemFile } from '../../../../src/connectors/files/items/file.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { importContext } from '../import-context.ts'

const CONTEXT = importContext({ timeZone: 'Europe/Berlin', now: Date.UTC(2026, 10, 20, 12) })
const HEART = { resource: 'heartrate', timestamp: '2026-11-20T08:30:00', value: 61 }

async function read(text: string | Buffer, context: Partial<ImportContext> = {}): Promise<ImportItem[]> {
  const path = join(temporaryFolder(), 'items.ndjson')
  writeFileSync(path, text)
  const items: ImportItem[] = []
  for await (const item of itemFile.read({ path, sizeBytes: text.length }, { ...CONTEXT, ...context })) items.push(item)
  return items
}
const lines = (...values: unknown[]): string => values.map(each => JSON.stringify(each)).join('\n')
const head = (text: string): Uint8Array => Buffer.from(text)

describe('a file of items', () => {
  it('is recognized by its first line, and its provider and source type can be set', async () => {
    expect(importerFor(head(`\ufeff${lines(HEART)}`)).format).toBe('svc_items')
    expect(importerFor(head('{"svc_export":1,"user_id":"x"}\n')).format).toBe('svc_export')
    const [samples, end] = await read(lines(HEART), { provider: 'whoop', sourceType: 'watch' })
    expect(samples).toMatchObject({
      kind: 'samples',
      batch: { series: { provider: 'whoop', sourceType: 'watch' }, n: 1, offset: Int32Array.of(3600) },
    })
    expect(end).toEqual({ kind: 'end', records: 1 })
  })

  it('accounts for every line, and reports invalid ones by reason and position, never by value', async () => {
    const items = await read(
      Buffer.concat([
        Buffer.from(`\ufeff${lines(HEART)}\r\n\n`),
        Buffer.from(`${lines({ ...HEART, value: 'S3CRET' }, { ...HEART, provider: 's3cret' }, ['S3CRET'])}\n`),
        Buffer.from([0x22, 0xff, 0x22, 0x0a]),
        Buffer.from(lines({ ...HEART, device_id: 'S3CRET' }, { ...HEART, timestamp: '2027-01-01T00:00:00Z' })),
      ]),
    )
    const skipped = items.filter(item => item.kind === 'skipped')
    expect(skipped.reduce((sum, each) => sum + each.count, 0)).toBe(6)
    expect(skipped.flatMap(each => each.places).sort()).toEqual([
      'line 3',
      'line 4',
      'line 5',
      'line 6',
      'line 7',
      'line 8',
    ])
    expect(items.at(-1)).toEqual({ kind: 'end', records: 7 })
    expect(JSON.stringify(skipped)).not.toMatch(/s3cret/i)
  })

  it('may have lines longer than one read, and more than one batch', async () => {
    const note = { resource: 'note', start: '2026-11-20T08:30:00Z', value: 'x'.repeat(60_000) }
    const many = Array.from({ length: 60 }, (_, i) => ({
      ...note,
      start: `2026-11-20T08:${String(i).padStart(2, '0')}:00Z`,
    }))
    const beats = Array.from({ length: 5000 }, (_, i) => ({
      ...HEART,
      timestamp: new Date(Date.UTC(2026, 10, 19) + i * 1000).toISOString(),
    }))
    const items = await read(lines(...many, ...beats))
    const count = items.reduce((sum, item) => sum + (item.kind === 'samples' ? item.batch.n : 0), 0)
    expect(count).toBe(5060)
  })

  it('is refused if a line never ends', async () => {
    await expect(read(Buffer.alloc(66 * 1024 * 1024, ' '))).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringContaining('Line 1'),
    })
  })
})
