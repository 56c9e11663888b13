/** The PDFs of lab orders: their content, data that they leave out, and their signed URL. */
import { inflateSync } from 'node:zlib'
import { PDFDocument } from '@cantoo/pdf-lib'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { pdfText } from '../../../src/engine/orders/pdf/printable.ts'
import { type Harness, openHarness, overTestStore } from '../../kit/harness.ts'
import { storeOptions } from '../../kit/postgres/database.ts'
import { ADDRESS, PATIENT, placed } from './orders.ts'

type Pdf = 'order.result_pdf' | 'order.requisition_pdf' | 'order.requisition_form'

async function download(harness: Harness, id: Pdf, input: { params: object; query?: object }): Promise<Uint8Array> {
  const reply = await runOperation(harness.engine.context, id, {
    input: { params: input.params as never, query: (input.query ?? {}) as never, body: undefined },
    credentials:
      id === 'order.requisition_form'
        ? { kind: 'headers', apiKey: null, linkToken: null }
        : { kind: 'team', team: harness.team, linkToken: null },
    accept: '*/*',
  })
  if (reply.kind !== 'bytes' || !(reply.bytes instanceof Uint8Array)) throw new Error('bytes were expected')
  expect(reply.mediaType).toBe('application/pdf')
  return reply.bytes
}

/** Returns the texts of a PDF in the order they are drawn, from compressed streams and hexadecimal WinAnsi strings. */
function readText(pdf: Uint8Array): string {
  const bytes = Buffer.from(pdf)
  const texts: string[] = []
  for (let at = bytes.indexOf('stream\n'); at !== -1; at = bytes.indexOf('stream\n', at + 1)) {
    const from = at + 'stream\n'.length
    const to = bytes.indexOf('endstream', from)
    try {
      const content = inflateSync(bytes.subarray(from, to)).toString('latin1')
      for (const [, hex] of content.matchAll(/<([0-9A-F]+)> Tj/g)) {
        texts.push(new TextDecoder('windows-1252').decode(Buffer.from(hex as string, 'hex')))
      }
    } catch {
      // a stream with other content
    }
  }
  return texts.join('\n')
}

describe('the requisition', () => {
  it('shows the patient, the tests and the physician, and no result', async () => {
    const harness = await openHarness()
    const { order } = await placed(harness, 'essential-health', {
      icd_codes: ['E11.9'],
      clinical_notes: 'Fasting since midnight.',
      physician: { first_name: 'Elizabeth', last_name: 'Blackwell', npi: '1234567893' },
    })
    const params = { order_id: order.id }
    await harness.call('order.simulate', { params, body: { interpretation: 'critical' } })
    const text = readText(await download(harness, 'order.requisition_pdf', { params }))
    for (const part of [
      order.id,
      'Ada Byron-King',
      '1985-12-10',
      'Elizabeth Blackwell',
      '1234567893',
      'E11.9',
      'Labcorp',
    ]) {
      expect(text).toContain(part)
    }
    expect(text).toContain('Fasting since midnight.')
    expect(text).toContain('Comprehensive Metabolic Panel')
    expect(text).toContain('2345-7')
    expect(text).toContain('Page 1 of 1')
    expect(text).not.toMatch(/critical|mg\/dL|HH|LL/)
  })
})

