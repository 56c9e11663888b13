/** The operations, grouped by topic, with their methods and paths. */
import { useEffect, useRef } from 'preact/hooks'
import type { ApiDocument, ApiOperation } from '../../api/api-document.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { Method } from './method.tsx'

interface OperationListProps {
  readonly document: ApiDocument
  /** The operations that match the search. */
  readonly operations: readonly ApiOperation[]
  /** ID of the operation on the page; null if the page is only the list. */
  readonly shown: string | null
}

export function OperationList({ document, operations, shown }: OperationListProps) {
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
