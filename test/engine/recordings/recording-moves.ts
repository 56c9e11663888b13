/** Random actions on an engine, from which a property test makes recordings. */
import fc from 'fast-check'
import type { CallerInput } from '../../../src/contract/kernel/operation.ts'
import type { OperationId, Operations } from '../../../src/contract/operations.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import type { Harness } from '../../kit/harness.ts'
import { DAILY_STEPS } from '../continuous/continuous.ts'
import { orderBody } from '../orders/orders.ts'
import { recordingFile } from './recording-tools.ts'

const KINDS = [
  'create',
  'create',
  'push',
  'push',
  'push',
  'import',
  'undo import',
  'link',
  'demo',
  'wrong code',
  'fail',
  'disconnect',
  'refresh',
  'order',
  'simulate',
  'cancel',
  'delete samples',
  'patch',
  'delete',
  'undo delete',
  'query',
  'team',
  'advance',
  'advance',
  'freeze',
  'run due',
  'test event',
  'refused',
] as const

/** An action, and two numbers that select its user and its object. */
export interface Move {
  readonly kind: (typeof KINDS)[number]
  readonly who: number
  readonly what: number
}

export const moves = (least: number, most: number): fc.Arbitrary<readonly Move[]> =>
  fc.array(fc.record({ kind: fc.constantFrom(...KINDS), who: fc.nat(3), what: fc.nat(99) }), {
    minLength: least,
    maxLength: most,
  })

/** Performs actions, and remembers what they created. */
export class Mover {
  private readonly harness: Harness
  private readonly users: string[] = []
  private readonly imports: string[] = []
  private readonly orders: string[] = []

  constructor(harness: Harness) {
    this.harness = harness
  }

  /** A refusal is a valid outcome. */
  async make(move: Move): Promise<void> {
    this.harness.time.ms += 1 + move.what * 37
    try {
      await this.move(move)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }

  private call<K extends OperationId>(id: K, input: CallerInput<Operations[K]>, linkToken?: string) {
    return this.harness.call(id, input, linkToken === undefined ? {} : { linkToken })
  }

  private async move({ kind, who, what }: Move): Promise<void> {
    const user_id = this.users[who % Math.max(1, this.users.length)] ?? '00000000-0000-4000-8000-000000000000'
    const params = { user_id }
    const provider = what % 2 === 0 ? 'whoop' : 'garmin'
    switch (kind) {
      case 'create': {
        const body = { client_user_id: `person ${what % 5}`, fallback_time_zone: 'Europe/Berlin' }
        this.users.push((await this.call('user.create', { body })).user_id)
        return
      }
      case 'push':
        await this.call('samples.push', { params, body: { kind: 'stream', stream: once(samples(what)) } })
        return
      case 'import': {
        const lines = samples(what).map(each => JSON.stringify({ ...each, provider: 'oura', source_type: 'ring' }))
        const report = await this.call('import.create', { params, query: {}, body: recordingFile(lines.join('\n')) })
        if (report.import_id !== null) this.imports.push(report.import_id)
        return
      }
      case 'undo import': {
        const import_id = this.imports[what % Math.max(1, this.imports.length)] ?? user_id
        await this.call('import.undo', { params: { import_id } })
        return
      }
      case 'link':
      case 'wrong code': {
        const { link_token } = await this.call('link.token', { body: { user_id } })
        const username = kind === 'link' ? `account ${what}` : 'mfa-sms@sandbox.test'
        const body = { username, password: 'secret of ada' }
        await this.call('link.password', { params: { provider: 'whoop' }, body }, link_token)
        if (kind === 'link') return
        for (const mfa_code of what % 2 === 0 ? ['000001'] : ['000001', '123456']) {
          await this.call('link.complete_mfa', { params: { provider: 'whoop' }, body: { mfa_code } }, link_token)
        }
        return
      }
      case 'demo':
        await this.call('link.demo', { body: { user_id, provider: 'oura' } })
        return
      case 'fail':
        await this.call('provider.fail', { params: { user_id, provider }, body: { error_type: 'unknown' } } as never)
        return
      case 'disconnect':
        await this.call('user.disconnect', { params: { user_id, provider } })
        return
      case 'refresh':
        await this.call('user.refresh', { params })
        return
      case 'order': {
        const { order } = await this.call('order.create', { body: orderBody(user_id) })
        this.orders.push(order.id)
        return
      }
      case 'simulate':
      case 'cancel': {
        const order_id = this.orders[what % Math.max(1, this.orders.length)] ?? user_id
        const id = kind === 'cancel' ? 'order.cancel' : 'order.simulate'
        await this.call(id, { params: { order_id }, body: {} } as never)
        return
      }
      case 'delete samples': {
        const query = { start_date: '2026-11-01', end_date: '2026-11-30' }
        await this.call('timeseries.delete', { params: { user_id, resource: 'steps' }, query })
        return
      }
      case 'patch':
        await this.call('user.patch', { params, body: { fallback_time_zone: 'Asia/Tokyo' } } as never)
        return
      case 'delete':
        await this.call('user.delete', { params })
        return
      case 'undo delete':
        await this.call('user.undo_delete', { body: { user_id } } as never)
        return
      case 'query':
        await this.call('continuous_query.create', { body: { ...DAILY_STEPS, slug: `steps-${what % 3}` } } as never)
        return
      case 'team': {
        const team_id = this.harness.team.teamId
        await this.call('team.update', { params: { team_id }, body: { user_limit: 2 + (what % 9) } } as never)
        return
      }
      case 'advance':
        await this.call('clock.set', { body: { advance: ['20m', '3h', '2d', '8d'][what % 4] as string } })
        return
      case 'freeze':
        await this.call('clock.set', { body: { freeze: what % 2 === 0 } })
        return
      case 'run due':
        await this.call('engine.run_due', {})
        return
      case 'test event': {
        const type = 'daily.data.steps.created'
        const event = { teamId: this.harness.team.teamId, type, data: { what }, at: 1_000 + what, endpointIds: null }
        await this.harness.engine.context.store.events.emit(user_id as never, event)
        return
      }
      case 'refused':
        await this.call('samples.push', { params, body: { kind: 'stream', stream: once([{ resource: 'nothing' }]) } })
    }
  }
}

function samples(what: number): object[] {
  const hour = String(what % 24).padStart(2, '0')
  return Array.from({ length: 1 + (what % 4) }, (_, i) => ({
    resource: i % 2 === 0 ? 'steps' : 'heartrate',
    timestamp: `2026-11-1${i}T${hour}:15:00Z`,
    value: 50 + what + i,
  }))
}

async function* once(body: object): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(body))
}
