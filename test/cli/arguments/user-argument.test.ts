/** USER as a user_id or a client_user_id. */
import { describe, expect, test } from 'vitest'
import { withUser } from '../../../src/cli/arguments/user-argument.ts'
import type { ServiceClient } from '../../../src/client/client.ts'
import { ServiceError } from '../../../src/core/errors.ts'

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const OTHER = 'aaaaaaaa-d9cb-469f-a165-70867728950e'

/** Returns a service that knows users by their client_user_id and counts the look-ups. */
function service(known: Readonly<Record<string, string>>) {
  const requests: string[] = []
  const call = async (_id: string, input: { params: { client_user_id: string } }) => {
    const name = input.params.client_user_id
    requests.push(name)
    const user_id = known[name]
    if (user_id === undefined) throw new ServiceError('user_not_found', 'User not found')
    return { kind: 'json', status: 200, headers: {}, body: { user_id } }
  }
  // only this one operation is called
  return { asked: requests, client: { call, close: async () => {} } as unknown as ServiceClient }
}

const notFound = () => Promise.reject(new ServiceError('user_not_found', 'No such user_id'))

describe('USER', () => {
  test('that is a client_user_id is resolved', async () => {
    const { client } = service({ ada: ID })
    expect(await withUser(client, 'ada', async id => id)).toBe(ID)
  })

  test('that is a user_id needs no extra call', async () => {
    const { client, asked: requests } = service({})
    expect(await withUser(client, ID, async id => id)).toBe(ID)
    expect(requests).toEqual([])
  })

  test('that is a client_user_id in the form of a UUID is also found', async () => {
    const { client } = service({ [ID]: OTHER })
    expect(await withUser(client, ID, async id => (id === OTHER ? id : notFound()))).toBe(OTHER)
  })

  test('that is neither fails with the first response', async () => {
    const { client } = service({})
    await expect(withUser(client, ID, notFound)).rejects.toThrow('No such user_id')
    await expect(withUser(client, 'nobody', notFound)).rejects.toThrow('User not found')
    await expect(withUser(client, '', notFound)).rejects.toThrow(/empty/)
  })
})
