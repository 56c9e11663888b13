/** Renders a documentation page for a terminal. marked parses the Markdown; this module lays it out. */
import { posix } from 'node:path'
import Table from 'cli-table3'
import type { MarkedToken, Token, Tokens } from 'marked'
import stringWidth from 'string-width'
import { NO_FRAME, TABLE_STYLE } from '../../output/text-table.ts'
import { wrapped } from '../../output/wrap.ts'
import { pageTopic } from './pages.ts'

/** Options for showing a page. */
export interface PageStyle {
  /** Maximum width of a line of text. Code is never wrapped. */
  readonly width: number
  /** Whether escape sequences for bold, underlined and colored text are allowed. */
  readonly hasColor: boolean
  /** Path of the page in docs/. Its links are relative to this path. */
  readonly page: string
}

const GAP = 2
const LEAST_COLUMN = 12
const CODE_INDENT = '    '

/** Returns the page as text whose lines end with a newline. */
export async function renderPage(markdown: string, style: PageStyle): Promise<string> {
  const { marked } = await import('marked')
  return `${blocks(marked.lexer(markdown), style).join('\n\n')}\n`
}

const sgr = (style: PageStyle, on: number, off: number, text: string) =>
  style.hasColor ? `\u001b[${on}m${text}\u001b[${off}m` : text
const bold = (style: PageStyle, text: string) => sgr(style, 1, 22, text)
const underlined = (style: PageStyle, text: string) => sgr(style, 4, 24, text)

/** Narrows the token type, because the types of marked also allow extension tokens, and no extensions are used here. */
const own = (tokens: readonly Token[]) => tokens as readonly MarkedToken[]

function blocks(tokens: readonly Token[], style: PageStyle): string[] {
  return own(tokens).flatMap(token => {
    const text = block(token, style)
    return text === '' ? [] : [text]
  })
}

function block(token: MarkedToken, style: PageStyle): string {
  switch (token.type) {
    case 'heading':
      return heading(token, style)
    case 'code':
      return token.text.replaceAll(/^(?=.)/gm, CODE_INDENT)
    case 'table':
      return table(token, style)
    case 'list':
      return list(token, style)
    case 'blockquote':
      return indented(blocks(token.tokens, narrower(style, 2)).join('\n\n'), '│ ')
    case 'hr':
      return '─'.repeat(style.width)
    case 'paragraph':
    case 'text':
      return wrapped(
        inline(token.tokens ?? [token], style)
          .replaceAll(/\s+/g, ' ')
          .trim(),
        style.width,
      )
    // HTML comments are for generators and for people who edit the page
    default:
      return ''
  }
}

function heading({ depth, tokens }: Tokens.Heading, style: PageStyle): string {
  const text = inline(tokens, { ...style, hasColor: false }).replaceAll('`', '')
  if (depth === 1) return `${bold(style, text)}\n${'═'.repeat(stringWidth(text))}`
  return style.hasColor ? bold(style, text) : `${text}\n${'─'.repeat(stringWidth(text))}`
}

function list({ items, ordered, start, loose }: Tokens.List, style: PageStyle): string {
  const first = start === '' ? 1 : start
  const lines = items.map((item, i) => {
    const mark = ordered ? `${first + i}. ` : '• '
    const body = blocks(item.tokens, narrower(style, mark.length)).join(item.loose ? '\n\n' : '\n')
    return mark + indented(body, ' '.repeat(mark.length)).trimStart()
  })
  return lines.join(loose ? '\n\n' : '\n')
}

function table({ header, rows }: Tokens.Table, style: PageStyle): string {
  const head = header.map(cell => bold(style, inline(cell.tokens, style)))
  const cells = rows.map(row => row.map(cell => inline(cell.tokens, style)))
  const widths = columnWidths([head, ...cells], style.width)
  const drawn = new Table({
    chars: { ...NO_FRAME, middle: ' '.repeat(GAP) },
    style: TABLE_STYLE,
    wordWrap: true,
    colWidths: widths,
  })
  if (header.some(cell => cell.text !== ''))
    drawn.push(
      head,
      widths.map(width => '─'.repeat(width)),
    )
  drawn.push(...cells)
  return drawn.toString().replaceAll(/ +$/gm, '')
}

/** Returns columns as wide as their longest cells. If that is too wide, the widest columns shrink and their cells wrap. */
function columnWidths(rows: readonly (readonly string[])[], width: number): number[] {
  const columns =
    rows[0]?.map((_, i) =>
      Math.max(1, ...rows.flatMap(row => (row[i] ?? '').split('\n').map(line => stringWidth(line)))),
    ) ?? []
  let excess = columns.reduce((sum, each) => sum + each, GAP * (columns.length - 1)) - width
  while (excess > 0) {
    const widest = Math.max(...columns)
    if (widest <= LEAST_COLUMN) break
    columns[columns.indexOf(widest)] = widest - 1
    excess--
  }
  return columns
}

function inline(tokens: readonly Token[], style: PageStyle): string {
  return own(tokens)
    .map(token => span(token, style))
    .join('')
}

function span(token: MarkedToken, style: PageStyle): string {
  switch (token.type) {
    case 'strong':
      return bold(style, inline(token.tokens, style))
    case 'em':
      return underlined(style, inline(token.tokens, style))
    case 'codespan':
      return style.hasColor ? sgr(style, 36, 39, token.text) : `\`${token.text}\``
    case 'link':
      return link(token, style)
    case 'br':
      return '\n'
    case 'html':
      return /^<br\b/.test(token.text) ? '\n' : ''
    case 'text':
      return token.tokens ? inline(token.tokens, style) : token.text
    default:
      return 'text' in token ? token.text : ''
  }
}

/** Renders a link. A link to another page is followed by the command that shows the page. */
function link({ href, tokens }: Tokens.Link, style: PageStyle): string {
  const text = inline(tokens, style)
  const [target = ''] = href.split('#')
  if (target === '') return text
  if (/^[a-z]+:/.test(target)) return text === href ? text : `${text} (${href})`
  const page = posix.join(posix.dirname(style.page), target)
  if (!page.endsWith('.md') || page.startsWith('..')) return text
  return `${underlined(style, text)} (svc docs ${pageTopic(page)})`
}

function narrower(style: PageStyle, by: number): PageStyle {
  return { ...style, width: Math.max(LEAST_COLUMN, style.width - by) }
}

function indented(text: string, by: string): string {
  return text.replaceAll(/^(?=.)/gm, by)
}
