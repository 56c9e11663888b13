/** Links between the parts of a topic, each with its own URL. */
import { useEffect, useRef } from 'preact/hooks'

interface TabsProps {
  /** Topic of the tabs, such as "Engine". */
  readonly label: string
  readonly tabs: readonly { readonly href: string; readonly title: string }[]
  readonly current: string
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
