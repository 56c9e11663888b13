/**
 * Assigns a number to each combination of key values. The hash table uses the values themselves, so that a million groups with ten keys
 * fit. Indexed reads are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import { widened } from '../functions/accumulator.ts'

const FIRST_SLOTS = 64
/** The golden ratio in 32 bits, which spreads consecutive whole numbers. */
const SPREAD = 0x9e37_79b1

export class KeyTable {
  /** Number of groups so far. */
  count = 0
  /** The value of each key in each group. */
  private readonly values: Float64Array<ArrayBuffer>[]
  /** The group in each slot plus one, or 0 if the slot is free. The length is a power of two, and at most half of the slots are taken. */
  private slots = new Int32Array(FIRST_SLOTS)
  private readonly bits: Float64Array
  private readonly words: Uint32Array

  constructor(keys: number) {
    this.values = Array.from({ length: keys }, () => new Float64Array(0))
    this.bits = new Float64Array(keys)
    this.words = new Uint32Array(this.bits.buffer)
  }

  /** Returns the group with these key values. Creates it if there is none yet, or returns -1 if there are already `most` groups. */
  findGroup(key: readonly number[], most: number): number {
    for (let slot = this.firstSlot(key); ; slot = (slot + 1) & (this.slots.length - 1)) {
      const group = (this.slots[slot] as number) - 1
      if (group >= 0 && !this.holds(group, key)) continue
      if (group >= 0) return group
      return this.count < most ? this.add(key, slot) : -1
    }
  }

  /** Returns a key's value in a group. NaN means null. */
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
    // use one NaN and one zero, so that equal values have equal bits
    for (let k = 0; k < key.length; k++) bits[k] = Number.isNaN(key[k]) ? Number.NaN : (key[k] as number) + 0
    let hash = 0
    for (let i = 0; i < words.length; i++) {
      hash = Math.imul(hash ^ (words[i] as number), SPREAD)
      hash ^= hash >>> 15
    }
    return hash & (this.slots.length - 1)
  }
}
