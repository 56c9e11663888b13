/** Writes a lab report as a PDF: every result with its unit, range and flag. */
import type { OrderResult, ResultLine } from '../../../contract/orders/order-result.ts'
import { beginPdf } from './document.ts'
import { SIMULATED } from './notice.ts'

/** Returns the PDF. `at` is the time of the lab's report. */
export async function resultPdf(result: OrderResult, at: number): Promise<Uint8Array> {
  const { metadata } = result
  const pdf = await beginPdf('Laboratory Report', at)
  pdf.fact('Status', metadata.status)
  pdf.fact('Laboratory', metadata.laboratory)
  pdf.fact('CLIA', metadata['clia_#'])
  pdf.fact('Account', metadata.account_id)
  pdf.fact('Ordered by', metadata.provider)
  pdf.heading('Patient')
  pdf.fact('Name', metadata.patient)
  pdf.fact('Date of birth', `${metadata.dob} (${metadata.age} years)`)
  pdf.fact('Patient id', metadata.patient_id)
  pdf.heading('Specimen')
  pdf.fact('Number', metadata.specimen_number)
  pdf.fact('Collected', metadata.date_collected)
  pdf.fact('Received', metadata.date_received)
  pdf.fact('Reported', metadata.date_reported)
  pdf.heading('Results')
  pdf.fact('Interpretation', metadata.interpretation)
  pdf.table<ResultLine>(
    [
      { head: 'Test', share: 4, value: line => line.name },
      { head: 'Result', share: 2, value: line => line.result, isStrong: isNotable },
      { head: 'Flag', share: 0.7, value: line => flagText(line), isStrong: isNotable },
      { head: 'Unit', share: 2, value: line => line.unit ?? '' },
      { head: 'Usual range', share: 1.8, value: line => line.reference_range ?? '' },
      { head: 'LOINC', share: 1, value: line => line.loinc ?? '' },
    ],
    result.results,
  )
  if (result.missing_results.length > 0) {
    pdf.heading('Not measured')
    for (const each of result.missing_results) pdf.paragraph(`${each.name}: ${each.inferred_failure_type}`)
  }
  return pdf.finish(SIMULATED)
}

function isNotable(line: ResultLine): boolean {
  return line.interpretation === 'abnormal' || line.interpretation === 'critical'
}

/** Returns a result's flag letters. Normal results have none. */
function flagText(line: ResultLine): string {
  return line.source_interpretation === 'N' ? '' : (line.source_interpretation ?? '')
}
