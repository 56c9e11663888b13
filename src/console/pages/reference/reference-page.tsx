/** The API reference, with every operation of this server and a form for calling it. */
import { useMemo } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { type ApiDocument, type ApiOperation, listOperations, loadDocument } from '../../api/api-document.ts'
import { useLoader } from '../../api/use-call.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { searchOperations } from './document.ts'
import { OperationView } from './operation-view.tsx'

export default function ReferencePage() {
  const { operation } = useRoute().params
  const load = useLoader('document', loadDocument)
  return (
    <Page
      title="API reference"
      about="Every operation of this server. Try one here: it runs with your session's rights, on real data."
      actions={
        <LinkButton href="/openapi.json" isDownload>
          Download openapi.json
        </LinkButton>
      }
    >
      <Loaded load={load} lines={10}>
        {document => <Reference document={document} shown={operation ?? null} />}
      </Loaded>
    </Page>
  )
}

function Reference({ document, shown }: { readonly document: ApiDocument; readonly shown: string | null }) {
  const { query, change } = useUrlState()
  const search = query['search'] ?? ''
  const operations = useMemo(() => listOperations(document), [document])
  const found = useMemo(() => searchOperations(operations, search), [operations, search])
  const operation = operations.find(each => each.operationId === shown)
  return (
    <div class="reference">
      <div class={shown === null ? 'reference-list' : 'reference-list reference-list-aside'}>
        <Field
          label="Search"
          type="search"
          value={search}
          onChange={text => change({ search: text })}
          placeholder="timeseries, POST, /v2/user …"
        />
        {found.length === 0 && <Empty title="No operation matches">Try fewer words, or part of a path.</Empty>}
        {document.tags.map(tag => (
          <Tag
            key={tag.name}
            name={tag.name}
            operations={found.filter(each => each.tags.includes(tag.name))}
            shown={shown}
            search={search}
          />
        ))}
      </div>
      <div class="reference-main">
        {operation ? (
          <OperationView key={operation.operationId} document={document} operation={operation} />
        ) : (
          <Card>
            <Empty title={shown === null ? 'Choose an operation' : 'No operation has this name'}>
              {operations.length} operations, grouped by topic. Commands of <code>svc</code> call the same ones.
            </Empty>
          </Card>
        )}
      </div>
    </div>
  )
}

interface TagProps {
  readonly name: string
  readonly operations: readonly ApiOperation[]
  readonly shown: string | null
  readonly search: string
}

function Tag({ name, operations, shown, search }: TagProps) {
  if (operations.length === 0) return null
  const rest = search === '' ? '' : `?search=${encodeURIComponent(search)}`
  return (
    <nav aria-label={name} class="reference-tag">
      <h2>{name}</h2>
      <ul>
        {operations.map(({ operationId, method, path, summary }) => (
          <li key={operationId}>
            <a
              href={`/console/reference/${encodeURIComponent(operationId)}${rest}`}
              aria-current={operationId === shown ? 'page' : undefined}
              title={`${method} ${path}`}
            >
              <span class="reference-method">{method}</span>
              {summary}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
