/** Files that are damaged, hostile or something else: each is refused with one message that says what is wrong. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { importerFor } from '../../../src/connectors/files/formats.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { buildZip, exportXml, importBytes, record } from './exports.ts'

const XML = exportXml(record('HKQuantityTypeIdentifierStepCount', '42', 'count'))
const EXPORT = { name: 'apple_health_export/export.xml', content: XML }

async function refusal(content: string | Uint8Array): Promise<ServiceError> {
  const error = await importBytes(content).then(
    () => undefined,
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(ServiceError)
  expect(error).toMatchObject({ code: 'invalid_file', exitCode: 2 })
  return error as ServiceError
}

test('imports the export from a zip, whatever the file is called, and ignores the other XML files', async () => {
  const cda = { name: 'apple_health_export/export_cda.xml', content: '<?xml version="1.0"?><ClinicalDocument/>' }
  const zip = buildZip([
    { name: 'apple_health_export/', content: '' },
    cda,
    { name: 'apple_health_export/exportación.xml', content: XML },
  ])
  const read = await importBytes(zip)
  expect(read.samples).toMatchObject([{ resource: 'steps', value: 42 }])
})

test('reads an export that starts with a byte order mark and white space', async () => {
  expect((await importBytes(`\ufeff\n ${XML.slice(XML.indexOf('<!DOCTYPE'))}`)).records).toBe(1)
})

test.each([
  ['an empty file', '', /empty/],
  ['text', 'date,steps\n2026-01-01,4711', /not XML/],
  ['another XML file', '<gpx><trk/></gpx>', /not an Apple Health export: its root is <gpx>/],
  ['an export cut in the middle', XML.slice(0, -20), /cut off/],
  ['an export cut inside a record', XML.slice(0, XML.indexOf('value="42')), /cut off/],
  ['an export that is not well-formed', XML.replace('</HealthData>', '</Health>'), /well-formed/],
])('refuses %s', async (_what, content, message) => {
  expect((await refusal(content as string)).message).toMatch(message as RegExp)
})

test('does not expand entities that a document type declares', async () => {
  const nested = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
  const xml = XML.replace('<!ELEMENT', `<!ENTITY l0 "1"><!ENTITY x SYSTEM "file:///etc/passwd">${nested}<!ELEMENT`)
  const read = await importBytes(xml.replace('value="42"', 'value="&l9;"').replace('Some App', '&x;'))
  expect(read.skipped).toEqual({ 'HKQuantityTypeIdentifierStepCount has a value that is not a finite number': 1 })
})

const bomb = Buffer.concat([Buffer.from(XML.slice(0, -15)), Buffer.alloc(65 * 1024 * 1024, ' ')])
test.each([
  ['without an export', buildZip([{ name: 'a.xml', content: '<a/>' }]), /holds no Apple Health export/],
  ['without entries', buildZip([]), /holds no Apple Health export/],
  ['in a zip', buildZip([{ name: 'outer/export.zip', content: buildZip([EXPORT]) }]), /another zip file; unpack it/],
  ['in a zip, under another name', buildZip([{ name: 'export.xml', content: buildZip([EXPORT]) }]), /holds no Apple/],
  ['with an entry of 0 bytes', buildZip([{ name: 'export.xml', content: '' }]), /holds no Apple Health export/],
  ['that states a smaller size', buildZip([{ ...EXPORT, statedSize: 100 }]), /size that it states/],
  ['that states a larger size', buildZip([{ ...EXPORT, statedSize: 100_000 }]), /size that it states/],
  ['with a wrong checksum', buildZip([{ ...EXPORT, statedCrc: 1 }]), /checksum/],
  ['with a name that climbs', buildZip([EXPORT, { name: '../../x', content: '' }]), /leads out of its folder/],
  ['with a name that climbs by backslashes', buildZip([EXPORT, { name: 'a\\..\\..\\x', content: '' }]), /leads out/],
  ['with an absolute name', buildZip([EXPORT, { name: '/etc/x', content: '' }]), /leads out/],
  ['with a drive', buildZip([EXPORT, { name: 'C:/x', content: '' }]), /leads out/],
  ['with an encrypted entry', buildZip([{ ...EXPORT, flags: 1 }]), /encrypted/],
  ['packed in another way', buildZip([{ ...EXPORT, method: 14 }]), /store and deflate/],
  [
    'with an encrypted entry beside the export',
    buildZip([EXPORT, { name: 'x.xml', content: '', flags: 1 }]),
    /encrypted/,
  ],
  ['that states an impossible ratio', buildZip([{ ...EXPORT, statedSize: 0xf000_0000 }]), /200 times/],
  ['that is a bomb', buildZip([{ name: 'export.xml', content: bomb }]), /200 times/],
  [
    'that is a bomb and hides it',
    buildZip([{ name: 'export.xml', content: bomb, statedSize: 1_000_000 }]),
    /size that it states/,
  ],
  ['with a bomb beside the export', buildZip([EXPORT, { name: 'a.gpx', content: bomb }]), /200 times/],
  ['cut off', buildZip([EXPORT]).subarray(0, 300), /damaged or cut off/],
  ['of binary rubbish', Buffer.concat([Buffer.from('PK\u0003\u0004'), randomBytes(5000)]), /damaged or cut off/],
  ['with damaged data', damaged(buildZip([EXPORT])), /damaged/],
])('refuses a zip %s', async (_what, zip, message) => {
  expect((await refusal(zip as Uint8Array)).message).toMatch(message as RegExp)
})

function damaged(zip: Uint8Array): Uint8Array {
  zip.fill(0xff, 80, 200)
  return zip
}

test('recognizes an export and a zip by their first bytes, and lists the formats for anything else', () => {
  expect(importerFor(Buffer.from(XML)).format).toBe('apple_health')
  expect(importerFor(buildZip([EXPORT])).format).toBe('apple_health')
  expect(importerFor(Buffer.from('anything'), 'apple_health').format).toBe('apple_health')
  for (const head of ['', '<HealthDataOther>', '<!DOCTYPE html><HealthData>']) {
    expect(() => importerFor(Buffer.from(head))).toThrow(
      expect.objectContaining({ code: 'invalid_file', message: expect.stringContaining('apple_health') }),
    )
  }
  expect(() => importerFor(Buffer.from(XML), 'aple_health')).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringContaining('Did you mean "apple_health"'),
    }),
  )
})
