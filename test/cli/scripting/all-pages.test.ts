/** Lists that are read to their end. */
import { describe, expect, test } from 'vitest'
import { allPages, type ListPage, mergedPage, type PagePosition } from '../../../src/cli/scripting/all-pages.ts'

/** Reads all of these pages and returns them, with the requested positions. */
async function read(...pages: readonly ListPage[]): Promise<{ asked: PagePosition[]; merged: ListPage }> {
  const requested: PagePosition[] = []
  const found: ListPage[] = []
  const next = async (at: PagePosition): Promise<ListPage> => pages[requested.push(at) - 1] ?? {}
  for await (const page of allPages(next)) found.push(page)
  return { asked: requested, merged: mergedPage(found) }
}

describe('all pages of a list', () => {
  test('are read by cursor, until there is none', async () => {
    expect(await read({ data: [1, 2], next_cursor: 'a' }, { data: [3], next_cursor: null })).toEqual({
      asked: [{}, { next_cursor: 'a' }],
      merged: { data: [1, 2, 3], next_cursor: null },
    })
  })

  test('end at an empty page, whose cursor continues with later items', async () => {
    expect(await read({ data: [1], next_cursor: 'a' }, { data: [], next_cursor: 'b' })).toEqual({
      asked: [{}, { next_cursor: 'a' }],
      merged: { data: [1], next_cursor: 'b' },
    })
  })

  test('are read by offset, starting at the first page’s offset', async () => {
    const rest = { total: 8, limit: 2 }
    expect(await read({ users: [5, 6], offset: 5, ...rest }, { users: [7], offset: 7, ...rest })).toEqual({
      asked: [{}, { offset: 7 }],
      merged: { users: [5, 6, 7], total: 8, offset: 5, limit: 3 },
    })
  })

  test('are read by number, and look like one page', async () => {
    const rest = { total: 3, pages: 2, size: 2 }
    expect(await read({ orders: [1, 2], page: 1, ...rest }, { orders: [3], page: 2, ...rest })).toEqual({
      asked: [{}, { page: 2 }],
      merged: { orders: [1, 2, 3], page: 1, pages: 1, size: 3, total: 3 },
    })
  })

  test('of an empty list are one empty page', async () => {
    expect((await read({ users: [], total: 0, offset: 0, limit: 500 })).merged).toEqual({
      users: [],
      total: 0,
      offset: 0,
      limit: 0,
    })
  })

  test('are refused when a cursor repeats, or when the response is not a list', async () => {
    const page = { data: [1], next_cursor: 'a' }
    await expect(read(page, page)).rejects.toMatchObject({ code: 'bad_response' })
    await expect(read({ other: 1 })).rejects.toMatchObject({ code: 'bad_response' })
    await expect(read({ data: [1] })).rejects.toMatchObject({ code: 'bad_response' })
  })
})
