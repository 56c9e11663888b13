/** The passkeys of the person who is signed in, and the sign-in with a passkey. */
import type { Readable } from 'node:stream'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid, ServiceError } from '../../core/errors.ts'
import { ownPasskeys, type PersonCall, passkeyView, removeOwnPasskey } from '../../engine/console/passkeys.ts'
import { engineNow } from '../../engine/engine.ts'
import { receiveJson } from '../http/body.ts'
import { browserFamily } from './browser-family.ts'
import type { ConsoleOptions } from './options.ts'
import { beginSession, requireOwnOrigin, requireSession } from './session-routes.ts'

const ceremonies = () => import('../../engine/console/passkey-ceremonies.ts')

export function addPasskeyRoutes(app: FastifyInstance, options: ConsoleOptions): void {
  const { engine, guesses } = options

  app.get('/console/passkeys', async (request, reply) => {
    const own = await ownPasskeys(engine, await requirePerson(options, request))
    return reply.type('application/json').send(JSON.stringify({ passkeys: own.map(passkeyView) }))
  })

  app.post('/console/passkeys/creation-options', async (request, reply) => {
    const call = await requirePerson(options, request)
    const { creationOptions } = await ceremonies()
    return reply.type('application/json').send(JSON.stringify(await creationOptions(engine, call)))
  })

  app.post('/console/passkeys', async (request, reply) => {
    const call = await requirePerson(options, request)
    const response = credentialIn<RegistrationResponseJSON>(await readBody(options, request))
    const { addPasskey } = await ceremonies()
    await addPasskey(engine, call, response, browserFamily(request.headers['user-agent']))
    return reply.code(204).send()
  })

  app.post('/console/passkeys/remove', async (request, reply) => {
    const call = await requirePerson(options, request)
    const { passkey_id: id } = await readBody(options, request)
    if (typeof id !== 'string') throw wrongField('passkey_id', 'must be the passkey_id of a passkey')
    await removeOwnPasskey(engine, call, id)
    return reply.code(204).send()
  })

  app.post('/console/passkeys/request-options', async (request, reply) => {
    requireOwnOrigin(request.headers, options.publicUrl)
    const { requestOptions } = await ceremonies()
    return reply.type('application/json').send(JSON.stringify(await requestOptions(engine)))
  })

  app.post('/console/passkeys/sign-in', async (request, reply) => {
    requireOwnOrigin(request.headers, options.publicUrl)
    const response = credentialIn<AuthenticationResponseJSON>(await readBody(options, request))
    const { signInWithPasskey } = await ceremonies()
    const owner = await signInWithPasskey(engine, response, await engineNow(engine)).catch(error => {
      if (error instanceof ServiceError && error.code === 'passkey_refused') {
        guesses.failed('passkey', request.clientAddress)
      }
      throw error
    })
    return beginSession(options, request, reply, owner)
  })
}

/** Returns the call of the person who is signed in. Throws ServiceError `conflict` if a key or the owner of the data folder is. */
async function requirePerson(options: ConsoleOptions, request: FastifyRequest): Promise<PersonCall> {
  const { team, session, person } = await requireSession(options, request)
  if (person === null) {
    throw new ServiceError(
      'conflict',
      'Only people have passkeys. API keys and the owner of the data folder have none.',
      {
        suggestions: ['Add a person: svc engine person add NAME --role ROLE'],
      },
    )
  }
  return { team, session, person, now: await engineNow(options.engine) }
}

async function readBody({ budget }: ConsoleOptions, { body, headers }: FastifyRequest): Promise<Fields> {
  const received = await receiveJson(body as Readable | undefined, headers, budget)
  received?.release()
  return fieldsOf(received?.input)
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the browser's response. The library that verifies it checks its other fields. */
function credentialIn<T>({ credential }: Fields): T {
  const { id, response } = fieldsOf(credential)
  if (typeof id === 'string' && typeof response === 'object' && response !== null) return credential as T
  throw wrongField('credential', 'must be the credential that the browser returned')
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {} // an object has named fields
}

function wrongField(name: string, msg: string): ServiceError {
  return invalid([{ loc: ['body', name], msg, type: 'value_error' }])
}
