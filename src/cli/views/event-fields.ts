/** Lists the fields of a webhook body, one per row, from the JSON Schema of its type and its example. */
import { type Cell, fields, uncut, type View, view } from '../../output/view.ts'
import { toCell } from '../../table/cells.ts'

/** A JSON Schema from the service. Its keywords have the standard types, so the casts are safe. */
type Schema = Readonly<Record<string, unknown>>

interface Field {
  /** Path of the field, such as `data.source.provider` or `data.data[].value`. */
  readonly field: string
  readonly type: string
  readonly example: Cell
  readonly description: string
}

/** Expands objects and lists of objects. */
export function eventFieldsView(schema: Schema, example: unknown): View<Field> {
  const list: Field[] = []
  const definitions = (schema['$defs'] ?? {}) as Readonly<Record<string, Schema>>
  listFields(schema, example, '', list, definitions)
  const shown = view(list, fields<Field>('field', 'type', 'description', 'example'))
  return { ...uncut(shown, 'field'), isOneDocument: true }
}

function listFields(
  given: Schema,
  example: unknown,
  path: string,
  list: Field[],
  definitions: Readonly<Record<string, Schema>>,
): void {
  const schema = meant(given, definitions)
  const properties = schema['properties'] as Readonly<Record<string, Schema>> | undefined
  if (properties && Object.keys(properties).length > 0) {
    for (const [name, part] of Object.entries(properties)) {
      const of = (example as Schema | null | undefined)?.[name]
      listFields(part, of, path === '' ? name : `${path}.${name}`, list, definitions)
    }
    return
  }
  const items = schema['items'] as Schema | undefined
  if (items && meant(items, definitions)['properties']) {
    listFields(items, Array.isArray(example) ? example[0] : undefined, `${path}[]`, list, definitions)
    return
  }
  list.push({
    field: path,
    type: typeText(given, definitions),
    example: shortened(toCell(example)),
    description: [given['deprecated'] === true ? 'deprecated' : '', given['description'] ?? schema['description'] ?? '']
      .filter(text => text !== '')
      .join('; '),
  })
}

/** Maximum length of an example; json contains the complete example. */
const MOST_EXAMPLE_CHARACTERS = 80

function shortened(cell: Cell): Cell {
  return typeof cell === 'string' && cell.length > MOST_EXAMPLE_CHARACTERS
    ? `${cell.slice(0, MOST_EXAMPLE_CHARACTERS - 1)}…`
    : cell
}

/** Returns the schema behind a reference, or the non-null schema in a union with null. */
function meant(schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema {
  const name = /^#\/\$defs\/(.+)$/.exec(String(schema['$ref'] ?? ''))?.[1]
  if (name !== undefined) return meant(definitions[name] ?? {}, definitions)
  const options = schemaOptions(schema).filter(option => option['type'] !== 'null')
  const [only, second] = options
  return only && !second ? meant(only, definitions) : schema
}

function schemaOptions(schema: Schema): readonly Schema[] {
  return (schema['anyOf'] as readonly Schema[] | undefined) ?? []
}

function typeText(schema: Schema, definitions: Readonly<Record<string, Schema>>): string {
  const inner = meant(schema, definitions)
  const names = new Set<string>()
  const add = (type: unknown): void => {
    for (const name of Array.isArray(type) ? type : [type]) if (typeof name === 'string') names.add(name)
  }
  add(inner['type'])
  for (const option of schemaOptions(inner)) add(option['type'])
  if (schemaOptions(schema).some(option => option['type'] === 'null')) names.add('null')
  if ('const' in inner) return JSON.stringify(inner['const'])
  return [...names].join(' or ')
}
