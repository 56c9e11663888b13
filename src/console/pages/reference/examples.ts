/** Examples of requests and responses. They are built from the schemas and made-up values, and contain no stored values. */
import type { ApiDocument, Schema } from '../../api/api-document.ts'
import { resolve } from './document.ts'

/** Depth at which nested values are left out, because schemas may contain themselves. */
const MOST_DEPTH = 7

/** Decides how much of a schema an example contains. */
interface Extent {
  readonly fields: (schema: Schema) => readonly string[]
  readonly items: (schema: Schema) => number
}

const REQUIRED: Extent = {
  fields: ({ required = [] }) => required,
  items: ({ minItems = 0 }) => Math.min(minItems, 1),
}

const ALL: Extent = {
  fields: ({ properties = {} }) => Object.keys(properties).filter(name => !properties[name]?.deprecated),
  items: () => 1,
}

/** Returns an example that contains only the required fields. */
export function shortExample(document: ApiDocument, schema: Schema): unknown {
  return build(document, schema, REQUIRED, '', 0)
}

/** Returns an example that contains all fields, except deprecated ones. */
export function fullExample(document: ApiDocument, schema: Schema): unknown {
  return build(document, schema, ALL, '', 0)
}

/** Builds the value of a field; the items of a list have its name. */
function build(document: ApiDocument, given: Schema, extent: Extent, field: string, depth: number): unknown {
  const { schema } = resolve(document, given)
  const inside = (inner: Schema | undefined, name = field): unknown =>
    build(document, inner ?? {}, extent, name, depth + 1)
  const fixed = schema.default ?? schema.const ?? schema.enum?.[0]
  if (fixed !== undefined) return fixed
  const choice = (schema.anyOf ?? schema.oneOf)?.find(each => each.type !== 'null')
  if (choice) return build(document, choice, extent, field, depth)
  const { properties = {}, additionalProperties: others } = schema
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (type === 'string') return exampleText(field, schema)
  if (type === 'integer' || type === 'number') return schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1
  if (type === 'boolean') return false
  if (depth > MOST_DEPTH) return type === 'array' ? [] : null
  if (type === 'array') return Array.from({ length: extent.items(schema) }, () => inside(schema.items))
  if (type !== 'object') return null
  if (typeof others === 'object' && !schema.properties) return extent === ALL ? { name: inside(others) } : {}
  return Object.fromEntries(extent.fields(schema).map(name => [name, inside(properties[name], name)]))
}

const ID = '2b1c9f6e-8d3a-4c57-9e01-5a7d4f3b6c88'
const FORMATS: Readonly<Record<string, string>> = { uuid: ID, date: '2026-11-03', 'date-time': '2026-11-03T08:30:00Z' }

const NAMED: Readonly<Record<string, string>> = {
  ...{ client_user_id: 'ada', first_name: 'Ada', last_name: 'Lovelace', gender: 'female', email: 'ada@example.com' },
  ...{ phone_number: '+14155550100', dob: '1990-02-28', race: 'not_specified', ethnicity: 'not_specified' },
  ...{ first_line: '1 Main Street', second_line: 'Apt 2', city: 'San Francisco', state: 'CA', country: 'US' },
  ...{ zip: '94110', zip_code: '94110', zipcode: '94110', time_zone: 'Europe/Berlin', npi: '1234567893' },
  ...{ source_type: 'ring', resource: 'heartrate', unit: 'bpm', type: 'unknown', status: 'success', format: 'csv' },
  ...{ func: 'mean', date_part: 'weekday', column: 'heartrate.value', operation: 'user.create' },
  ...{ event_type: 'daily.data.sleep.created', event_types: 'daily.data.*', method: 'GET', field: 'user_id' },
  ...{ msg: 'Field required', reason: 'a value is missing', places: 'line 12', code: '123456' },
  ...{ message: 'The request was refused.', error_message: 'The request was refused.', advance: '1d', period: 'P1D' },
  ...{ api_key: 'sk_example', secret: 'whsec_example', password: 'correct horse battery staple' },
  ...{ scopes: 'read:sleep', path: '/v2/user', version: '1.0.0', sha256: 'e3b0c44298fc1c149afbf4c8996fb924' },
  ...{ result: '5.1', value: '5.1', account: 'main', anchor: '2026-11-03', answer: 'no' },
  ...{ assessment_plan: 'Repeat in 3 months.', collection: 'sleep', client_secret: 'a secret', data_type: 'numeric' },
  ...{ diff: 'current', header_prefix: 'svix', icd_codes: 'E11.9', index: 'timeseries', licensed_states: 'CA' },
  ...{ mfa_code: '123456', passthrough: 'order 17', payor_code: '60054', seed: 'a seed', service_account: '{}' },
  ...{ subjective: 'Feels well.', timeOfConsent: '2026-11-03T08:30:00Z', where: 'steps.value > 0' },
  ...{ description: 'Orders of the web shop', label: 'CI', title: 'Morning run', name: 'Morning run', text: 'Lunch' },
}

/** Values for fields without an entry of their own, by parts of their names. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/^provider_ids$/, 'oura'],
  [/cursor$|token$/, 'eyJvZmZzZXQiOjI1fQ'],
  [/(?:^|_)date(?:$|_)|^first$|^last$|^start$|^end$/, '2026-11-03'],
  [/_at$|^(?:at|from|to|since|until|before|as_of|set)$/, '2026-11-03T08:30:00Z'],
  [/(?:^|_)ids?$|key$|^sub$/, ID],
  [/url$|^logo$|^url/, 'https://example.com/hook'],
  [/slug$|provider|source/, 'oura'],
  [/time_zone$/, 'Europe/Berlin'],
  [/error|problem|detail|notes?$|hint|reason/, 'a short text'],
  [/name$|patient|recipient/, 'Ada Lovelace'],
]

/** Returns a text for a field: by its name, its format, or an example in its description; otherwise its name in words. */
function exampleText(name: string, { format = '', description = '' }: Schema): string {
  const described = /(?:for example|such as) ([\w.:/-]*\w)/.exec(description)?.[1]
  return (
    NAMED[name] ??
    FORMATS[format] ??
    described ??
    PARTS.find(([part]) => part.test(name))?.[1] ??
    (name.replaceAll('_', ' ') || 'text')
  )
}
