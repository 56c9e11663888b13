/** Serves a lab order's documents as PDF: its requisition and its report. See docs/interface/orders.md#orders-11. */
import { labAccounts } from '../../catalogue/labs/lab-accounts.ts'
import type { BytesReply } from '../../contract/kernel/operation.ts'
import { ServiceError } from '../../core/errors.ts'
import type { EpochMs } from '../../core/time.ts'
import type { OrderRecord } from '../../store/order.ts'
import type { EngineContext, Handler } from '../context.ts'
import { labWithId } from '../labs/accounts.ts'
import { testMarkers } from '../labs/views.ts'
import { noSuchOrder, orderOfCall } from './read.ts'
import { checkRequisitionUrl } from './requisition-url.ts'
import { requireReport, resultView } from './results.ts'
import { firstIn, hasRequisition, orderedBy } from './state.ts'
import { orderView } from './view.ts'

export const downloadRequisition: Handler<'order.requisition_pdf'> = async (engine, { params }, call) => {
  const record = await orderOfCall(engine, call, params.order_id)
  if (!hasRequisition(record)) throw new ServiceError('not_found', 'This order has no requisition.')
  return requisition(engine, record, call.now)
}

/** Serves the requisition to anyone who has its signed URL. Refuses a forged or expired URL. */
export const downloadRequisitionForm: Handler<'order.requisition_form'> = async (engine, { params, query }, call) => {
  const standing = checkRequisitionUrl(engine, { orderId: params.order_id, ...query }, call.now)
  if (standing === 'forged') throw noSuchOrder()
  if (standing === 'expired') {
    const instead = `GET /v3/order/${params.order_id}/requisition/pdf`
    throw new ServiceError('gone', `This requisition URL has expired; it was valid for 7 days. Use ${instead} instead.`)
  }
  const record = await orderOfCall(engine, call, params.order_id)
  return requisition(engine, record, call.now)
}

export const downloadResult: Handler<'order.result_pdf'> = async (engine, { params }, call) => {
  const record = await orderOfCall(engine, call, params.order_id)
  const report = requireReport(record)
  const { resultPdf } = await import('./pdf/result.ts')
  return pdf(await resultPdf(resultView(record, report), report.reportedAt), `result-${record.orderId}.pdf`)
}

async function requisition(engine: EngineContext, record: OrderRecord, now: EpochMs): Promise<BytesReply> {
  const ordered = await orderedBy(engine, record)
  const { requisitionPdf } = await import('./pdf/requisition.ts')
  const bytes = await requisitionPdf({
    order: orderView(engine, record, ordered, now),
    lab: labWithId(record.document.labId),
    account: labAccounts().find(each => each.id === record.document.labAccountId) ?? null,
    markers: testMarkers(ordered.labTest, ordered.markers),
    at: firstIn(record, ['requisition_created']) ?? record.createdAt,
  })
  return pdf(bytes, `requisition-${record.orderId}.pdf`)
}

function pdf(bytes: Uint8Array, name: string): BytesReply {
  const headers = { 'content-disposition': `attachment; filename="${name}"` }
  return { kind: 'bytes', status: 200, headers, mediaType: 'application/pdf', bytes }
}
