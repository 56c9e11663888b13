/** The statuses of lab orders: each can be reached, every order can end, and no order is cancelled after the point of no return. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COLLECTION_METHODS } from '../../src/catalogue/labs/labs.ts'
import {
  COLLECTED_STATUSES,
  FIRST_STATUS,
  nextStatuses,
  ORDER_MACHINES,
  ORDER_STATUSES,
  statusName,
  topStatus,
  wayBetween,
} from '../../src/catalogue/labs/order-statuses.ts'
import { seed } from '../kit/seed.ts'

describe.each(COLLECTION_METHODS)('orders by %s', method => {
  const statuses = Object.keys(ORDER_MACHINES[method])

  it('can reach every status from the first one, passing only known statuses', () => {
    for (const low of statuses) {
      if (low !== FIRST_STATUS) expect(wayBetween(method, FIRST_STATUS, low), low).not.toBeNull()
      for (const next of nextStatuses(method, low)) expect(statuses, `${low} to ${next}`).toContain(next)
    }
  })

  it('can end from every status, and nothing follows a final status', () => {
    for (const low of statuses) {
      const ends = statuses.filter(each => nextStatuses(method, each).length === 0)
      const isOver = ends.includes(low)
      expect(isOver || ends.some(end => wayBetween(method, low, end) !== null), low).toBe(true)
      if (isOver) expect(['completed', 'cancelled', 'failed']).toContain(topStatus(statusName(method, low)))
    }
  })

  it('follow only transitions in the table, on random and on computed paths', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), fc.constantFrom(...statuses), (turns, target) => {
        let low = FIRST_STATUS
        for (const turn of turns) {
          const next = nextStatuses(method, low)
          if (next.length === 0) break
          low = next[turn % next.length] as string
        }
        const way = wayBetween(method, low, target)
        if (way === null) return
        expect(way.at(-1)).toBe(target)
        let from = low
        for (const step of way) {
          expect(nextStatuses(method, from)).toContain(step)
          from = step
        }
      }),
      { seed },
    )
  })

  it('cannot be cancelled once they are over', () => {
    for (const low of statuses) {
      const top = topStatus(statusName(method, low))
      if (top === 'completed' || top === 'failed' || top === 'cancelled') {
        expect(nextStatuses(method, low)).not.toContain('cancelled')
      }
    }
  })
})

it('a kit cannot be cancelled after it is sent; a draw can until the lab starts work', () => {
  const cancellable = (method: (typeof COLLECTION_METHODS)[number]) =>
    Object.keys(ORDER_MACHINES[method]).filter(low => nextStatuses(method, low).includes('cancelled'))
  const before = ['ordered', 'requisition_created', 'requisition_bypassed']
  const appointments = ['appointment_pending', 'appointment_scheduled', 'appointment_cancelled']
  expect(cancellable('testkit').sort()).toEqual([...before, 'awaiting_registration'].sort())
  expect(cancellable('walk_in_test').sort()).toEqual([...before, ...appointments].sort())
  expect(cancellable('at_home_phlebotomy').sort()).toEqual([...before, ...appointments, 'draw_completed'].sort())
  expect(cancellable('on_site_collection').sort()).toEqual([...before, 'draw_completed'].sort())
})

it('order statuses are unique and have the form top.method.low', () => {
  expect(new Set(ORDER_STATUSES).size).toBe(ORDER_STATUSES.length)
  expect(ORDER_STATUSES).toContain('collecting_sample.testkit.with_customer')
  for (const status of ORDER_STATUSES) expect(status).toMatch(/^[a-z_]+\.[a-z_]+\.[a-z_]+$/)
  for (const low of COLLECTED_STATUSES)
    expect(
      ORDER_STATUSES.some(each => each.endsWith(`.${low}`)),
      low,
    ).toBe(true)
})
