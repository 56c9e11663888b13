/** The frame of a page, with its title, purpose, actions and tabs. The parts of a page are cards. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { BASE } from '../api/base.ts'
import { isBelow, isVisible, NAVIGATION, PLACES } from '../pages/navigation.ts'
import { Name } from './small.tsx'

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
    <div class="stack page">
      <header class="row page-head">
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
        <div class="row card-head">
          {title !== undefined && <h2 id={id}>{title}</h2>}
          {actions && <div class="row">{actions}</div>}
        </div>
      )}
      {isFlush ? children : <div class="stack card-body">{children}</div>}
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

/** The trail to the current page, for pages below a topic. `title` names the page if it is not a tab. */
function Breadcrumbs({ title }: { readonly title: string }) {
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

interface TabsProps {
  readonly label: string
  readonly tabs: readonly { readonly href: string; readonly title: string }[]
  /** URL of the current tab. */
  readonly current: string
}

/** The tabs of a topic in the navigation. `topic` is its URL, such as `/console/engine`. */
export function TopicTabs({ topic, current }: { readonly topic: string; readonly current: string }) {
  const { title = '', tabs = [] } = NAVIGATION.find(({ href }) => href === topic) ?? {}
  return <Tabs label={title} tabs={tabs.filter(isVisible)} current={current} />
}

/** Links between the parts of a topic, each with its own URL. */
export function Tabs({ label, tabs, current }: TabsProps) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const bar = nav.current
    const shown = bar?.querySelector<HTMLElement>('[aria-current]')
    // scrolls only the bar, because scrollIntoView would also scroll the page
    if (bar && shown) bar.scrollLeft = shown.offsetLeft - (bar.clientWidth - shown.offsetWidth) / 2
  }, [current])
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map(tab => (
        <a key={tab.href} href={tab.href} aria-current={tab.href === current ? 'page' : undefined}>
          {tab.title}
        </a>
      ))}
    </nav>
  )
}
