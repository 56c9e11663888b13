/** Corrupts a request as a careless or hostile caller might: values of the wrong type, excessive sizes, broken encodings. */
import fc from 'fast-check'

/** Values that have broken services before. */
export const wildValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  -1e308,
  2 ** 53,
  -(2 ** 63),
  0.1,
  '',
  ' ',
  '\u0000',
  '\u0000\u0001\u001f\u007f',
  '\ud800',
  '\u202e\ufeff',
  '../../etc/passwd',
  "'; DROP TABLE user; --",
  '<script>alert(1)</script>',
  '%00%ff%zz',
  'NaN',
  'Infinity',
  '0001-01-01',
  '9999-12-31',
  '10000-01-01',
  '2026-02-30',
  '2026-11-20T25:61:61Z',
  '+275760-09-13T00:00:00Z',
  '-000001-01-01',
  'x'.repeat(20_000),
  '💥'.repeat(2_000),
  [],
  [[]],
  [null],
  {},
  { __proto__: null },
  { constructor: { prototype: {} } },
  { toString: 'x', valueOf: 1, length: -1 },
]

const wild = fc.constantFrom(...wildValues)
const deep = fc.integer({ min: 100, max: 3_000 }).map(depth => nested(depth))

function nested(depth: number): unknown {
  let value: unknown = 0
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value }
  return value
}

type Change = (value: unknown) => unknown

/** Changes one value somewhere inside: replaces or removes it, or adds something next to it. */
export const change: fc.Arbitrary<Change> = fc
  .tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'add'), fc.oneof({ weight: 6, arbitrary: wild }, deep))
  .map(
    ([where, how, by]) =>
      value =>
        changed(structuredClone(value), where, how, by),
  )

interface Position {
  readonly holder: Record<string, unknown> | unknown[]
  readonly key: string | number
}

function changed(value: unknown, where: number, how: string, by: unknown): unknown {
  const positions = listPositions(value)
  if (positions.length === 0) return by
  const { holder, key } = positions[where % positions.length] as Position
  if (how === 'remove') {
    if (Array.isArray(holder)) holder.splice(key as number, 1)
    else delete holder[key]
  } else if (how === 'replace') (holder as Record<string | number, unknown>)[key] = by
  else if (Array.isArray(holder)) holder.push(by)
  else holder['a field that nobody knows'] = by
  return value
}

function listPositions(value: unknown): Position[] {
  if (typeof value !== 'object' || value === null) return []
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  return [...keys].flatMap(key => [
    { holder: value as Record<string, unknown>, key },
    ...listPositions((value as Record<string | number, unknown>)[key]),
  ])
}

/** Changes the bytes of a JSON body. */
export const rawBody: fc.Arbitrary<(json: string) => { readonly bytes: Buffer; readonly type?: string }> = fc.oneof(
  fc.constantFrom(
    (json: string) => ({ bytes: Buffer.from(json.slice(0, Math.floor(json.length / 2))) }),
    (json: string) => ({ bytes: Buffer.from(`${json}${json}`) }),
    (json: string) => ({ bytes: Buffer.from(`\ufeff${json}`) }),
    (json: string) => ({ bytes: Buffer.from(json, 'utf16le') }),
    (json: string) => ({ bytes: Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xff, 0xfe, 0x7d])]) }),
    (json: string) => ({ bytes: Buffer.from(json.replace('{', '{"user_id":1,"user_id":"2",')) }),
    (json: string) => ({ bytes: Buffer.from(json), type: 'text/plain' }),
    (json: string) => ({ bytes: Buffer.from(json), type: 'application/json; charset=utf-16' }),
    (json: string) => ({ bytes: Buffer.from(json), type: 'multipart/form-data; boundary=x' }),
    (json: string) => ({ bytes: Buffer.from(json), type: ';;;' }),
    () => ({ bytes: Buffer.alloc(0) }),
    () => ({ bytes: Buffer.from('['.repeat(100_000)) }),
    () => ({ bytes: Buffer.from(`"${'x'.repeat(1_200_000)}"`) }),
    () => ({ bytes: Buffer.from('1e400') }),
    () => ({ bytes: Buffer.from('NaN') }),
  ),
  fc.uint8Array({ maxLength: 64 }).map(bytes => () => ({ bytes: Buffer.from(bytes) })),
)

/** Arbitrary text for a path segment or a query value, encoded or invalid. */
export const wildText: fc.Arbitrary<string> = fc.oneof(
  wild.filter(value => typeof value !== 'object').map(value => encodeText(String(value).slice(0, 1_000))),
  fc.constantFrom('%', '%zz', '%00', '%ff', '%c0%af', '%2F', '..', '.', '%2e%2e', 'a%20b', '+', ';', '%F0%9F%92%A5'),
)

/** Lone surrogates cannot be encoded: they are sent as the replacement character. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
}
