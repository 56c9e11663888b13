/**
 * The tables of docs/interface: operations and fields, read from the operations table. Each is between two comments,
 * `<!-- generated: WHAT ARGUMENTS -->` and `<!-- end -->`; the text around them is written by hand.
 *
 *   operations PREFIX …    operations whose ID begins with a prefix
 *   reply ID [FIELD]       fields of an operation's response, or of one of its fields
 *   body ID                fields of its request body
 *   query ID               its query parameters
 *   kinds                  the kinds of values of every resource that has several
 *   column-kinds           the kinds of values of every summary column that has several
 *   metric-groups          the resources in every group of metrics
 *   limits                 the limits of plausible values of every resource that has some
 *
 * The ID of an operation with a path for each value (timeseries, summaries) ends with the value: `timeseries.grouped.steps`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const DEEPEST = 3
const MOST_VALUES = 14
const BLOCK = /<!-- generated: ([^>]+?) -->\n[\s\S]*?<!-- end -->/g

/** Path within docs/ and text of every page of the interface, its tables filled in. */
export async function interfacePages(root) {
  const { operations, document, kinds, columnKinds, limits, groups } = await contract(root)
  const folder = path.join(root, 'docs', 'interface')
  return new Map(
    readdirSync(folder)
      .filter(name => name.endsWith('.md'))
      .map(name => {
        const text = readFileSync(path.join(folder, name), 'utf8')
        const filled = text.replace(BLOCK, (_, what) =>
          [
            '<!-- generated: ',
            what,
            ' -->\n',
            '\n',
            ...table(what.split(' ')).map(line => `${line}\n`),
            '\n',
            '<!-- end -->',
          ].join(''),
        )
        return [`interface/${name}`, filled]
      }),
  )

  function table([kind, ...names]) {
    if (kind === 'operations') return operationTable(names)
    if (kind === 'kinds') return kindTable(kinds)
    if (kind === 'column-kinds') return columnKindTable(columnKinds)
    if (kind === 'limits') return limitTable(limits)
    if (kind === 'metric-groups') return groupTable(groups)
    const [id, field] = names
    const described = operationOf(id)
    if (kind === 'query') return queryTable(described)
    const schema =
      kind === 'body'
        ? described.requestBody.content['application/json'].schema
        : described.responses['200'].content['application/json'].schema
    return fieldTable(field === undefined ? resolved(schema) : resolved(resolved(schema).properties[field]))
  }

  function operationTable(prefixes) {
    const rows = Object.entries(operations)
      .filter(([id]) => prefixes.some(prefix => id.startsWith(prefix)))
      .map(([id, { method, path: at, summary }]) => `| \`${method} ${at}\` | ${summary} | \`${id}\` |`)
    if (rows.length === 0) throw new Error(`no operation begins with ${prefixes.join(', ')}`)
    return ['| request | | operation |', '|---|---|---|', ...rows]
  }

  function operationOf(id) {
    const all = Object.values(document.paths).flatMap(methods => Object.values(methods))
    const found = all.find(each => each.operationId === id)
    if (found === undefined) throw new Error(`docs/interface names the operation ${id}, which is not there`)
    return found
  }

  function queryTable(described) {
    const rows = (described.parameters ?? [])
      .filter(parameter => parameter.in === 'query')
      .map(
        ({ name, required, schema, deprecated }) =>
          `| \`${name}\` | ${cell(typeOf(schema))} | ${required ? 'yes' : 'no'} | ${notes({ ...schema, deprecated })} |`,
      )
    return ['| parameter | type | required | notes |', '|---|---|---|---|', ...rows]
  }

  function fieldTable(schema) {
    const item = schema.type === 'array' ? resolved(schema.items) : schema
    return ['| field | type | required | notes |', '|---|---|---|---|', ...fieldRows(item, '', 1)]
  }

  function fieldRows(schema, before, depth) {
    const required = new Set(schema.required ?? [])
    return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
      const inner = objectWithin(field)
      const isOpen = inner !== undefined && depth < DEEPEST
      const suffix = isOpen ? pathWithin(field) : ''
      return [
        `| \`${before}${name}\` | ${cell(typeOf(field))} | ${required.has(name) ? 'yes' : 'no'} | ${notes(field)} |`,
        ...(isOpen ? fieldRows(inner, `${before}${name}${suffix}.`, depth + 1) : []),
      ]
    })
  }

  function resolved(schema) {
    if (schema?.$ref === undefined) return schema
    return resolved(document.components.schemas[schema.$ref.split('/').at(-1)])
  }

  function alternatives(schema) {
    const options = (schema.anyOf ?? schema.oneOf ?? [schema]).map(resolved)
    return options.flatMap(option => (option.anyOf || option.oneOf ? alternatives(option) : [option]))
  }

  /** The nested object of a field: its value, one of its alternatives, or its list items. */
  function objectWithin(field) {
    for (const option of alternatives(resolved(field))) {
      const inner = within(option)
      const found = inner === undefined ? option : objectWithin(inner)
      if (found?.properties !== undefined) return found
    }
    return undefined
  }

  /** The items of a list or the values of a map, if it is one. */
  function within(schema) {
    if (schema.type === 'array') return schema.items
    return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  }

  /** The path suffix to the fields of a field's value: `[]` for a list, `.*` for a map. */
  function pathWithin(field) {
    for (const option of alternatives(resolved(field))) {
      const inner = within(option)
      if (inner !== undefined) return `${option.type === 'array' ? '[]' : '.*'}${pathWithin(inner)}`
    }
    return ''
  }

  function typeOf(field) {
    return [...new Set(alternatives(resolved(field)).map(simpleType))].join(' or ')
  }

  function simpleType(schema) {
    if (schema.const !== undefined) return `\`${schema.const}\``
    if (schema.enum !== undefined) return 'enum'
    if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
    if (schema.type === undefined) return 'any'
    if (Array.isArray(schema.type)) return schema.type.join(' or ')
    if (within(schema) !== undefined) return `map of ${typeOf(within(schema))}`
    return schema.format === undefined ? String(schema.type) : `${schema.type} (${schema.format})`
  }

  function notes(field) {
    const options = alternatives(resolved(field))
    const values = options.flatMap(option => option.enum ?? option.items?.enum ?? [])
    const bounds = options.flatMap(boundsOf)
    return [
      field.deprecated ? 'deprecated' : '',
      field.default !== undefined && field.default !== '' ? `default \`${JSON.stringify(field.default)}\`` : '',
      ...bounds,
      values.length > MOST_VALUES ? `${values.length} values` : values.map(value => `\`${value}\``).join(', '),
    ]
      .filter(Boolean)
      .map(cell)
      .join('; ')
  }

  function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems }) {
    return [
      range(minimum, maximum, ''),
      range(minLength, maxLength, ' characters'),
      range(minItems, maxItems, ' items'),
    ].filter(Boolean)
  }
}

