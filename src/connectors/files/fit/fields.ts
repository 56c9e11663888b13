/** The FIT protocol's field types: their sizes, how they are read, and the value that means "invalid". */

export interface FieldType {
  readonly sizeBytes: number
  /** Returns the number at a position, or undefined for the type's "invalid" value. */
  read(view: DataView, at: number, littleEndian: boolean): number | undefined
}

type Reader = (view: DataView, at: number, littleEndian: boolean) => number

function fieldType(sizeBytes: number, invalid: number, reader: Reader): FieldType {
  return {
    sizeBytes,
    read: (view, at, littleEndian) => {
      const value = reader(view, at, littleEndian)
      return value === invalid || Number.isNaN(value) ? undefined : value
    },
  }
}

const u8: Reader = (view, at) => view.getUint8(at)
const u16: Reader = (view, at, little) => view.getUint16(at, little)
const u32: Reader = (view, at, little) => view.getUint32(at, little)
const u64: Reader = (view, at, little) => Number(view.getBigUint64(at, little))

/** Types by base type number, which is the low five bits of the base type byte. */
const TYPES: readonly FieldType[] = [
  fieldType(1, 0xff, u8), // enum
  fieldType(1, 0x7f, (view, at) => view.getInt8(at)),
  fieldType(1, 0xff, u8),
  fieldType(2, 0x7fff, (view, at, little) => view.getInt16(at, little)),
  fieldType(2, 0xffff, u16),
  fieldType(4, 0x7fffffff, (view, at, little) => view.getInt32(at, little)),
  fieldType(4, 0xffffffff, u32),
  fieldType(1, 0, u8), // string
  // the floating-point types' invalid values are NaN
  fieldType(4, Number.NaN, (view, at, little) => view.getFloat32(at, little)),
  fieldType(8, Number.NaN, (view, at, little) => view.getFloat64(at, little)),
  fieldType(1, 0, u8), // uint8z
  fieldType(2, 0, u16),
  fieldType(4, 0, u32),
  fieldType(1, 0xff, u8), // byte
  fieldType(8, Number(0x7fffffffffffffffn), (view, at, little) => Number(view.getBigInt64(at, little))),
  fieldType(8, Number(0xffffffffffffffffn), u64),
  fieldType(8, 0, u64),
]

/** Returns the type for a base type byte, or undefined if the byte is not in the protocol. */
export function findFieldType(baseType: number): FieldType | undefined {
  return TYPES[baseType & 0x1f]
}

/** A field in a message definition, starting `at` bytes into the message. */
export interface FieldPosition {
  readonly at: number
  readonly sizeBytes: number
  readonly baseType: number
}
