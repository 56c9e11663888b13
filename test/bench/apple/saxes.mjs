/** Measures how long `saxes` alone takes to parse a file: `node test/bench/apple/saxes.mjs FILE` prints the number of its tags. */
import { createReadStream } from 'node:fs'
import { SaxesParser } from 'saxes'

const parser = new SaxesParser()
let tags = 0
parser.on('opentag', () => tags++)
// it reports the control characters that real exports contain, and continues
parser.on('error', () => {})
for await (const text of createReadStream(process.argv[2], { encoding: 'utf8', highWaterMark: 1_048_576 }))
  parser.write(text)
parser.close()
console.log(tags)
