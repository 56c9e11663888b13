/** The errors of an operation by status, with their codes and what to do. The texts come from the catalogue of docs/errors.md. */
import { ERROR_CATALOGUE } from '../../../core/error-catalogue.ts'
import { Card } from '../../parts/page.tsx'
import { Badge } from '../../parts/small.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { type OperationProps, resolveResponse } from './document.ts'
import { fullExample } from './examples.ts'
import { bodySchema } from './request.ts'
import { SchemaView } from './schema-view.tsx'

const CODES = Object.entries(ERROR_CATALOGUE).map(([code, entry]) => ({ code, ...entry }))

/** Codes that depend on how the caller signs in; null if only the console's own requests get the code. */
const SCHEMES: Readonly<Record<string, string | null>> = {
  session_ended: null,
  csrf_token_missing: null,
  invalid_api_key: 'apiKey',
  invalid_link_token: 'linkToken',
}

/** Codes about a part of the request that not every operation has. The patterns fit the path, and the fields that a request can have. */
const PARTS: Readonly<Record<string, RegExp>> = {
  client_user_id_taken: /"client_user_id"/,
  undo_refused: /undo/,
  user_not_found: /user_id/,
  user_deleted: /user_id/,
  history_incomplete: /"as_of"/,
  unknown_resource: /resource|timeseries|mapping|"type"|"types"/,
  unknown_provider: /provider|source/,
  unknown_column: /"select"|"columns?"|query/,
  query_limit: /"select"|query/,
  mixed_kinds: /"select"|query/,
  invalid_cursor: /cursor/,
  invalid_file: /import|sample|recording|snapshot|remap/,
}

const COLUMNS: readonly Column<(typeof CODES)[number]>[] = [
  { title: 'Code', cell: each => <code class="nowrap">{each.code}</code> },
  { title: 'Meaning', cell: each => withCode(each.meaning) },
  { title: 'What to do', cell: each => withCode(each.remedy) },
]

export function ErrorsView({ document, operation }: OperationProps) {
  const { responses, security, path, parameters = [] } = operation
  const body = bodySchema(operation)
  const request = JSON.stringify([path, parameters.map(({ name }) => name), body && fullExample(document, body)])
  const applies = (code: string): boolean =>
    code in SCHEMES ? security.some(each => `${SCHEMES[code]}` in each) : PARTS[code]?.test(request) !== false
  const errors = Object.entries(responses).filter(([status]) => !status.startsWith('2'))
  return (
    <Card title="Errors">
      {errors.map(([status, given]) => {
        const schema = given.content?.['application/json']?.schema
        return (
          <details key={status} class="reference-answer">
            <summary>
              <Badge tone="bad">{status}</Badge> {resolveResponse(document, given).description}
            </summary>
            <Table
              label={`Codes with status ${status}`}
              columns={COLUMNS}
              rows={CODES.filter(each => `${each.status}` === status && applies(each.code))}
              rowKey={each => each.code}
            />
            {schema && <SchemaView document={document} schema={schema} label={`Fields of the ${status} response`} />}
          </details>
        )
      })}
    </Card>
  )
}

/** Returns what to do about a refused request; nothing for an unknown code. */
export const remedyFor = (code: string) => withCode(CODES.find(each => each.code === code)?.remedy ?? '')

/** Shows the parts of a text between backticks as code. */
const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))
