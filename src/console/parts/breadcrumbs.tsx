/** Links from a page to the pages above it. */
import { useLocation } from 'preact-iso/router'
import { BASE } from '../api/base.ts'
import { isBelow, PLACES } from '../pages/navigation.ts'
import { Name } from './name.tsx'

/** The trail to the current page, for pages below a topic. `title` names the page if it is not a tab. */
export function Breadcrumbs({ title }: { readonly title: string }) {
  const here = useLocation().path.slice(BASE.length)
  const above = PLACES.filter(({ href }) => isBelow(here, href))
  if (above.length === 0) return null
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        {above.map(({ href, title }) => (
          <li key={href}>
            <a href={href}>{title}</a>
          </li>
        ))}
        <li aria-current="page">
          <Name>{PLACES.find(({ href }) => href === here)?.title ?? title}</Name>
        </li>
      </ol>
    </nav>
  )
}
