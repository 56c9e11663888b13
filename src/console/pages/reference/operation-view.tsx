/** One operation: what it takes, a form that calls it, what it responds with, and its errors. */
import type { ApiDocument, Parameter, Schema } from '../../api/api-document.ts'
import { Card } from '../../parts/page.tsx'
import { Badge, CopyButton, Json } from '../../parts/small.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { describeLimits, type OperationProps, typeText } from './document.ts'
import { ErrorsView } from './errors-view.tsx'
import { fullExample } from './examples.ts'
import { Method } from './method.tsx'
import { SchemaView } from './schema-view.tsx'
import { TryIt } from './try-it.tsx'

export function OperationView({ document, operation }: OperationProps) {
  const { method, path, summary, operationId, parameters = [], requestBody, responses } = operation
  const body = requestBody && Object.entries(requestBody.content)[0]
  const types = Object.entries((responses['200'] ?? responses['204'])?.content ?? {})
  const reply = types.find(([type]) => type === 'application/json')?.[1].schema
  return (
    <div class="stack reference-main">
      <Card title={summary}>
        <div class="command">
          <span class="row">
            <Method>{method}</Method>
            <code>{path}</code>
          </span>
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
          {body[1].schema && <Described document={document} schema={body[1].schema} part="body" />}
        </Card>
      )}
      <Card title="Response">
        <p class="soft">{types.length > 0 ? types.map(([type]) => type).join(', ') : 'Status 204, without a body'}</p>
        {reply && <Described document={document} schema={reply} part="response" />}
      </Card>
      <ErrorsView document={document} operation={operation} />
    </div>
  )
}

interface DescribedProps {
  readonly document: ApiDocument
  readonly schema: Schema
  readonly part: 'body' | 'response'
}

/** An example of a body, and its fields. */
function Described({ document, schema, part }: DescribedProps) {
  const example = fullExample(document, schema)
  return (
    <>
      {typeof example === 'object' && (
        <>
          <h3>Example</h3>
          <Json value={example} label={`Example of the ${part}`} />
          <h3>Fields</h3>
        </>
      )}
      <SchemaView document={document} schema={schema} label={`Fields of the ${part}`} />
    </>
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
