/** Asks for the next page of a provider while the one before is read and stored. */

/** Yields what the source yields, and asks it for the next item before each. What the source throws is thrown in its turn. */
export async function* ahead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let coming = source.next()
  try {
    for (;;) {
      const { done, value } = await coming
      if (done) return
      coming = source.next()
      // it is awaited in its turn, unless the reader stops before
      coming.catch(() => {})
      yield value
    }
  } finally {
    await coming.catch(() => {})
    await source.return(undefined)
  }
}
