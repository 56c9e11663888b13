/** Shows markers and lab tests in tables and csv. */
import type { ResponseOf } from '../../client/client.ts'
import { type Facts, facts, fields, ranked, type View, view } from '../../output/view.ts'

export type Marker = ResponseOf<'labs.marker_by_code'>
export type LabTest = ResponseOf<'labs.test'>

/** Returns one row for each marker; `code` is the lab's own code (`provider_id` in json). */
export function markersView(markers: readonly Marker[]): View<Marker> {
  return ranked(
    ['name', 'id', 'loinc', 'unit', 'type', 'price', 'code'],
    view(
      markers,
      {
        ...fields<Marker>('id', 'lab_id'),
        code: marker => marker.provider_id,
        ...fields<Marker>('name', 'type', 'unit', 'price'),
        loinc: marker => loincCode(marker),
      },
      'No markers match.',
    ),
  )
}

export function markerFacts(marker: Marker): Facts {
  return {
    ...facts(marker, 'id', 'lab_id'),
    code: marker.provider_id,
    ...facts(marker, 'name', 'description', 'type', 'unit', 'price', 'a_la_carte_enabled'),
    ...facts(marker, 'common_tat_days', 'worst_case_tat_days'),
    questions: marker.aoe?.questions.map(each => each.value).join('; '),
    results: marker.expected_results.map(each => `${each.loinc?.code ?? '-'} ${each.name}`).join('; '),
  }
}

function loincCode(marker: Marker): string {
  return marker.expected_results.flatMap(each => each.loinc?.code ?? []).join(' ')
}

/** Returns one row for each lab test. */
export function labTestsView(tests: readonly LabTest[]): View<LabTest> {
  return ranked(
    ['slug', 'name', 'price', 'status', 'id', 'method', 'lab'],
    view(
      tests,
      {
        ...fields<LabTest>('id', 'slug', 'name'),
        lab: test => test.lab?.slug,
        ...fields<LabTest>('method', 'sample_type', 'price', 'status'),
        markers: test => test.markers?.length,
      },
      'No lab tests match.',
    ),
  )
}

export function labTestFacts(test: LabTest): Facts {
  return {
    ...facts(test, 'id', 'slug', 'name'),
    lab: test.lab?.name,
    ...facts(test, 'method', 'sample_type', 'fasting', 'price', 'status', 'common_tat_days', 'worst_case_tat_days'),
    markers: test.markers?.map(each => `${each.id} ${each.name}`).join('; '),
  }
}
