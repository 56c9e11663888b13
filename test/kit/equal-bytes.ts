/** Compares bytes at once: Vitest compares each as a number, which takes seconds for a data file. */
import { expect } from 'vitest'

/** Returns undefined, which leaves the comparison to Vitest, unless both are arrays of the same type with the same bytes. */
function areEqualBytes(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return
  return toBytes(a).equals(toBytes(b)) ? true : undefined
}

function toBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

expect.addEqualityTesters([areEqualBytes])
