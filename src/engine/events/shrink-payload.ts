/** Shrinks a payload that is too large for a webhook body. Receivers can fetch the rest from the service. */

type Fields = Record<string, unknown>

const MARK = '…'

/**
 * Returns the payload, removing its largest parts one by one until it fits. Texts are cut and end with `…`, and lists and objects are
 * emptied. All lists in an object are emptied together, because they may be parallel. All keys are kept.
 */
export function shrinkPayload(data: unknown, mostBytes: number): unknown {
  let fitting = data
  for (;;) {
    const excess = jsonSize(fitting) - mostBytes
    if (excess <= 0) return fitting
    const smaller = reduced(fitting, excess)
    if (jsonSize(smaller) >= jsonSize(fitting)) return smaller
    fitting = smaller
  }
}

/** Returns the value with this many bytes removed from its largest part, or with that part empty. */
function reduced(value: unknown, excess: number): unknown {
  if (typeof value === 'string') return cut(value, excess)
  if (Array.isArray(value)) {
    const at = largest(value.map(jsonSize))
    const [only] = value
    // a single sample with a long text, because several samples together are never too large
    if (value.length === 1 && isFields(only)) return [reduced(only, excess)]
    return at === -1 ? value : []
  }
  if (!isFields(value)) return value
  const names = Object.keys(value)
  const name = names[largest(names.map(each => jsonSize(value[each])))]
  if (name === undefined) return value
  const part = value[name]
  if (!Array.isArray(part) || (part.length === 1 && isFields(part[0]))) {
    return { ...value, [name]: reduced(part, excess) }
  }
  return Object.fromEntries(names.map(each => [each, Array.isArray(value[each]) ? [] : value[each]]))
}

/** Cuts a text without leaving a lone surrogate at its end. */
function cut(text: string, excess: number): string {
  let length = text.length
  let bytes = jsonSize(text)
  const most = Math.max(2, bytes - excess - Buffer.byteLength(MARK))
  while (length > 0 && bytes > most) {
    const step = Math.max(1, Math.floor((bytes - most) / 6))
    length = Math.max(0, length - step)
    bytes = jsonSize(text.slice(0, length))
  }
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}${MARK}`
}

function jsonSize(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

function largest(sizes: readonly number[]): number {
  return sizes.indexOf(Math.max(0, ...sizes))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
