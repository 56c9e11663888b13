/** The XML reader against an independent one: random documents, valid and corrupted, cut anywhere, and a synthetic export. */

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { ServiceError } from '../../../../src/core/errors.ts'
import { writeAppleExport } from '../../../bench/apple/apple-export.mjs'
import { times } from '../../../kit/effort.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { seed } from '../../../kit/seed.ts'
import { accounted, importFile } from '../exports.ts'
import { spoiltDocument, xmlDocument, xmlPositions } from '../xml-documents.ts'
import { cut, ours, theirs } from '../xml-events.ts'

const options = { seed, interruptAfterTimeLimit: 2500, markInterruptAsFailure: false }

test('reports the same elements, values and texts, wherever the bytes are split', () => {
  fc.assert(
    fc.property(xmlDocument, xmlPositions, fc.boolean(), (document, cuts, text) => {
      expect(ours(cut(document, cuts), text)).toEqual(theirs(document, text))
    }),
    { ...options, numRuns: times(200) },
  )
})

test('reads every corrupted document that the other reader accepts, and refuses others only with a clear error', () => {
  fc.assert(
    fc.property(spoiltDocument, xmlPositions, (document, cuts) => {
      const theirEvents = readResult(() => theirs(document))
      const ourEvents = readResult(() => ours(cut(document, cuts)))
      if (ourEvents instanceof Error) {
        expect(ourEvents).toBeInstanceOf(ServiceError)
        expect(theirEvents).toBeInstanceOf(Error)
      } else if (!(theirEvents instanceof Error)) expect(ourEvents).toEqual(theirEvents)
      // the result is the same wherever the bytes are split
      const whole = readResult(() => ours([Buffer.from(document)]))
      expect(ourEvents instanceof Error).toBe(whole instanceof Error)
    }),
    { ...options, numRuns: times(200) },
  )
})

test('reads a synthetic export as the other reader does, record by record', async () => {
  const out = path.join(temporaryFolder(), 'export.xml')
  const made = await writeAppleExport({ records: 4000, seed, out })
  const bytes = await readFile(out)
  const document = bytes.toString('utf8')
  const read = await importFile(out)
  expect(read.records).toBe(made.records + made.routes)
  expect(accounted(read)).toBe(read.records)
  // the steps as the other reader finds them, without any of our code
  const steps = { n: 0, sum: 0 }
  let depth = 0
  const parser = new SaxesParser()
  parser.on('error', () => {})
  parser.on('opentag', ({ name, attributes }) => {
    if (depth++ !== 1 || name !== 'Record' || attributes['type'] !== 'HKQuantityTypeIdentifierStepCount') return
    steps.n++
    steps.sum += Number(attributes['value'])
  })
  parser.on('closetag', () => depth--)
  parser.write(document).close()
  const ofOurs = read.samples.filter(each => each.resource === 'steps').map(each => each.value)
  expect({ n: ofOurs.length, sum: ofOurs.reduce((sum, each) => sum + each, 0) }).toEqual(steps)
})

function readResult<T>(read: () => T): T | Error {
  try {
    return read()
  } catch (error) {
    return error as Error
  }
}
