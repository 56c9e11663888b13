/** Shows the lab's report on an order. See docs/interface/orders.md#orders-9. */
import { labAccounts } from '../../catalogue/labs/lab-accounts.ts'
import { topStatus } from '../../catalogue/labs/order-statuses.ts'
import type { OrderResult } from '../../contract/orders/order-result.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatDate, formatInstant } from '../../core/time.ts'
import type { OrderRecord } from '../../store/order.ts'
import { type Handler, ok } from '../context.ts'
import { labWithId } from '../labs/accounts.ts'
import { ageAt } from './patient.ts'
import { orderOfCall } from './read.ts'
import type { Report } from './report.ts'
import { describeTransaction, orderPeople, orderSampleId } from './view.ts'

/** Returns the report on an order. Throws 404 if the lab has not yet reported anything. */
export function requireReport(record: OrderRecord): Report {
  if (!record.result) {
    const isOver = ['cancelled', 'failed'].includes(topStatus(record.status))
    throw new ServiceError(
      'not_found',
      `This order has no results${isOver ? '' : ' yet'}. Its status is ${record.status}.`,
      {
        suggestions: ['`svc order get ORDER` shows how it got there.'],
      },
    )
  }
  // only reports from report.ts are ever stored as results
  return record.result as unknown as Report
}

export const getOrderResult: Handler<'order.result'> = async (engine, { params }, call) => {
  const record = await orderOfCall(engine, call, params.order_id)
  return ok(resultView(record, requireReport(record)))
}

export const getResultMetadata: Handler<'order.result_metadata'> = async (engine, { params }, call) => {
  const record = await orderOfCall(engine, call, params.order_id)
  const { metadata } = resultView(record, requireReport(record))
  const { first_name, last_name } = orderPeople(record).patient
  return ok({
    ...metadata,
    patient_first_name: first_name,
    patient_last_name: last_name,
    lab_name: metadata.laboratory,
  })
}

/** Returns the whole report, with both `value` and `result`, and with both names of the type. */
export function resultView(record: OrderRecord, report: Report): OrderResult {
  const { patient, physician } = orderPeople(record)
  const lab = labWithId(record.document.labId)
  // if any result was reported, there is a sample
  const specimen = orderSampleId(record) ?? ''
  const collected = formatInstant(report.collectedAt)
  const account = labAccounts().find(each => each.id === record.document.labAccountId)
  return {
    metadata: {
      age: String(ageAt(patient.dob, formatDate(report.collectedAt))),
      dob: patient.dob,
      'clia_#': cliaNumber(lab.id),
      patient: `${patient.first_name} ${patient.last_name}`,
      provider: physician && `${physician.first_name} ${physician.last_name}`,
      laboratory: lab.name,
      date_reported: formatInstant(report.reportedAt),
      date_collected: collected,
      specimen_number: specimen,
      date_received: formatInstant(report.receivedAt),
      status: report.status,
      interpretation: report.interpretation,
      patient_id: record.userId,
      account_id: account?.providerAccountId ?? null,
    },
    results: report.lines.map(line => ({
      ...line,
      timestamp: collected,
      performing_laboratory: lab.name,
      source_sample_id: specimen,
    })),
    missing_results: [...report.missing],
    sample_information: {
      [specimen]: {
        sample_id: specimen,
        control_number: null,
        date_collected: collected,
        date_received: formatInstant(report.receivedAt),
        date_reported: formatInstant(report.reportedAt),
        performing_laboratories: {
          [lab.name]: {
            name: lab.name,
            phone_number: null,
            medical_director: null,
            address: null,
          },
        },
        clinical_information: null,
      },
    },
    order_transaction: describeTransaction(record),
  }
}

/** Returns a laboratory's certificate number, which is fictional, like its address. */
export function cliaNumber(labId: number): string {
  return `99D${String(labId * 7919).padStart(7, '0')}`
}
