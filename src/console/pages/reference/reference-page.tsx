/** The API reference, with every operation of this server and a form for calling it. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { type ApiDocument, type ApiOperation, listOperations, loadDocument } from '../../api/api-document.ts'
import { useLoader } from '../../api/use-call.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { searchOperations } from './document.ts'
import { Method } from './method.tsx'
import { OperationView } from './operation-view.tsx'

export default function ReferencePage() {
  const { operation } = useRoute().params
  const load = useLoader('document', loadDocument)
  return (
    <Page
      title="API reference"
      crumb={operation}
      about="Every operation of this server. Commands of svc call the same ones."
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
    <div class={shown === null ? 'reference reference-all' : 'reference'}>
      <div class="reference-list">
        <Field
          label="Search"
          type="search"
          value={search}
          onChange={text => change({ search: text })}
          placeholder="timeseries, POST, /v2/user …"
        />
        {found.length === 0 && <Empty title="No operation matches">Try fewer words, or part of a path.</Empty>}
        <OperationList document={document} operations={found} shown={shown} />
      </div>
      {operation && <OperationView key={operation.operationId} document={document} operation={operation} />}
      {shown !== null && !operation && (
        <Card>
          <Empty title="No operation has this name">Choose one from the list.</Empty>
        </Card>
      )}
    </div>
  )
}

interface OperationListProps {
  readonly document: ApiDocument
  /** The operations that match the search. */
  readonly operations: readonly ApiOperation[]
  /** ID of the operation on the page; null if the page is only the list. */
  readonly shown: string | null
}

/** The operations, grouped by topic, with their methods and paths. */
function OperationList({ document, operations, shown }: OperationListProps) {
  const list = useRef<HTMLElement>(null)
  const { query } = useUrlState()
  const search = new URLSearchParams(query).toString()
  useEffect(() => {
    // scrolls only the list, because scrollIntoView would also scroll the page
    const aside = list.current?.parentElement
    const current = list.current?.querySelector<HTMLElement>('[aria-current]')
    if (aside && current) aside.scrollTop = current.offsetTop - aside.clientHeight / 2
  }, [shown])
  return (
    <nav ref={list} class="reference-groups" aria-label="Operations">
      {document.tags.map(({ name, description }) => {
        const inside = operations.filter(each => each.tags.includes(name))
        if (inside.length === 0) return null
        return (
          <details
            key={name}
            open={shown === null || query['search'] !== undefined || inside.some(each => each.operationId === shown)}
          >
            <summary>
              <strong>{name}</strong>{' '}
              <span class="soft">{shown === null ? `(${inside.length}) ${description ?? ''}` : inside.length}</span>
            </summary>
            <ul>
              {inside.map(({ operationId, method, path, summary }) => (
                <li key={operationId}>
                  <a
                    href={`/console/reference/${encodeURIComponent(operationId)}${search && `?${search}`}`}
                    aria-current={operationId === shown ? 'page' : undefined}
                    title={`${method} ${path}`}
                  >
                    <Method>{method}</Method>
                    <code>{path}</code>
                    <span class="reference-summary">{summary}</span>
                  </a>
                </li>
              ))}
            </ul>
          </details>
        )
      })}
    </nav>
  )
}
