/**
 * PostgreSQL's hash of a text, by which Citus chooses a row's shard: Bob Jenkins' lookup3 over the UTF-8 bytes, as on little-endian
 * machines. A test compares it with the server's own function.
 */

/** Returns the hash as a signed 32-bit integer. */
export function hashText(text: string): number {
  const bytes = Buffer.from(text)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let a = (0x9e37_79b9 + bytes.length + 3_923_095) | 0
  let b = a
  let c = a
  let at = 0
  for (; bytes.length - at >= 12; at += 12) {
    a = (a + view.getInt32(at, true)) | 0
    b = (b + view.getInt32(at + 4, true)) | 0
    c = (c + view.getInt32(at + 8, true)) | 0
    a = (a - c) ^ rotate(c, 4)
    c = (c + b) | 0
    b = (b - a) ^ rotate(a, 6)
    a = (a + c) | 0
    c = (c - b) ^ rotate(b, 8)
    b = (b + a) | 0
    a = (a - c) ^ rotate(c, 16)
    c = (c + b) | 0
    b = (b - a) ^ rotate(a, 19)
    a = (a + c) | 0
    c = (c - b) ^ rotate(b, 4)
    b = (b + a) | 0
  }
  // of the last bytes, the ninth and later ones are added above the lowest byte of c, which contains the length
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i] as number // i is in range
    const place = i - at
    if (place < 4) a = (a + (byte << (8 * place))) | 0
    else if (place < 8) b = (b + (byte << (8 * (place - 4)))) | 0
    else c = (c + (byte << (8 * (place - 7)))) | 0
  }
  c = ((c ^ b) - rotate(b, 14)) | 0
  a = ((a ^ c) - rotate(c, 11)) | 0
  b = ((b ^ a) - rotate(a, 25)) | 0
  c = ((c ^ b) - rotate(b, 16)) | 0
  a = ((a ^ c) - rotate(c, 4)) | 0
  b = ((b ^ a) - rotate(a, 14)) | 0
  return ((c ^ b) - rotate(b, 24)) | 0
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}
