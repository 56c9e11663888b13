/** Constants that are part of every stored chunk. docs/storage.md describes the layout. */

/** The version, which is the first byte of a chunk. */
export const CHUNK_VERSION = 1
export const HEADER_BYTES = 24

/** How end times are stored: equal to the start, one duration for all samples, or one duration per sample. */
export const END = { none: 0, constant: 1, u32: 2, f64: 3 } as const
export const SECOND = { none: 0, f64: 1 } as const
export const OFFSET = { none: 0, constant: 1, i32: 2 } as const

export type Codes = Uint8Array | Uint16Array | Uint32Array

/** Returns n codes of one, two or four bytes each as a view, without copying them. */
export function codesAt(buffer: ArrayBufferLike, at: number, n: number, width: number): Codes {
  if (width === 1) return new Uint8Array(buffer, at, n)
  return width === 2 ? new Uint16Array(buffer, at, n) : new Uint32Array(buffer, at, n)
}
