/** The tests that each lab offers: panels with their members, and single tests by the class and specimen of the LOINC table. */

export interface PanelDefinition {
  /** LOINC code of the panel. Only its number is used, to build ids. */
  readonly code: string
  readonly name: string
  /** LOINC codes of the results that every report contains. */
  readonly members: readonly string[]
  /** Results that a report may lack (`required: false`). */
  readonly optional?: readonly string[]
  /** Ids of the labs that offer the panel. */
  readonly labs: readonly number[]
}

const QUEST = 4
const SONORA = 5
const LABCORP = 6
const BIOREFERENCE = 7
/** The labs that draw blood and offer the full range. */
const FULL_RANGE = [QUEST, SONORA, LABCORP, BIOREFERENCE] as const

const BASIC = ['2345-7', '3094-0', '2160-0', '2951-2', '2823-3', '2075-0', '2028-9', '17861-6'] as const
const LIVER = ['2885-2', '1751-7', '1975-2', '6768-6', '1920-8', '1742-6'] as const
const COUNT = ['6690-2', '789-8', '718-7', '4544-3', '787-2', '785-6', '786-4', '788-0', '777-3'] as const
const DIFFERENTIAL = [
  '770-8',
  '736-9',
  '5905-5',
  '713-8',
  '706-2',
  '751-8',
  '731-0',
  '742-7',
  '711-2',
  '704-7',
] as const
const LIPIDS = ['2093-3', '2571-8', '2085-9', '13457-7'] as const
const DIPSTICK = [
  '5803-2',
  '5811-5',
  '5792-7',
  '5797-6',
  '5804-0',
  '5770-3',
  '5794-3',
  '5799-2',
  '5802-4',
  '20405-7',
] as const
const SEDIMENT = ['5821-4', '13945-1', '5787-7', '5769-5', '5796-8'] as const
const IRON = ['2498-4', '2500-7', '2502-3'] as const
const DRUGS_SCREENED = ['19343-3', '14314-9', '19295-5', '19659-2', '19415-9'] as const
const FOODS = [
  '6106-9',
  '7258-7',
  '6206-7',
  '6248-9',
  '6276-0',
  '6246-3',
  '6237-2',
  '6270-3',
  '6019-4',
  '6718-1',
  '6136-6',
  '6242-2',
] as const

export const PANELS: readonly PanelDefinition[] = [
  {
    code: '24321-2',
    name: 'Basic Metabolic Panel',
    members: BASIC,
    optional: ['33914-3', '3097-3'],
    labs: [...FULL_RANGE, 12, 14],
  },
  {
    code: '24323-8',
    name: 'Comprehensive Metabolic Panel',
    members: [...BASIC, ...LIVER],
    optional: ['10834-0', '1759-0', '33914-3', '3097-3'],
    labs: [...FULL_RANGE, 3, 12],
  },
  {
    code: '24325-3',
    name: 'Hepatic Function Panel',
    members: [...LIVER, '1968-7'],
    optional: ['1971-1'],
    labs: FULL_RANGE,
  },
  { code: '24362-6', name: 'Renal Function Panel', members: [...BASIC, '1751-7', '2777-1'], labs: FULL_RANGE },
  {
    code: '24326-1',
    name: 'Electrolyte Panel',
    members: ['2951-2', '2823-3', '2075-0', '2028-9'],
    optional: ['33037-3'],
    labs: FULL_RANGE,
  },
  {
    code: '24331-1',
    name: 'Lipid Panel',
    members: LIPIDS,
    optional: ['13458-5', '9830-1', '43396-1'],
    labs: [...FULL_RANGE, 1, 3, 10, 14],
  },
  {
    code: '57698-3',
    name: 'Lipid Panel with Direct LDL',
    members: ['2093-3', '2571-8', '2085-9', '18262-6'],
    optional: ['43396-1'],
    labs: [...FULL_RANGE, 10],
  },
  { code: '58410-2', name: 'Complete Blood Count', members: COUNT, optional: ['32623-1'], labs: [...FULL_RANGE, 12] },
  {
    code: '57021-8',
    name: 'Complete Blood Count with Differential',
    members: [...COUNT, ...DIFFERENTIAL],
    optional: ['71695-1', '53115-2'],
    labs: [...FULL_RANGE, 3, 12],
  },
  { code: '24360-0', name: 'Hemoglobin and Hematocrit', members: ['718-7', '4544-3'], labs: [LABCORP, QUEST] },
  { code: '24357-6', name: 'Urinalysis, Dipstick', members: DIPSTICK, labs: [...FULL_RANGE, 13] },
  {
    code: '24356-8',
    name: 'Urinalysis, Complete',
    members: [...DIPSTICK, ...SEDIMENT],
    optional: ['8247-9', '5782-8'],
    labs: [...FULL_RANGE, 13],
  },
  {
    code: '24365-9',
    name: 'Urinalysis, Microscopic',
    members: SEDIMENT,
    optional: ['8247-9', '9842-6'],
    labs: [LABCORP, QUEST, 13],
  },
  {
    code: '24348-5',
    name: 'Thyroid Panel, TSH and Free T4',
    members: ['3016-3', '3024-7'],
    labs: [...FULL_RANGE, 1, 3],
  },
  {
    code: '50190-8',
    name: 'Iron and Total Iron Binding Capacity',
    members: IRON,
    optional: ['2501-5'],
    labs: FULL_RANGE,
  },
  {
    code: '58952-3',
    name: 'Testosterone, Free and Total',
    members: ['2986-8', '2991-8'],
    optional: ['13967-5', '15432-8'],
    labs: [...FULL_RANGE, 3],
  },
  {
    code: '72034-2',
    name: 'Vitamin D, D2 and D3',
    members: ['1990-1', '2236-8', '62292-8'],
    labs: [LABCORP, QUEST, 3],
  },
  {
    code: '53764-7',
    name: 'Prostate Specific Antigen, Free and Total',
    members: ['2857-1', '10886-0', '12841-3'],
    labs: FULL_RANGE,
  },
  {
    code: '24363-4',
    name: 'Acute Hepatitis Panel',
    members: ['13950-1', '24113-3', '5196-1', '13955-0'],
    labs: FULL_RANGE,
  },
  {
    code: '24364-2',
    name: 'Obstetric Panel',
    members: [...COUNT, '883-9', '10331-7', '890-4', '5196-1', '5334-8', '20507-0'],
    labs: [LABCORP, QUEST],
  },
  { code: '29588-1', name: 'Heavy Metals, Blood', members: ['5583-0', '5671-3', '5685-3'], labs: [LABCORP, QUEST, 3] },
  { code: '34555-3', name: 'Creatinine Clearance', members: ['2160-0', '2162-6', '2164-2'], labs: [LABCORP, QUEST] },
  { code: '46437-0', name: 'Rheumatoid Arthritis Panel', members: ['11572-5', '33935-8'], labs: FULL_RANGE },
  {
    code: '94494-2',
    name: 'Celiac Disease Panel',
    members: ['31017-7', '32998-7', '2458-8'],
    optional: ['10362-2'],
    labs: [...FULL_RANGE, 8],
  },
  { code: '55395-8', name: 'Cardiolipin Antibodies', members: ['5076-5', '3181-5', '3182-3'], labs: [LABCORP, QUEST] },
  {
    code: '72171-2',
    name: 'Glucose Tolerance Test, Two Hours',
    members: ['1558-6', '1507-3', '1518-0'],
    labs: [LABCORP, QUEST, SONORA],
  },
  { code: '72828-7', name: 'Chlamydia and Gonorrhea', members: ['42931-6', '60256-5'], labs: [...FULL_RANGE, 3, 13] },
  { code: '83101-6', name: 'HIV Screen', members: ['31201-7'], optional: ['5221-7', '25835-0'], labs: FULL_RANGE },
  {
    code: '65750-2',
    name: 'Drugs of Abuse, Five Classes',
    members: DRUGS_SCREENED,
    optional: ['2161-8'],
    labs: [LABCORP, QUEST, 14],
  },
  { code: '49222-3', name: 'Food Allergy Profile', members: FOODS, labs: [LABCORP, 2, 8] },
]