function range(least, most, unit) {
  if (most !== undefined && least !== undefined) return `${least} to ${most}${unit}`
  if (most !== undefined) return `at most ${most}${unit}`
  return least !== undefined && least > 0 ? `at least ${least}${unit}` : ''
}

const cell = text => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** The operations table and the OpenAPI document. They are TypeScript: bundled in memory and imported from there. */
function kindTable(kinds) {
  const rows = Object.entries(kinds).flatMap(([resource, { usual, others }]) =>
    [usual, ...others].map(each => `| \`${resource}\` | \`${each.name}\` | ${each.meaning} | ${shownBy(each)} |`),
  )
  return ['| resource | kind | what it is | shown by |', '|---|---|---|---|', ...rows]
}

function columnKindTable(columnKinds) {
  const rows = columnKinds.flatMap(({ table, column, functions, usual, others }) =>
    [usual, ...others].map(({ name, meaning, providers }) => {
      const from = providers.length === 0 ? 'all others' : providers.map(each => `\`${each}\``).join(', ')
      const mixed = functions === null ? 'all but `count`' : functions.map(each => `\`${each}\``).join(', ')
      return `| \`${table}.${column}\` | \`${name}\` | ${meaning} | ${from} | ${mixed} |`
    }),
  )
  return ['| column | kind | what it is | providers | functions |', '|---|---|---|---|---|', ...rows]
}

function groupTable(groups) {
  const rows = groups.map(
    ({ name, resources }) => `| \`${name}\` | ${resources.map(each => `\`${each}\``).join(', ')} |`,
  )
  return ['| group | resources |', '|---|---|', ...rows]
}

function limitTable({ limits, resources, limitsText }) {
  const rows = resources.flatMap(({ name, unit }) => {
    const own = limits[name]
    if (own === undefined) return []
    const all = [['', own.usual], ...Object.entries(own.kinds)]
    return all.map(([kind, each]) => `| \`${name}\` | ${kind && `\`${kind}\``} | ${limitsText(each, unit)} |`)
  })
  return ['| resource | kind | plausible |', '|---|---|---|', ...rows]
}

function shownBy({ marks, providers = [], sourceTypes = [] }) {
  if (marks === undefined) return 'nothing else'
  const values = list => list.map(value => `\`${value}\``).join(' or ')
  const shown = Object.entries(marks).map(([column, list]) => `\`${column}\` ${values(list)}`)
  if (providers.length > 0) shown.push(`the provider ${values(providers)}`)
  if (sourceTypes.length > 0) shown.push(`the source type ${values(sourceTypes)}`)
  return shown.join(', or ')
}

async function contract(root) {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { operations } from './src/contract/operations.ts'
        export { openApiDocument } from './src/contract/kernel/openapi.ts'
        export { KINDS } from './src/catalogue/kinds.ts'
        export { COLUMN_KINDS } from './src/catalogue/column-kinds.ts'
        export { METRIC_GROUPS, resourcesIn } from './src/catalogue/metric-groups.ts'
        export { LIMITS, limitsText } from './src/catalogue/plausibility.ts'
        export { RESOURCES } from './src/catalogue/resources.ts'`,
      resolveDir: root,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  })
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  const {
    operations,
    openApiDocument,
    KINDS,
    COLUMN_KINDS,
    LIMITS,
    limitsText,
    RESOURCES,
    METRIC_GROUPS,
    resourcesIn,
  } = await import(url)
  return {
    operations,
    document: openApiDocument({ version: '', serverUrl: null }),
    kinds: KINDS,
    columnKinds: COLUMN_KINDS,
    groups: METRIC_GROUPS.map(name => ({ name, resources: resourcesIn(name) })),
    limits: { limits: LIMITS, resources: RESOURCES, limitsText },
  }
}
