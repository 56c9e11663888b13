/** Writes a lab order's requisition as a PDF: the tests, the patient, and the ordering physician. It contains no results. */
import type { LabAccount } from '../../../catalogue/labs/lab-accounts.ts'
import type { Lab } from '../../../catalogue/labs/labs.ts'
import type { Marker } from '../../../catalogue/labs/markers.ts'
import type { OrderView } from '../../../contract/orders/order.ts'
import { beginPdf, type PdfWriter } from './document.ts'
import { SIMULATED } from './notice.ts'

export interface Requisition {
  readonly order: OrderView
  readonly lab: Lab
  readonly account: LabAccount | null
  readonly markers: readonly Marker[]
  /** When the requisition was created. */
  readonly at: number
}

export async function requisitionPdf({ order, lab, account, markers, at }: Requisition): Promise<Uint8Array> {
  const pdf = await beginPdf('Laboratory Requisition', at)
  pdf.fact('Order', order.id)
  pdf.fact('Ordered', order.created_at)
  pdf.fact('Collection', order.details.type)
  pdf.fact('Priority', order.priority ? 'yes' : null)
  pdf.fact('Not before', order.activate_by)
  pdf.heading('Laboratory')
  pdf.fact('Name', lab.name)
  pdf.fact('Address', `${lab.first_line_address}, ${lab.city} ${lab.zipcode}`)
  pdf.fact('Account', account && `${account.providerAccountId} (${account.accountName})`)
  pdf.fact('Billing', order.billing_type)
  writePatient(pdf, order)
  pdf.heading('Ordering physician')
  pdf.fact('Name', order.physician && `${order.physician.first_name} ${order.physician.last_name}`)
  pdf.fact('NPI', order.physician?.npi)
  pdf.fact('Diagnosis codes', order.icd_codes?.join(', '))
  pdf.fact('Clinical notes', order.notes)
  pdf.heading(`Tests: ${order.lab_test.name}`)
  pdf.fact('Specimen', order.lab_test.sample_type)
  pdf.fact('Fasting', order.lab_test.fasting ? 'yes' : 'no')
  pdf.table<Marker>(
    [
      { head: 'Code', share: 1, value: marker => marker.provider_id },
      { head: 'Test', share: 4, value: marker => marker.name },
      { head: 'Kind', share: 1, value: marker => marker.type },
      {
        head: 'LOINC of results',
        share: 3,
        value: marker => marker.expected_results.map(each => each.loinc.code).join(' '),
      },
    ],
    markers,
  )
  return pdf.finish(SIMULATED)
}

function writePatient(pdf: PdfWriter, order: OrderView): void {
  const { patient_details: patient, patient_address: address } = order
  pdf.heading('Patient')
  if (patient) {
    pdf.fact('Name', `${patient.first_name} ${patient.last_name}`)
    pdf.fact('Date of birth', patient.dob)
    pdf.fact('Gender', patient.gender)
    pdf.fact('Phone', patient.phone_number)
    pdf.fact('E-mail', patient.email)
    // validated when the order was placed
    const proxy = patient.medical_proxy as { first_name: string; last_name: string; phone_number: string } | null
    pdf.fact('Medical proxy', proxy && `${proxy.first_name} ${proxy.last_name}, ${proxy.phone_number}`)
  }
  if (!address) return
  const lines = [
    address.first_line,
    address.second_line,
    `${address.city}, ${address.state} ${address.zip}`,
    address.country,
  ]
  pdf.fact('Address', lines.filter(Boolean).join(', '))
}