/** A set of single tests: all rows of the LOINC table that meet every given condition. */
export interface SingleOffer {
  readonly lab: number
  /** Classes of the table; absent: all except PANEL. */
  readonly classes?: readonly string[]
  /** Specimens of the table; absent: all. */
  readonly systems?: readonly string[]
  /** The largest rank in the list of common tests; rows without a rank count as rare. */
  readonly commonUpTo?: number
  /** Only these codes. */
  readonly codes?: readonly string[]
}

const BLOOD = ['Ser/Plas', 'Ser', 'Bld', 'Plas', 'PPP'] as const
const HORMONES = [
  '2143-6',
  '2191-5',
  '2243-4',
  '2839-9',
  '2986-8',
  '2991-8',
  '3016-3',
  '3024-7',
  '3051-0',
  '13967-5',
  '15067-2',
  '10501-5',
  '2842-3',
] as const

export const SINGLE_OFFERS: readonly SingleOffer[] = [
  { lab: 1, codes: [...HORMONES, '2142-8', '4548-4', '30522-7', '62292-8', '2276-4'] },
  { lab: 2, classes: ['ALLERGY'] },
  {
    lab: 3,
    codes: [
      ...HORMONES,
      ...IRON,
      '2276-4',
      '2132-9',
      '2284-8',
      '62292-8',
      '4548-4',
      '30522-7',
      '1884-6',
      '10835-7',
      '13965-9',
      '20448-7',
      '2857-1',
      '82874-9',
      '17780-8',
      '2142-8',
    ],
  },
  { lab: QUEST, classes: ['CHEM', 'HEM/BC', 'COAG', 'SERO', 'MICRO', 'DRUG/TOX'], commonUpTo: 700 },
  { lab: SONORA, classes: ['CHEM', 'HEM/BC', 'COAG'], systems: BLOOD, commonUpTo: 350 },
  { lab: LABCORP },
  { lab: BIOREFERENCE, classes: ['CHEM', 'HEM/BC', 'SERO', 'MICRO'], systems: BLOOD, commonUpTo: 450 },
  { lab: 8, classes: ['ALLERGY', 'SERO'] },
  { lab: 10, codes: [...LIPIDS, '18262-6', '43396-1', '1869-7', '1884-6', '10835-7', '30522-7', '4548-4', '33762-6'] },
  { lab: 12, classes: ['CHEM'], systems: BLOOD, commonUpTo: 120 },
  { lab: 13, classes: ['UA'] },
  {
    lab: 14,
    codes: [...LIPIDS, ...DRUGS_SCREENED, '4548-4', '2160-0', '2345-7', '10366-3', '5196-1', '13955-0', '31201-7'],
  },
]
