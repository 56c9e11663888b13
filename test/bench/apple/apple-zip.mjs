/** Writes a zip file as its entries arrive: each entry is compressed on arrival, and its sizes follow it. For files up to 4 GiB. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'

/** General purpose flags: sizes follow the data; names are UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8

/** Writes bytes to a file. `write` resolves once they are accepted. */
export class FileSink {
  constructor(path) {
    this.stream = createWriteStream(path)
    this.bytes = 0
  }

  async write(chunk) {
    const bytes = Buffer.from(chunk)
    this.bytes += bytes.length
    if (!this.stream.write(bytes)) await once(this.stream, 'drain')
  }

  async end() {
    this.stream.end()
    await finished(this.stream)
  }
}

/** Writes entries one after another: `begin`, any number of `write`, `end`. `finish` writes the directory. */
export class ZipSink {
  constructor(path) {
    this.sink = new FileSink(path)
    this.directory = []
  }

  async begin(name) {
    this.entry = { name: Buffer.from(name), at: this.sink.bytes, crc: 0, size: 0, packed: 0 }
    await this.sink.write(Buffer.concat([Buffer.from('PK\u0003\u0004'), head(this.entry, 0), this.entry.name]))
    this.deflate = createDeflateRaw({ level: 1 })
    this.pump = this.takePacked(this.deflate, this.entry)
  }

  async write(chunk) {
    const bytes = Buffer.from(chunk)
    this.entry.crc = crc32(bytes, this.entry.crc)
    this.entry.size += bytes.length
    if (!this.deflate.write(bytes)) await once(this.deflate, 'drain')
  }

  async end() {
    this.deflate.end()
    await this.pump
    const { crc, packed, size } = this.entry
    const tail = Buffer.from('PK\u0007\u0008            ', 'latin1')
    tail.writeUInt32LE(crc, 4)
    tail.writeUInt32LE(packed, 8)
    tail.writeUInt32LE(size, 12)
    await this.sink.write(tail)
    this.directory.push(this.entry)
  }

  async finish() {
    const from = this.sink.bytes
    for (const entry of this.directory) {
      const place = Buffer.alloc(14)
      place.writeUInt32LE(entry.at, 10)
      await this.sink.write(
        Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), head(entry, entry.size), place, entry.name]),
      )
    }
    const end = Buffer.alloc(22)
    end.write('PK\u0005\u0006', 'latin1')
    end.writeUInt16LE(this.directory.length, 8)
    end.writeUInt16LE(this.directory.length, 10)
    end.writeUInt32LE(this.sink.bytes - from, 12)
    end.writeUInt32LE(from, 16)
    await this.sink.write(end)
    await this.sink.end()
  }

  async takePacked(deflate, entry) {
    for await (const bytes of deflate) {
      entry.packed += bytes.length
      await this.sink.write(bytes)
    }
  }
}

/** Returns the fields that the local header and the directory share: version, flags, method, time, checksum, sizes, length of the name. */
function head(entry, size) {
  const bytes = Buffer.alloc(26)
  bytes.writeUInt16LE(20, 0)
  bytes.writeUInt16LE(FLAGS, 2)
  bytes.writeUInt16LE(DEFLATED, 4)
  bytes.writeUInt32LE(entry.crc, 10)
  bytes.writeUInt32LE(entry.packed, 14)
  bytes.writeUInt32LE(size, 18)
  bytes.writeUInt16LE(entry.name.length, 22)
  return bytes
}
