/** The catalogue's laboratories. Their addresses are fictional. See docs/interface/labs.md#labs-1. */
import type { Marker } from './markers.ts'

export const COLLECTION_METHODS = ['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'] as const
export type CollectionMethod = (typeof COLLECTION_METHODS)[number]
export type SampleType = 'dried_blood_spot' | 'arm_collector' | 'serum' | 'saliva' | 'urine' | 'stool'

/** A laboratory, as `GET /v3/lab_tests/labs` returns it. */
export interface Lab {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly first_line_address: string
  readonly city: string
  readonly zipcode: string
  readonly collection_methods: readonly CollectionMethod[]
  readonly sample_types: readonly SampleType[]
  readonly logo_url: string | null
}

function lab(
  id: number,
  slug: string,
  name: string,
  [first_line_address, city, zipcode]: readonly [string, string, string],
  collection_methods: readonly CollectionMethod[],
  sample_types: readonly SampleType[],
): Lab {
  const logo_url = `https://logo.svc.example/lab/${slug}.svg`
  return { id, slug, name, first_line_address, city, zipcode, collection_methods, sample_types, logo_url }
}

const DRAWN: readonly CollectionMethod[] = ['walk_in_test', 'at_home_phlebotomy', 'on_site_collection']

/** All laboratories, in ascending ID order. The slugs come from the interface. */
export const LABS: readonly Lab[] = [
  lab(
    1,
    'ayumetrix',
    'Ayumetrix',
    ['100 Sample Street', 'Lakeview', '97000'],
    ['testkit'],
    ['dried_blood_spot', 'saliva'],
  ),
  lab(2, 'spiriplex', 'Spiriplex', ['12 Pipette Lane', 'Northfield', '68100'], ['testkit'], ['dried_blood_spot']),
  lab(
    3,
    'ussl',
    'US Specialty Lab',
    ['3 Centrifuge Court', 'Harborton', '92100'],
    ['testkit', 'at_home_phlebotomy'],
    ['dried_blood_spot', 'arm_collector', 'serum', 'saliva', 'urine', 'stool'],
  ),
  lab(4, 'quest', 'Quest', ['400 Reagent Road', 'Millbrook', '07090'], DRAWN, ['serum', 'urine', 'stool']),
  lab(5, 'sonora_quest', 'Sonora Quest', ['55 Saguaro Way', 'Drywell', '85010'], DRAWN, ['serum', 'urine']),
  lab(6, 'labcorp', 'Labcorp', ['600 Assay Avenue', 'Burlwood', '27210'], DRAWN, ['serum', 'urine', 'stool', 'saliva']),
  lab(7, 'bioreference', 'BioReference', ['7 Titration Terrace', 'Elmgate', '07400'], DRAWN, ['serum', 'urine']),
  lab(
    8,
    'us_biotek',
    'US BioTek',
    ['88 Antibody Alley', 'Shoreham', '98130'],
    ['testkit'],
    ['dried_blood_spot', 'serum'],
  ),
  lab(
    10,
    'sanocardio',
    'SanoCardio',
    ['10 Ventricle View', 'Springdale', '10010'],
    ['testkit'],
    ['dried_blood_spot', 'arm_collector'],
  ),
  lab(
    12,
    'nexus',
    'Nexus',
    ['12 Junction Plaza', 'Crossfield', '33100'],
    ['walk_in_test', 'at_home_phlebotomy'],
    ['serum', 'urine'],
  ),
  lab(13, 'my_uti', 'MyUTI', ['13 Culture Close', 'Riverbend', '94100'], ['testkit'], ['urine']),
  lab(
    14,
    'crl',
    'CRL',
    ['14 Registry Row', 'Plainview', '66200'],
    ['testkit', 'at_home_phlebotomy'],
    ['dried_blood_spot', 'serum', 'urine'],
  ),
]

// global, because this is constant data that is built when first used
let markers: Promise<readonly Marker[]> | undefined

/** Slugs in the interface that have no lab in the catalogue. They are valid as filters but match nothing. */
export const LABS_WITHOUT_MARKERS: readonly string[] = ['manual', 'ihd', 'mtl']

/** Returns all labs' markers, in ascending ID order. The first call builds them from the LOINC table; every call returns the same array. */
export function loadMarkers(): Promise<readonly Marker[]> {
  markers ??= import('./markers.ts').then(({ buildMarkers }) => buildMarkers(LABS.map(each => each.id)))
  return markers
}
