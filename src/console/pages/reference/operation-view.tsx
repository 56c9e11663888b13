/** One operation, with its path, parameters, body and responses, and a form that calls it. */

import type { ApiDocument, ApiOperation, Parameter } from '../../api/api-document.ts'
import { Card } from '../../parts/page.tsx'
import { Badge, CopyButton } from '../../parts/small.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { describeLimits, resolveResponse, typeText } from './document.ts'
import { SchemaView } from './schema-view.tsx'
import { TryIt } from './try-it.tsx'

interface OperationViewProps {
  readonly document: ApiDocument
  readonly operation: ApiOperation
}

export function OperationView({ document, operation }: OperationViewProps) {
  const { method, path, summary, operationId, parameters = [], requestBody, responses } = operation
  const body = requestBody && Object.entries(requestBody.content)[0]
  return (
    <div class="stack">
      <Card title={summary}>
        <div class="command">
          <code>
            {method} {path}
          </code>
          <CopyButton text={`${method} ${path}`} label="Copy method and path" />
        </div>
        <p class="row">
          <span class="soft">
            Operation <code>{operationId}</code>
          </span>
          {operation['x-audience'] === 'operator' && <Badge>Specific to svc</Badge>}
          {operation.deprecated && <Badge tone="warn">Deprecated</Badge>}
        </p>
      </Card>
      <TryIt document={document} operation={operation} />
      {parameters.length > 0 && (
        <Card title="Parameters" isFlush>
          <Table
            label="Parameters"
            columns={parameterColumns(document)}
            rows={parameters}
            rowKey={parameter => `${parameter.in} ${parameter.name}`}
          />
        </Card>
      )}
      {body && (
        <Card title="Request body">
          <p class="soft">
            {body[0]}
            {requestBody?.required ? '' : ', optional'}
          </p>
          {body[1].schema && <SchemaView document={document} schema={body[1].schema} label="Fields of the body" />}
        </Card>
      )}
      <Card title="Responses">
        {Object.entries(responses).map(([status, given]) => (
          <ResponseView key={status} document={document} status={status} response={resolveResponse(document, given)} />
        ))}
      </Card>
    </div>
  )
}

function parameterColumns(document: ApiDocument): readonly Column<Parameter>[] {
  return [
    { title: 'Name', cell: parameter => <code>{parameter.name}</code> },
    { title: 'In', cell: parameter => parameter.in },
    { title: 'Type', cell: parameter => typeText(document, parameter.schema) },
    {
      title: 'About',
      cell: ({ required, schema }) =>
        [required ? 'required' : '', schema.description ?? '', ...describeLimits(schema)].filter(Boolean).join('; '),
    },
  ]
}

interface ResponseViewProps {
  readonly document: ApiDocument
  readonly status: string
  readonly response: {
    readonly description?: string
    readonly content?: Readonly<Record<string, { readonly schema?: object }>>
  }
}

function ResponseView({ document, status, response }: ResponseViewProps) {
  const types = Object.entries(response.content ?? {})
  const schema = types.find(([type]) => type === 'application/json')?.[1].schema
  return (
    <details class="reference-answer" open={status.startsWith('2')}>
      <summary>
        <Badge tone={status.startsWith('2') ? 'good' : 'neutral'}>{status}</Badge> {response.description}
      </summary>
      {types.length > 0 && <p class="soft">{types.map(([type]) => type).join(', ')}</p>}
      {schema && <SchemaView document={document} schema={schema} label={`Fields of the ${status} response`} />}
    </details>
  )
}
