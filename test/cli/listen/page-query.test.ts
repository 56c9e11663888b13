/** Which page to request next, as parameters of the operation. */
import { expect, test } from 'vitest'
import { pageQuery } from '../../../src/cli/listen/page-query.ts'

const filters = { type: 'provider.*', user_id: undefined, since: undefined }
const page = { order: 'asc', payload: true, limit: 25, type: 'provider.*' }
const since = '2026-11-20'

test('starts from now, or from a time that is sent with each cursor', () => {
  const at = (cursor: string | null) => ({ cursor, fresh: false })
  expect(pageQuery(at(null), filters)).toEqual({ ...page, from: 'now' })
  expect(pageQuery(at('c'), filters)).toEqual({ ...page, next_cursor: 'c' })
  expect(pageQuery(at(null), { ...filters, since })).toEqual({ ...page, since })
  expect(pageQuery(at('c'), { ...filters, since })).toEqual({ ...page, since, next_cursor: 'c' })
})

test('drops the start time after the store was replaced', () => {
  const at = (cursor: string | null) => ({ cursor, fresh: true })
  expect(pageQuery(at(null), { ...filters, since })).toEqual({ ...page, from: 'now' })
  expect(pageQuery(at('d'), { ...filters, since })).toEqual({ ...page, next_cursor: 'd' })
})
