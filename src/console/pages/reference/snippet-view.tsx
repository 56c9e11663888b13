/** A request as code, in one language at a time. The URL keeps the language. */
import { BASE } from '../../api/base.ts'
import { CopyButton, Json } from '../../parts/small.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { type SentRequest, SNIPPETS } from './snippets.ts'

export function SnippetView({ operationId, request }: { readonly operationId: string; readonly request: SentRequest }) {
  const { query } = useUrlState()
  const tabs = Object.entries(SNIPPETS).map(([code, snippet]) => ({
    ...snippet,
    href: `/console/reference/${operationId}?${new URLSearchParams({ ...query, code })}`,
    isShown: code === query['code'],
  }))
  const shown = tabs.find(each => each.isShown) ?? tabs[0]
  if (shown === undefined) return null
  const text = shown.write(request, `${location.origin}${BASE}`)
  return (
    <div class="stack">
      <div class="row">
        <Tabs label="This request as code" tabs={tabs} current={shown.href} />
        <CopyButton text={text} label={`Copy as ${shown.title}`} />
      </div>
      <Json value={text} label={`The request as ${shown.title}`} />
    </div>
  )
}
