/** The framing of FIT files, compared with another reader and tried on randomly changed bytes. */
import fc from 'fast-check'
import { FitBaseType, FitEncoder } from 'fit-file-parser/encoder'
import { readFitMessages } from 'fit-file-parser/raw'
import { expect, test } from 'vitest'
import { fit } from '../../../../src/connectors/files/fit/fit.ts'
import { fitFiles } from '../../../../src/connectors/files/fit/reader.ts'
import { ServiceError } from '../../../../src/core/errors.ts'
import { seed } from '../../../kit/seed.ts'
import { importBytes } from '../activity-import.ts'

const BASE_TYPES = [
  [FitBaseType.Enum, 1],
  [FitBaseType.Uint8, 1],
  [FitBaseType.Sint8, 1],
  [FitBaseType.Uint16, 2],
  [FitBaseType.Sint16, 2],
  [FitBaseType.Uint32, 4],
  [FitBaseType.Sint32, 4],
] as const

const field = fc.record({
  number: fc.integer({ min: 0, max: 252 }),
  type: fc.constantFrom(...BASE_TYPES),
  value: fc.integer({ min: 0, max: 127 }),
})
const message = fc.record({
  number: fc.constantFrom(0, 18, 20, 21, 34, 55, 101, 103, 227, 300),
  local: fc.integer({ min: 0, max: 15 }),
  fields: fc.uniqueArray(field, { selector: each => each.number, minLength: 1, maxLength: 8 }),
})
type Message = typeof message extends fc.Arbitrary<infer T> ? T : never

function encoded(messages: readonly Message[]): Uint8Array {
  const encoder = new FitEncoder({ protocolVersion: 0x20 })
  for (const { number, local, fields } of messages) {
    const list = fields.map(({ number, type: [baseType, size], value }) => ({ number, baseType, size, value }))
    encoder.writeMessage(number, list, local)
  }
  return encoder.close()
}

test('finds the same messages and fields as another reader in files from a third-party writer', () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 12 }), messages => {
      const bytes = encoded(messages)
      const found = [...fitFiles(bytes)].flatMap(file =>
        Array.from(file, each => ({ number: each.number, values: Array.from({ length: 253 }, (_, i) => each.get(i)) })),
      )
      const known = readFitMessages(bytes).messages.map(each => ({
        number: each.globalMessageNumber,
        values: Array.from({ length: 253 }, (_, i) => toUnsigned(each.fields.find(one => one.fieldNumber === i))),
      }))
      expect(found).toEqual(known)
    }),
    { seed, numRuns: 200 },
  )
})

function toUnsigned(found: { baseType: number; bytes: Uint8Array } | undefined): number | undefined {
  if (found === undefined) return undefined
  const { buffer, byteOffset, length } = found.bytes
  const value = Buffer.from(buffer, byteOffset, length).readUIntLE(0, length)
  // the largest value of a signed type means that there is no value
  const isSigned = [FitBaseType.Sint8, FitBaseType.Sint16, FitBaseType.Sint32].includes(found.baseType)
  return isSigned && value === 2 ** (8 * length - 1) - 1 ? undefined : value
}

test('fails only with a clear refusal, whatever bytes are changed, removed or inserted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: 1, maxLength: 8 }),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
      fc.nat(),
      async (messages, changes, cut) => {
        const bytes = Buffer.from(encoded(messages))
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        const { error, records } = await importBytes(fit, bytes.subarray(0, bytes.length - (cut % 20)))
        if (error !== undefined) expect(error).toBeInstanceOf(ServiceError)
        else expect(records).toBeGreaterThanOrEqual(0)
      },
    ),
    { seed, numRuns: 100 },
  )
})
