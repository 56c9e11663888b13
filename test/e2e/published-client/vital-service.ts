/** An in-process server, and the published client of a service with the same interface, unchanged except for its base URL. */
import { VitalClient, VitalError } from '@tryvital/vital-node'
import { expect } from 'vitest'
import { serve } from '../../kit/server.ts'

export interface VitalService {
  readonly url: string
  readonly teamId: string
  readonly vital: VitalClient
  /** Calls an operation of our own, for which the client has no method. */
  readonly own: (method: string, path: string, body?: unknown) => Promise<unknown>
}

export async function vitalService(): Promise<VitalService> {
  const server = await serve({ acceptHeaderPrefixes: ['vital'], rateLimit: 0 })
  return {
    url: server.url,
    teamId: server.teamId,
    vital: new VitalClient({ apiKey: server.apiKey, baseUrl: server.url, maxRetries: 0 }),
    async own(method, path, body) {
      const headers = { 'x-service-api-key': server.apiKey, 'content-type': 'application/json' }
      const response = await fetch(server.url + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
      return response.json()
    },
  }
}

/** Returns the error of a call that must fail. */
export async function refusal(call: PromiseLike<unknown>): Promise<VitalError> {
  const error = await Promise.resolve(call).then(
    () => new Error('it succeeded'),
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(VitalError)
  return error
}

/** Returns the bytes of a binary response. */
export async function readBytes(response: { arrayBuffer(): Promise<ArrayBuffer> }): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer())
}
