/** The tool that lists the columns of aggregate queries. It does not need a service, because the catalogue ships with svc. */
import { LISTED_TABLES } from '../../catalogue/query-columns.ts'
import { invalid } from '../../core/errors.ts'
import { columnsView, tablesView } from '../aggregate/columns-view.ts'
import { type McpTool, SKIP } from './tool.ts'

/** Returns the tool. */
export function columnsTool(): McpTool {
  return {
    name: 'aggregate_columns',
    title: 'List columns for statistics',
    description:
      'Lists the tables that aggregate_query can read, or the columns of one table with types and meanings. Call it before you write a query.',
    inputSchema: {
      type: 'object',
      properties: {
        table: {
          type: 'string',
          description: `${LISTED_TABLES.map(({ table }) => table).join(', ')}, or a timeseries resource such as glucose`,
        },
        [SKIP]: {
          type: 'integer',
          minimum: 0,
          default: 0,
          description: 'Continue a result that was cut (from page.next)',
        },
      },
      required: [],
      additionalProperties: false,
    },
    isReadOnly: true,
    isDestructive: false,
    isIdempotent: true,
    call: async ({ table, ...others }) => {
      if (Object.keys(others).length > 0 || (table !== undefined && typeof table !== 'string')) {
        throw invalid([{ loc: ['arguments', 'table'], msg: 'must be the only argument, and a string', type: 'extra' }])
      }
      const { body } = table === undefined ? tablesView() : columnsView(table)
      return { body, lists: undefined, next: null }
    },
  }
}
