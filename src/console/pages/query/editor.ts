/** The JSON editor, which is CodeMirror with completion for the service's keys and values. It is loaded only when a query is edited. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { linter } from '@codemirror/lint'
import { EditorState, Prec } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup } from 'codemirror'
import type { Words } from './query-model.ts'

export interface Editor {
  /** Replaces the text, unless it has not changed. */
  readonly setText: (text: string) => void
  readonly destroy: () => void
}

interface EditorOptions {
  readonly host: HTMLElement
  readonly text: string
  readonly words: Words
  readonly onChange: (text: string) => void
}

/** Opens an editor in a shadow root of the host, where its styles need no exception from the content security policy. */
export function openEditor({ host, text, words, onChange }: EditorOptions): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const complete = completions(words)
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        basicSetup,
        // runs the query (query-page.tsx), and must not also add a line
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => true }])),
        json(),
        syntaxHighlighting(HIGHLIGHT),
        linter(jsonParseLinter()),
        autocompletion({ override: [context => propose(context, complete)], activateOnTyping: true }),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'Query as JSON' }),
        EditorView.updateListener.of(update => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
        THEME,
      ],
    }),
  })
  return {
    setText(next) {
      const now = view.state.doc.toString()
      if (now !== next) view.dispatch({ changes: { from: 0, to: now.length, insert: next } })
    },
    destroy: () => view.destroy(),
  }
}

/** Keys of a request, from the outside in. */
const KEYS = [
  ...[
    'timeframe',
    'type',
    'anchor',
    'past',
    'unit',
    'value',
    'queries',
    'select',
    'group_by',
    'where',
    'align',
    'from',
  ],
  ...['merge', 'mixed_kinds', 'config', 'func', 'arg', 'index', 'group_key', 'date_trunc', 'date_part', 'timeseries'],
  ...['field', 'source', 'value_macro', 'provider_priority_overrides'],
]

interface Proposals {
  readonly all: readonly Completion[]
  /** Values by the preceding key. */
  readonly byKey: ReadonlyMap<string, readonly Completion[]>
}

/** Returns the words to suggest inside quotes, and the values that are allowed after each key. */
function completions(words: Words): Proposals {
  const byKey = new Map<string, Completion[]>()
  const add = (key: string, label: string, detail: string, info = ''): void => {
    const known = byKey.get(key) ?? []
    if (!known.some(each => each.label === label)) known.push({ label, detail, type: 'property', info })
    byKey.set(key, known)
  }
  for (const { table, meaning, columns } of words.tables) {
    add('index', table, 'table', meaning)
    for (const { type, meaning: about, expression } of columns) {
      if (expression === null) continue
      for (const [key, value] of Object.entries(expression)) if (key !== 'index') add(key, value, type, about)
    }
  }
  for (const { name, meaning } of words.functions) add('func', name, 'function', meaning)
  for (const unit of words.period_units) add('unit', unit, 'unit')
  for (const part of words.date_parts) add('date_part', part, 'part of the date')
  for (const choice of ['warn', 'split', 'refuse']) add('mixed_kinds', choice, 'if kinds would be mixed')
  add('type', 'relative', 'timeframe')
  const tables = words.tables.map(({ table, meaning }) => ({
    label: table,
    detail: 'table',
    type: 'class',
    info: meaning,
  }))
  return { all: [...KEYS.map(label => ({ label, type: 'keyword' })), ...tables], byKey }
}

/** Suggests words inside quotes: keys, and values that are allowed after the preceding key. */
function propose(context: CompletionContext, { all, byKey }: Proposals): CompletionResult | null {
  const quoted = context.matchBefore(/"[\w.]*/)
  if (
    !quoted ||
    (quoted.text === '"' && !context.explicit && !context.state.sliceDoc(quoted.from - 2, quoted.from).trim())
  ) {
    return null
  }
  const before = context.state.sliceDoc(Math.max(0, quoted.from - 200), quoted.from)
  const key = /"(\w+)"\s*:\s*$/.exec(before)?.[1]
  const options = key === undefined ? all : byKey.get(key)
  return options === undefined ? null : { from: quoted.from + 1, options: [...options], validFor: /^[\w.]*$/ }
}

const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--card)', fontSize: 'var(--text-s)', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', minHeight: '20rem' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': { color: 'var(--soft)', backgroundColor: 'var(--sunk)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-page) !important' },
  '.cm-tooltip': { color: 'var(--ink)', backgroundColor: 'var(--card)', border: '1px solid var(--edge)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--ink)', backgroundColor: 'var(--accent-page)' },
})

/** Colors for values; keys and brackets are plain text. The library's own colors are too dark for a dark page. */
const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: 'var(--good)' },
])
