/** Makes a self-signed certificate for this machine and its key, in PEM, anew for each test. */
import { generateKeyPairSync, sign } from 'node:crypto'

export function selfSigned(validTo: Date, kind: 'ec' | 'rsa' = 'ec'): { cert: string; key: string } {
  const { publicKey, privateKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  // ECDSA with SHA-256, or RSA with SHA-256 and no parameters
  const algorithm = kind === 'ec' ? der(0x30, oid('2a8648ce3d040302')) : der(0x30, oid('2a864886f70d01010b'), der(0x05))
  const name = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from('localhost')))))
  const validity = der(0x30, time(new Date('2020-01-01T00:00:00Z')), time(validTo))
  // contains the address that tests connect to
  const names = der(0x30, der(0x87, Buffer.from([127, 0, 0, 1])))
  const extension = der(0x30, oid('551d11'), der(0x04, names))
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension)),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', body, privateKey))
  const bytes = der(0x30, body, algorithm, signature)
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  const cert = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function time(at: Date): Buffer {
  return der(0x18, Buffer.from(`${at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`))
}
