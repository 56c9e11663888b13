/** The published client with lab tests, markers and orders, from placing an order to its report. */
import { beforeAll, expect, it } from 'vitest'
import { readBytes, refusal, type VitalService, vitalService } from './vital-service.ts'

let service: VitalService
let userId = ''
let orderId = ''

beforeAll(async () => {
  service = await vitalService()
  userId = (await service.vital.user.create({ clientUserId: 'ada' })).userId
})

const PATIENT = {
  firstName: 'Ada',
  lastName: 'Byron',
  dob: '1985-12-10',
  gender: 'female' as const,
  phoneNumber: '+15550100199',
  email: 'ada@example.com',
}
const ADDRESS = { firstLine: '1 Engine Way', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' }

async function aTest(collectionMethod: 'walk_in_test' | 'testkit') {
  const { data } = await service.vital.labTests.getPaginated({ collectionMethod, status: 'active' })
  const [test] = data
  if (!test) throw new Error(`no lab test of ${collectionMethod}`)
  return test
}

it('lists the lab tests, and reads one with its markers', async () => {
  const { labTests } = service.vital
  const seen: string[] = []
  let nextCursor: string | undefined
  do {
    const page = await labTests.getPaginated({ labTestLimit: 4, ...(nextCursor ? { nextCursor } : {}) })
    seen.push(...page.data.map(each => each.id))
    nextCursor = page.nextCursor
  } while (nextCursor !== undefined)
  expect(seen.length).toBeGreaterThanOrEqual(10)
  expect(new Set(seen).size).toBe(seen.length)
  const all = await labTests.get({})
  expect(all.map(each => each.id).sort()).toEqual([...seen].sort())
  const one = await labTests.getById(seen[0] as string)
  expect(one.id).toBe(seen[0])
  const { markers } = await labTests.getMarkersForLabTest(seen[0] as string, { page: 1, size: 5 })
  const [marker] = markers
  if (!marker) throw new Error('no markers')
  const found = await labTests.getMarkersByLabAndProviderId(String(marker.providerId), Number(marker.labId))
  expect(found.id).toBe(marker.id)
  const ofSet = await labTests.getMarkersForOrderSet({ body: { labTestIds: [seen[0] as string] } })
  expect(ofSet.markers.length).toBeGreaterThanOrEqual(markers.length)
})

it('places one order for each idempotency key, and reads it', async () => {
  const { labTests } = service.vital
  const test = await aTest('walk_in_test')
  const order = {
    idempotencyKey: 'one',
    userId,
    patientDetails: PATIENT,
    patientAddress: ADDRESS,
    orderSet: { labTestIds: [test.id] },
  }
  const placed = await labTests.createOrder(order)
  orderId = placed.order.id
  expect((await labTests.createOrder(order)).order.id).toBe(orderId)
  expect(await labTests.getOrder(orderId)).toMatchObject({ id: orderId, userId })
  const { orders, total } = await labTests.getOrders({ userId, page: 1, size: 10 })
  expect([orders.map(each => each.id), total]).toEqual([[orderId], 1])
  expect(await refusal(labTests.getOrder('00000000-0000-4000-8000-000000000000'))).toMatchObject({ statusCode: 404 })
})

it('completes the order, and reads its results in every form', async () => {
  const { labTests } = service.vital
  expect(await refusal(labTests.getResultRaw(orderId))).toBeDefined()
  expect(await labTests.simulateOrderProcess(orderId, {})).toBeDefined()
  const raw = await labTests.getResultRaw(orderId)
  expect(raw.metadata).toMatchObject({ dob: PATIENT.dob })
  expect(raw.results).toBeInstanceOf(Array)
  expect(await labTests.getResultMetadata(orderId)).toMatchObject({ dob: PATIENT.dob })
  for (const pdf of [await labTests.getResultPdf(orderId), await labTests.getOrderRequistionPdf(orderId)]) {
    expect((await readBytes(pdf)).subarray(0, 5).toString()).toBe('%PDF-')
  }
})

it('cancels an order that has not started', async () => {
  const { labTests } = service.vital
  const test = await aTest('testkit')
  const placed = await labTests.createOrder({
    userId,
    patientDetails: PATIENT,
    patientAddress: ADDRESS,
    orderSet: { labTestIds: [test.id] },
  })
  const cancelled = await labTests.cancelOrder(placed.order.id)
  expect(cancelled.order.id).toBe(placed.order.id)
  expect(await refusal(labTests.cancelOrder(orderId))).toMatchObject({ statusCode: 400 })
})
