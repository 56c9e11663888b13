/** Numbers the combinations of key values: a hash table over the values themselves, so that a million groups of ten keys fit. */
import { widened } from '../functions/accumulator.ts'

const FIRST_SLOTS = 64
/** The golden ratio of 32 bits: spreads whole numbers that follow each other. */
const SPREAD = 0x9e37_79b1

export class KeyTable {
  /** Number of groups so far. */
  count = 0
  /** By key the value in each group. */
  private readonly values: Float64Array<ArrayBuffer>[]
  /** Group of each slot, 0 where it is free and else one more; a power of two, at most half of them taken. */
  private slots = new Int32Array(FIRST_SLOTS)
  private readonly bits: Float64Array
  private readonly words: Uint32Array

  constructor(keys: number) {
    this.values = Array.from({ length: keys }, () => new Float64Array(0))
    this.bits = new Float64Array(keys)
    this.words = new Uint32Array(this.bits.buffer)
  }

  /** The group of a value a key; a new one where there is none yet, and -1 where that would be more than `most`. */
  groupOf(key: readonly number[], most: number): number {
    for (let slot = this.firstSlot(key); ; slot = (slot + 1) & (this.slots.length - 1)) {
      const group = (this.slots[slot] as number) - 1
      if (group >= 0 && !this.holds(group, key)) continue
      if (group >= 0) return group
      return this.count < most ? this.add(key, slot) : -1
    }
  }

  /** Value of a key in a group; NaN is null. */
  value(key: number, group: number): number {
    return this.values[key]?.[group] as number
  }

  private holds(group: number, key: readonly number[]): boolean {
    for (let k = 0; k < key.length; k++) {
      const [held, wanted] = [this.value(k, group), key[k] as number]
      if (held !== wanted && !(Number.isNaN(held) && Number.isNaN(wanted))) return false
    }
    return true
  }

  private add(key: readonly number[], slot: number): number {
    const group = this.count++
    for (let k = 0; k < key.length; k++) {
      const values = widened(this.values[k] as Float64Array<ArrayBuffer>, this.count, Number.NaN)
      values[group] = key[k] as number
      this.values[k] = values
    }
    this.slots[slot] = group + 1
    if (this.count * 2 > this.slots.length) this.spreadOut()
    return group
  }

  private spreadOut(): void {
    const slots = new Int32Array(this.slots.length * 2)
    this.slots = slots
    const key = this.values.map(() => Number.NaN)
    for (let group = 0; group < this.count; group++) {
      for (let k = 0; k < key.length; k++) key[k] = this.value(k, group)
      let slot = this.firstSlot(key)
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
      slots[slot] = group + 1
    }
  }

  private firstSlot(key: readonly number[]): number {
    const { bits, words } = this
    // one NaN and one zero: equal values have equal bits
    for (let k = 0; k < key.length; k++) bits[k] = Number.isNaN(key[k]) ? Number.NaN : (key[k] as number) + 0
    let hash = 0
    for (let i = 0; i < words.length; i++) {
      hash = Math.imul(hash ^ (words[i] as number), SPREAD)
      hash ^= hash >>> 15
    }
    return hash & (this.slots.length - 1)
  }
}
