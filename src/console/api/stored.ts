/** Stores short texts in the browser: choices in localStorage, recent entries in sessionStorage. Stores nothing if the browser forbids it. */

type Kind = 'localStorage' | 'sessionStorage'

export function readStored(name: string, kind: Kind = 'localStorage'): string | null {
  try {
    return window[kind].getItem(name)
  } catch {
    return null
  }
}

/** Stores a text; null removes it. */
export function store(name: string, text: string | null, kind: Kind = 'localStorage'): void {
  try {
    if (text === null) window[kind].removeItem(name)
    else window[kind].setItem(name, text)
  } catch {
    // the text is lost when the page is reloaded
  }
}
