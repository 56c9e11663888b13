/** The keys of every prompt, and the appearance of pickers and confirmations. enquirer calls these functions with the prompt as `this`. */

/** The parts of an enquirer prompt that the functions here use. */
interface Prompt {
  input: string
  cursor: number
  index: number
  readonly state: { readonly submitted: boolean; readonly cancelled: boolean }
  readonly focused?: { readonly name: string }
  readonly styles: Readonly<Record<'primary' | 'success', (text: string) => string>>
  readonly symbols: { readonly pointer: string }
  alert(): void
  append(text: string): Promise<void>
  /** Filters the list of a picker; other prompts do not have it. */
  complete?(): Promise<void>
  render(): Promise<void>
}

/** The keys of a shell. They replace all Ctrl keys in enquirer, which ignores Ctrl-D and Ctrl-U. */
export const KEYS = {
  actions: {
    ctrl: {
      a: 'first',
      b: 'backward',
      c: 'cancel',
      d: 'cancel',
      e: 'last',
      f: 'forward',
      j: 'submit',
      k: 'cutForward',
      n: 'down',
      p: 'up',
      u: 'clearLine',
      w: 'cutLeft',
    },
  },
  clearLine(this: Prompt): Promise<void> {
    this.input = ''
    this.cursor = 0
    return this.complete ? this.complete() : this.render()
  },
}

const ROWS = 10

interface Offered {
  readonly name: string
  readonly hint?: string
}

/** A list that is filtered by typed text. */
export const PICKER = {
  limit: ROWS,
  hint: '(type to search, arrows to move)',

  /** Marks the row that Enter selects, for terminals without colors. */
  pointer(this: Prompt, _choice: unknown, row: number): string {
    return row === this.index ? this.styles.primary(this.symbols.pointer) : ' '
  },

  /**
   * Adds only characters that can occur in a name or a hint. enquirer converts the text to a regular expression, so a bracket would crash
   * the process.
   */
  dispatch(this: Prompt, key: string | undefined): void | Promise<void> {
    return key !== undefined && /^[\p{L}\p{N}_ -]$/u.test(key) ? this.append(key) : this.alert()
  },

  suggest(this: Prompt, typed: string, choices: readonly Offered[]): readonly Offered[] {
    // otherwise, Enter would select the row that the arrow keys reached before
    this.index = 0
    return matching(typed, choices)
  },

  format(this: Prompt): string {
    const { submitted, cancelled } = this.state
    if (cancelled) return ''
    return submitted ? this.styles.primary(this.focused?.name ?? '') : this.input
  },
}

/** Returns the choices that contain the text: first the exact match, then names that begin with it, then the others. */
function matching<T extends Offered>(typed: string, choices: readonly T[]): T[] {
  const text = typed.trim().toLowerCase()
  const rank = ({ name, hint = '' }: T): number => {
    if (name.toLowerCase() === text) return 0
    if (name.toLowerCase().startsWith(text)) return 1
    return `${name} ${hint}`.toLowerCase().includes(text) ? 2 : 3
  }
  return choices.filter(each => rank(each) < 3).sort((a, b) => rank(a) - rank(b))
}

/** A yes-or-no question. */
export const CONFIRMATION = {
  initial: false,

  /** Shows the answer once it is given. */
  format(this: Prompt, value: boolean): string {
    const { submitted, cancelled } = this.state
    return submitted && !cancelled ? this.styles.success(value ? 'yes' : 'no') : ''
  },
}
