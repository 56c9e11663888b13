/** The frame of a page, with its title, purpose and actions. The parts of a page are cards. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId } from 'preact/hooks'
import { Breadcrumbs } from './breadcrumbs.tsx'

interface PageProps {
  readonly title: string
  /** Name of the page in the breadcrumbs, if the title is not specific. */
  readonly crumb?: string | undefined
  readonly about?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export function Page({ title, crumb = title, about, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <div class="page">
      <header class="page-head">
        <div class="page-title">
          <Breadcrumbs title={crumb} />
          <h1 dir="auto" title={title}>
            {breakable(title)}
          </h1>
          {about && <p>{about}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** Allows line breaks after dots, as in event types, so that words are not broken. */
function breakable(title: string): ComponentChildren {
  return title.split('.').flatMap((part, i) => (i === 0 ? [part] : ['.', <wbr key={i} />, part]))
}

interface CardProps {
  readonly title?: string
  readonly actions?: ComponentChildren
  /** Whether the content reaches the edges of the card, as a table does. */
  readonly isFlush?: boolean
  readonly children: ComponentChildren
}

export function Card({ title, actions, isFlush = false, children }: CardProps) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={title === undefined ? undefined : id}>
      {(title !== undefined || actions) && (
        <div class="card-head">
          {title !== undefined && <h2 id={id}>{title}</h2>}
          {actions && <div class="row">{actions}</div>}
        </div>
      )}
      {isFlush ? children : <div class="card-body">{children}</div>}
    </section>
  )
}

/** A list of names and values. Rows without a value are omitted. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  )
}
