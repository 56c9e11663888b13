/** Opens a row of a list above the list. */

interface ItemLinkProps {
  readonly text: string
  readonly isCurrent: boolean
  readonly onChoose: () => void
}

/** Chooses a row of a list whose details are above it. */
export function ItemLink({ text, isCurrent, onChoose }: ItemLinkProps) {
  return (
    <button
      type="button"
      class="data-item"
      aria-current={isCurrent ? 'true' : undefined}
      onClick={() => {
        onChoose()
        window.scrollTo({ top: 0 })
      }}
    >
      {text}
    </button>
  )
}
