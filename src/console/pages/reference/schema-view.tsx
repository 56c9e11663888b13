/** A schema as a list of fields. Fields with nested fields can be opened. */
import type { ApiDocument, Schema } from '../../api/api-document.ts'
import { describeLimits, resolve, typeText } from './document.ts'

interface SchemaViewProps {
  readonly document: ApiDocument
  readonly schema: Schema
  /** Name of the described part, such as "Body". */
  readonly label: string
}

export function SchemaView({ document, schema, label }: SchemaViewProps) {
  const { fields, required } = listFields(document, schema)
  const entries = Object.entries(fields)
  if (entries.length === 0) return <ValueText document={document} schema={schema} />
  return (
    <ul class="schema" aria-label={label}>
      {entries.map(([name, field]) => (
        <li key={name}>
          <Field document={document} name={name} schema={field} isRequired={required.includes(name)} />
        </li>
      ))}
    </ul>
  )
}

interface FieldProps {
  readonly document: ApiDocument
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

function Field({ document, name, schema, isRequired }: FieldProps) {
  const inner = innerSchema(document, schema)
  const { description, ...limits } = { ...resolve(document, schema).schema, ...schema }
  const notes = [description, ...describeLimits(limits)].filter(Boolean).join('; ')
  return (
    <>
      <div class="row">
        <code>{name}</code>
        <span class="soft">{typeText(document, schema)}</span>
        {isRequired && <span class="schema-required">required</span>}
      </div>
      {notes && <p class="soft">{notes}</p>}
      {inner && (
        <details>
          <summary>Fields of {name}</summary>
          <SchemaView document={document} schema={inner} label={`Fields of ${name}`} />
        </details>
      )}
    </>
  )
}

function ValueText({ document, schema }: { readonly document: ApiDocument; readonly schema: Schema }) {
  const inner = innerSchema(document, schema)
  return (
    <>
      <p class="soft">{typeText(document, schema)}</p>
      {inner && <SchemaView document={document} schema={inner} label="Items" />}
    </>
  )
}

/** Returns an object's fields. The fields of alternatives are combined, and a field is required only if all alternatives require it. */
function listFields(
  document: ApiDocument,
  given: Schema,
): { readonly fields: Readonly<Record<string, Schema>>; readonly required: readonly string[] } {
  const { schema } = resolve(document, given)
  const choices = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.filter(each => each.type !== 'null')
  if (!choices) return { fields: schema.properties ?? {}, required: schema.required ?? [] }
  const all = choices.map(each => listFields(document, each))
  const required = all.map(each => each.required)
  return {
    fields: Object.assign({}, ...all.map(each => each.fields)),
    required: schema.allOf
      ? required.flat()
      : (required[0] ?? []).filter(name => required.every(each => each.includes(name))),
  }
}

/** Returns the object schema of a field, its items or its values; null if none of them is an object with fields. */
function innerSchema(document: ApiDocument, given: Schema): Schema | null {
  const { schema } = resolve(document, given)
  if (Object.keys(listFields(document, schema).fields).length > 0) return schema
  if (schema.items) return innerSchema(document, schema.items)
  if (typeof schema.additionalProperties === 'object') return innerSchema(document, schema.additionalProperties)
  const list = (schema.anyOf ?? schema.oneOf)?.find(each => resolve(document, each).schema.items)
  return list ? innerSchema(document, list) : null
}
