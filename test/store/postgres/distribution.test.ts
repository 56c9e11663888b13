import { expect, it } from 'vitest'
import { distribution } from '../../../src/store/postgres/schema/citus.ts'
import { TABLES } from '../../../src/store/postgres/schema/tables.ts'
import { DIRECTORY } from '../../../src/store/tables/teams.ts'
import { USER } from '../../../src/store/tables/users.ts'

it('every table has one place in a cluster, and users and directory come first', () => {
  const placed = distribution('svc_schema').map(statement => /\('"?(\w+)"?'/.exec(statement)?.[1])
  expect(placed.slice(0, 2).sort()).toEqual([DIRECTORY.name, USER.name].sort())
  expect([...placed].sort()).toEqual(['svc_schema', ...TABLES.map(({ name }) => name)].sort())
})
