/** Randomness: the injected source of random bytes, and a seeded generator for synthetic people. */
import { createHash, randomBytes } from 'node:crypto'
import { makeUuid } from './ids.ts'
import { present } from './present.ts'

/** The source of IDs, tokens, keys and secrets. */
export interface RandomSource {
  bytes(count: number): Uint8Array
}

export const systemRandom: RandomSource = { bytes: count => randomBytes(count) }

/** Returns a random UUID, version 4. */
export function randomUuid(random: RandomSource): string {
  return makeUuid(random.bytes(16), 4)
}

/** Returns 256 random bits in base64url. */
export function randomToken(random: RandomSource): string {
  return Buffer.from(random.bytes(32)).toString('base64url')
}

/**
 * Returns a source that produces the same bytes for the same seed, for tests that compare two runs and for recordings, which have a random
 * seed.
 */
export function seededRandom(seed: string): RandomSource {
  let counter = 0
  return {
    bytes(count) {
      const out = Buffer.alloc(count)
      for (let at = 0; at < count; at += 32) {
        createHash('sha256').update(`${seed}\u0000${counter++}`).digest().copy(out, at)
      }
      return out
    },
  }
}

/**
 * A stream of numbers that depends only on its path (xoshiro128**, seeded by SHA-256); the same on every operating system and Node version.
 */
export class Stream {
  private readonly state: Uint32Array

  constructor(...path: readonly (string | number)[]) {
    const digest = createHash('sha256').update(path.join('\u0000')).digest()
    this.state = new Uint32Array([
      digest.readUInt32LE(0) | 1,
      digest.readUInt32LE(4),
      digest.readUInt32LE(8),
      digest.readUInt32LE(12),
    ])
  }

  /** Returns a uniformly distributed number in [0, 1). */
  next(): number {
    // reads are unchecked, because millions of numbers are drawn and the state always has four elements
    const s = this.state
    const s0 = s[0] as number
    const s1 = s[1] as number
    const s2 = s[2] as number
    const s3 = s[3] as number
    const mixed = Math.imul(s1, 5)
    const result = Math.imul((mixed << 7) | (mixed >>> 25), 9) >>> 0
    s[2] = s2 ^ s0
    s[3] = s3 ^ s1
    s[1] = s1 ^ (s[2] as number)
    s[0] = s0 ^ (s[3] as number)
    s[2] = (s[2] as number) ^ (s1 << 9)
    const t = s[3] as number
    s[3] = (t << 11) | (t >>> 21)
    return result / 0x1_0000_0000
  }

  /** Returns a uniformly distributed number in [low, high). */
  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  /** Returns a whole number in [low, high]. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  /** Returns one of the values. Throws an Error if there are none. */
  pick<T>(values: readonly T[]): NonNullable<T> {
    return present(values[this.whole(0, values.length - 1)], 'a value to pick')
  }

  /**
   * Returns an approximately normally distributed number (the sum of twelve uniform ones). Uses no transcendental function, so that the
   * result is the same on all platforms.
   */
  normal(mean: number, deviation: number): number {
    let sum = -6
    for (let i = 0; i < 12; i++) sum += this.next()
    return mean + sum * deviation
  }
}
