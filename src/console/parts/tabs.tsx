/** Links between the parts of a topic, each with an address of its own. */

interface TabsProps {
  /** What the tabs belong to: "Engine". */
  readonly label: string
  readonly tabs: readonly { readonly href: string; readonly title: string }[]
  readonly current: string
}

export function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(tab => (
        <a key={tab.href} href={tab.href} aria-current={tab.href === current ? 'page' : undefined}>
          {tab.title}
        </a>
      ))}
    </nav>
  )
}
