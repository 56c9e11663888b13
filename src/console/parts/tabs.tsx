/** Links between the parts of a topic, each with its own URL. */
import { useEffect, useRef } from 'preact/hooks'
import { isVisible, NAVIGATION } from '../pages/navigation.ts'

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
