/** No spelling of a private address gets past the check of a target. Addresses are random; the seed is in the test name. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressKind } from '../../src/engine/webhooks/address-kind.ts'
import { targetProblem } from '../../src/engine/webhooks/target.ts'
import { times } from '../kit/effort.ts'
import { seed } from '../kit/seed.ts'

const byte = fc.integer({ min: 0, max: 255 })
/** The four bytes of an address that is not public. */
const ownAddress = fc.oneof(
  fc.tuple(fc.constant(10), byte, byte, byte),
  fc.tuple(fc.constant(127), byte, byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
)
type Bytes = readonly [number, number, number, number]

const toNumber = ([a, b, c, d]: Bytes): number => ((a * 256 + b) * 256 + c) * 256 + d
const hex = (value: number): string => value.toString(16)
const group = (high: number, low: number): string => hex(high * 256 + low)

/** Spellings that some parser reads as the address. */
const SPELLINGS: readonly ((bytes: Bytes) => string)[] = [
  bytes => bytes.join('.'),
  bytes => `${bytes.join('.')}.`,
  bytes => String(toNumber(bytes)),
  bytes => `0x${hex(toNumber(bytes))}`,
  bytes => `0${toNumber(bytes).toString(8)}`,
  bytes => bytes.map(part => `0x${hex(part)}`).join('.'),
  bytes => bytes.map(part => `0${part.toString(8)}`).join('.'),
  bytes => bytes.map(part => String(part).padStart(3, '0')).join('.'),
  ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  ([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
  bytes => bytes.join('.').replaceAll('.', '。'),
  bytes => bytes.join('.').replace(/\d/g, digit => String.fromCodePoint(0xff10 + Number(digit))),
  bytes => `%3${String(bytes[0])[0]}${bytes.join('.').slice(1)}`,
  bytes => `[::ffff:${bytes.join('.')}]`,
  ([a, b, c, d]) => `[::ffff:${group(a, b)}:${group(c, d)}]`,
  ([a, b, c, d]) => `[0:0:0:0:0:ffff:${group(a, b)}:${group(c, d)}]`,
  ([a, b, c, d]) => `[64:ff9b::${group(a, b)}:${group(c, d)}]`,
  ([a, b, c, d]) => `[64:ff9b:1::${group(a, b)}:${group(c, d)}]`,
  ([a, b, c, d]) => `[2002:${group(a, b)}:${group(c, d)}::]`,
  ([a, b, c, d]) => `[2001:0:${group(a, b)}:${group(c, d)}::1]`,
  ([a, b, c, d]) => `[2a00::5efe:${group(a, b)}:${group(c, d)}]`,
  ([a, b, c, d]) => `[fd00::200:5efe:${group(a, b)}:${group(c, d)}]`,
  bytes => `[::${bytes.join('.')}]`,
  bytes => `user@${bytes.join('.')}`,
  bytes => `example.com@${bytes.join('.')}`,
]
const spelling = fc.constantFrom(...SPELLINGS)

describe(`a private address, seed ${seed}`, () => {
  it('is refused in every spelling', () => {
    fc.assert(
      fc.property(ownAddress, spelling, fc.constantFrom('http', 'https', 'HTTPS'), (bytes, spell, scheme) => {
        const url = `${scheme}://${spell(bytes)}:8080/hooks`
        const problem = (allowLoopback: boolean) => targetProblem(url, { allowPrivate: false, allowLoopback })
        expect(problem(true) === null, url).toBe(spell(bytes) === '127.0.0.1')
        expect(problem(false), url).not.toBeNull()
      }),
      { seed, numRuns: times(700) },
    )
  })

  it('is accepted in its standard spelling only, where private networks are allowed', () => {
    fc.assert(
      fc.property(ownAddress, spelling, (bytes, spell) => {
        const url = `http://${spell(bytes)}:8080/hooks`
        const problem = (allowLoopback: boolean) => targetProblem(url, { allowPrivate: true, allowLoopback })
        const isPlain = spell(bytes) === bytes.join('.') && addressKind(bytes.join('.')).kind !== 'refused'
        expect(problem(true) === null, url).toBe(isPlain)
        expect(problem(false) === null, url).toBe(isPlain && bytes[0] !== 127)
      }),
      { seed, numRuns: times(700) },
    )
  })

  it('is recognized in the response of a resolver', () => {
    fc.assert(
      fc.property(ownAddress, bytes => {
        const [a, b, c, d] = bytes
        for (const address of [
          bytes.join('.'),
          `::ffff:${bytes.join('.')}`,
          `64:ff9b::${group(a, b)}:${group(c, d)}`,
          `2002:${group(a, b)}:${group(c, d)}::1`,
          `::${group(a, b)}:${group(c, d)}`,
          `64:ff9b:1::${group(a, b)}:${group(c, d)}`,
          `2a00:1450:1:2:0:5efe:${group(a, b)}:${group(c, d)}`,
          `fd00::200:5efe:${group(a, b)}:${group(c, d)}`,
        ]) {
          const { kind } = addressKind(address)
          expect(kind, address).not.toBe('public')
          if (address !== bytes.join('.')) expect(kind, address).toBe('refused')
        }
      }),
      { seed, numRuns: times(350) },
    )
  })
})