describe('the report', () => {
  it('has every result with its unit, range and flag on as many pages as needed, and the same bytes every time', async () => {
    const harness = await openHarness()
    const { order } = await placed(harness)
    const params = { order_id: order.id }
    await harness.call('order.simulate', { params, body: { interpretation: 'critical', has_missing_results: true } })
    const bytes = await download(harness, 'order.result_pdf', { params })
    const text = readText(bytes)
    const { results, missing_results: missing } = await harness.call('order.result', { params })
    for (const line of results) {
      for (const part of [line.result, line.unit ?? '', line.reference_range ?? '', line.loinc ?? '']) {
        expect(text).toContain(part)
      }
    }
    const critical = results.find(line => line.interpretation === 'critical')
    expect(text.split('\n')).toContain(critical?.source_interpretation)
    expect(text.replaceAll('\n', ' ')).toContain(missing[0]?.inferred_failure_type)
    const document = await PDFDocument.load(bytes)
    expect(document.getPageCount()).toBeGreaterThan(1)
    expect(document.getTitle()).toBe('Laboratory Report')
    harness.time.ms += DAY_MS
    expect(await download(harness, 'order.result_pdf', { params })).toEqual(bytes)
  })

  it('accepts names and addresses in any script, however long', async () => {
    const harness = await openHarness()
    const { order } = await placed(harness, undefined, {
      patient_details: { ...PATIENT, first_name: 'A'.repeat(50) },
      patient_address: { ...ADDRESS, city: 'Łódź 東京 🏥', first_line: 'ü'.repeat(200) },
      clinical_notes: `line one\nline two\u0000 ${'wörd '.repeat(150)}`,
    })
    const params = { order_id: order.id }
    const text = readText(await download(harness, 'order.requisition_pdf', { params }))
    expect(text).toContain('Lódz ?? ?')
    expect(text).toContain('line one line two')
    expect(text.match(/ü/g)).toHaveLength(200)
  })
})

it('text uses the font’s characters, and marks missing ones', () => {
  const known = new Set([...' abcdefghijklmnopqrstuvwxyzABCLé<=?-'].map(each => each.codePointAt(0) as number))
  expect(pdfText('Ål é ≤ ł\n名', known)).toBe('Al é <= l ?')
})

describe('a requisition URL', () => {
  const address = async () => {
    const harness = await openHarness()
    const opened = await openEngine({
      dataDir: harness.dataDir,
      ...storeOptions(harness.dataDir),
      waitForLock: 'blocking',
      time: harness.time,
      publicUrl: 'https://health.example',
    })
    const { engine } = overTestStore(opened)
    const { order } = await placed({ ...harness, engine, call: callOn(engine, harness) } as Harness)
    const url = new URL(order.requisition_form_url ?? '')
    const query = Object.fromEntries(url.searchParams)
    return { harness, order, url, input: { params: { order_id: order.id }, query } }
  }

  it('needs no key, and is null while no server runs', async () => {
    const { harness, order, url, input } = await address()
    expect(url.href.startsWith(`https://health.example/svc/v1/requisition_forms/${order.id}?`)).toBe(true)
    expect(readText(await download(harness, 'order.requisition_form', input))).toContain(order.id)
    expect((await harness.call('order.get', { params: input.params })).requisition_form_url).toBeNull()
  })

  it('expires after seven days on the engine’s clock, and then suggests an alternative', async () => {
    const { harness, input } = await address()
    harness.time.ms += 7 * DAY_MS - 1000
    await download(harness, 'order.requisition_form', input)
    harness.time.ms += 1000
    expect(await harness.refusal('order.requisition_form', input as never)).toMatchObject({
      status: 410,
      message: expect.stringContaining('/requisition/pdf'),
    })
  })

  it('is invalid if it was changed', async () => {
    const { harness, input } = await address()
    const signature = String(input.query['signature'])
    const forged = [
      { ...input.query, expires: String(Number(input.query['expires']) + 1) },
      { ...input.query, signature: `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}` },
      { ...input.query, signature: '' },
    ]
    for (const query of forged) {
      const refused = await harness.refusal('order.requisition_form', { params: input.params, query } as never)
      expect(refused).toMatchObject({ status: 404, message: 'Order not found' })
    }
  })
})

function callOn(engine: Harness['engine'], { team }: Harness): unknown {
  return async (id: never, input: { params?: object; query?: object; body?: unknown }) => {
    const reply = await runOperation(engine.context, id, {
      input: { params: (input.params ?? {}) as never, query: (input.query ?? {}) as never, body: input.body },
      credentials: { kind: 'team', team, linkToken: null },
      accept: 'application/json',
    })
    return (reply as { body: unknown }).body
  }
}
