/** Small parts of text: states, names, code and commands. */
import { Check, CircleCheck, CircleX, Copy, type IconNode, TriangleAlert } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent'

const TONE_ICONS: Partial<Record<Tone, IconNode>> = { good: CircleCheck, warn: TriangleAlert, bad: CircleX }

/** A state in one word. The color and the icon only repeat the meaning of the word. */
export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  const icon = TONE_ICONS[tone]
  return (
    <span class={tone === 'neutral' ? 'badge' : `badge badge-${tone}`}>
      {icon && <Icon of={icon} />}
      {children}
    </span>
  )
}

/** A button that copies a text and confirms this, including to screen readers. The button's name does not change. */
export function CopyButton({
  text,
  children,
  label = children ?? 'Copy',
}: {
  readonly text: string
  readonly children?: string
  readonly label?: string
}) {
  const [outcome, setOutcome] = useState<'' | 'Copied' | 'Not copied'>('')
  const show = (next: typeof outcome) => {
    setOutcome(next)
    setTimeout(() => setOutcome(''), 2_000)
  }
  return (
    <>
      <Button
        kind="quiet"
        isSmall
        icon={outcome === 'Copied' ? Check : Copy}
        label={label}
        onClick={() => {
          navigator.clipboard.writeText(text).then(
            () => show('Copied'),
            () => show('Not copied'),
          )
        }}
      >
        {outcome === 'Not copied' ? outcome : children}
      </Button>
      <span class="visually-hidden" role="status">
        {outcome}
      </span>
    </>
  )
}

/** An ID or a URL, with a button that copies it. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  )
}

interface CommandProps {
  readonly words: readonly string[]
  /** Flags by name. An empty text, 0 or false omits the flag; true adds a flag without a value. */
  readonly flags?: Readonly<Record<string, string | number | boolean | null | undefined>>
}

/** The terminal command that does the same as the page. */
export function Command({ words, flags = {} }: CommandProps) {
  const given = Object.entries(flags).flatMap(([flag, value]) =>
    value ? [flag, ...(value === true ? [] : [`${value}`])] : [],
  )
  const text = [...words, ...given].map(shellWord).join(' ')
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} label="Copy the command" />
    </div>
  )
}

/** Quotes a word for a POSIX shell if needed. */
export function shellWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** A value as indented JSON. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields
    <div role="group" class="code" tabIndex={0} aria-label={label}>
      <pre>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </div>
  )
}

interface NameProps {
  readonly children: string
  /** Maximum number of lines. The tooltip has the whole text. */
  readonly lines?: 1 | 3
}

/** A name of any length and script. It keeps its own writing direction, and is shortened to fit the layout. */
export function Name({ children, lines = 1 }: NameProps) {
  return (
    <bdi class={lines === 1 ? 'name' : 'name name-lines'} title={children}>
      {children}
    </bdi>
  )
}
