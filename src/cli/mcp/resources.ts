/** The documents that a client can read: the guides that ship with svc, and the query language. */
import { LISTED_TABLES } from '../../catalogue/query-columns.ts'
import { columnsView, tablesView } from '../aggregate/columns-view.ts'
import { queryBodySchema } from '../aggregate/query-schema.ts'
import { pageFiles, pageTitle, readDocsPage } from '../docs/pages.ts'

/** One document as an entry in a list. */
export interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  // the protocol allows more fields
  readonly [key: string]: unknown
}

const DOCS = 'svc://docs/'
const SCHEMA = 'svc://query/schema'
const COLUMNS = 'svc://query/columns'
const GUIDE = 'aggregate.md'

/** URI template for the columns of any table or timeseries resource. */
export const COLUMN_TEMPLATE = {
  uriTemplate: `${COLUMNS}/{table}`,
  name: 'query-columns-of-table',
  title: 'Columns of a table',
  description: 'Columns of a table that aggregate queries can read, or of a timeseries resource such as glucose',
  mimeType: 'application/json',
}

/** Returns every document, with documents about the query language first. `root` is the folder of package.json. */
export async function listResources(root: string): Promise<Resource[]> {
  const json = 'application/json'
  const query: Resource[] = [
    {
      uri: SCHEMA,
      name: 'query-schema',
      title: 'JSON Schema of aggregate queries',
      description: 'Request body of an aggregate query: timeframe, queries, config',
      mimeType: 'application/schema+json',
    },
    {
      uri: COLUMNS,
      name: 'query-columns',
      title: 'Tables for aggregate queries',
      description: 'Every table that aggregate queries can read',
      mimeType: json,
    },
    ...LISTED_TABLES.map(({ table, meaning }) => ({
      uri: `${COLUMNS}/${table}`,
      name: `query-columns-${table}`,
      title: `Columns of ${table}`,
      description: meaning,
      mimeType: json,
    })),
  ]
  const pages = await pageFiles(root)
  const titles = await Promise.all(pages.map(async page => pageTitle(await readDocsPage(root, page), page)))
  const docs = pages.map((page, i) => ({
    uri: DOCS + page,
    name: page,
    title: titles[i] ?? page,
    description: page === GUIDE ? 'Guide to the query language of aggregate_query' : `svc documentation: docs/${page}`,
    mimeType: 'text/markdown',
  }))
  return [...query, ...docs]
}

/** Returns the text of a document; undefined if no document has the URI. */
export async function readResource(
  root: string,
  uri: string,
): Promise<{ readonly mimeType: string; readonly text: string } | undefined> {
  const json = (value: unknown, mimeType = 'application/json') => ({ mimeType, text: JSON.stringify(value) })
  if (uri === SCHEMA) return json(queryBodySchema(), 'application/schema+json')
  if (uri === COLUMNS) return json(tablesView().body)
  if (uri.startsWith(`${COLUMNS}/`)) return json(columnsView(uri.slice(COLUMNS.length + 1)).body)
  const page = uri.startsWith(DOCS) ? uri.slice(DOCS.length) : ''
  // only listed pages are allowed, so that no URI can refer to a file outside the folder
  if (!(await pageFiles(root)).includes(page)) return undefined
  return { mimeType: 'text/markdown', text: await readDocsPage(root, page) }
}
