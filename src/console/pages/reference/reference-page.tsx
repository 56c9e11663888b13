/** The API reference, with every operation of this server and a form for calling it. */
import { useMemo } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { type ApiDocument, listOperations, loadDocument } from '../../api/api-document.ts'
import { useLoader } from '../../api/use-call.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { searchOperations } from './document.ts'
import { OperationList } from './operation-list.tsx'
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
