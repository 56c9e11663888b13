/** LOINC codes of observations that belong to a timeseries: the resource of each code, and the part of the body where it is measured. */
import type { TextColumn } from '../../core/sample.ts'

export interface ObservationTarget {
  readonly resource: string
  /** The discriminating type, or null. */
  readonly type: string | null
  /** Columns whose values follow from the code itself. */
  readonly text: Readonly<Partial<Record<TextColumn, string>>>
}

function target(resource: string, text: ObservationTarget['text'] = {}): ObservationTarget {
  return { resource, type: null, text }
}
const typed = (resource: string, type: string): ObservationTarget => ({ resource, type, text: {} })
const temperature = (sensor_location: string): ObservationTarget => target('body_temperature', { sensor_location })

/** The identifier of the LOINC code system in FHIR. */
export const LOINC_SYSTEM = 'http://loinc.org'

/** By code. Codes for other specimens, times of day or statistics than those of the resource are left out on purpose. */
export const OBSERVATION_CODES: ReadonlyMap<string, ObservationTarget> = new Map([
  // vital signs
  ['8867-4', target('heartrate')],
  ['8889-8', target('heartrate')],
  ['8893-0', target('heartrate')],
  ['9279-1', target('respiratory_rate')],
  ['2708-6', target('blood_oxygen')],
  ['59408-5', target('blood_oxygen')],
  ['8310-5', target('body_temperature')],
  ['8331-1', temperature('mouth')],
  ['8332-9', temperature('rectum')],
  ['8328-7', temperature('armpit')],
  ['75539-7', temperature('temporal_artery')],
  ['76011-6', temperature('ear')],
  ['8333-7', temperature('eardrum')],
  ['80404-7', target('hrv', { type: 'sdnn' })],
  // body
  ['29463-7', target('body_weight')],
  ['3141-9', target('body_weight')],
  ['3142-7', target('body_weight')],
  ['39156-5', target('body_mass_index')],
  ['41982-0', target('body_fat')],
  ['91557-9', target('lean_body_mass')],
  ['8280-0', target('waist_circumference')],
  // movement
  ['55423-8', target('steps')],
  ['41950-7', target('steps')],
  ['41953-1', target('distance')],
  ['55430-3', target('distance')],
  ['93816-7', target('distance')],
  ['93818-3', target('distance')],
  ['55424-6', target('calories_active')],
  ['94122-9', target('vo2_max')],
  // glucose in any specimen: blood, plasma, capillary, interstitial
  ['15074-8', target('glucose')],
  ['2339-0', target('glucose')],
  ['2340-8', target('glucose')],
  ['2341-6', target('glucose')],
  ['2345-7', target('glucose')],
  ['14743-9', target('glucose')],
  ['14749-6', target('glucose')],
  ['32016-8', target('glucose')],
  ['41653-7', target('glucose')],
  ['41604-0', target('glucose')],
  ['1558-6', target('glucose')],
  ['76629-5', target('glucose')],
  ['99504-3', target('glucose')],
  ['105272-9', target('glucose')],
  // lipids
  ['2093-3', typed('cholesterol', 'total')],
  ['14647-2', typed('cholesterol', 'total')],
  ['2085-9', typed('cholesterol', 'hdl')],
  ['14646-4', typed('cholesterol', 'hdl')],
  ['2089-1', typed('cholesterol', 'ldl')],
  ['13457-7', typed('cholesterol', 'ldl')],
  ['18262-6', typed('cholesterol', 'ldl')],
  ['22748-8', typed('cholesterol', 'ldl')],
  ['39469-2', typed('cholesterol', 'ldl')],
  ['2571-8', typed('cholesterol', 'triglycerides')],
  ['14927-8', typed('cholesterol', 'triglycerides')],
  ['3043-7', typed('cholesterol', 'triglycerides')],
  // lungs
  ['20150-9', target('forced_expiratory_volume_1')],
  ['19868-9', target('forced_vital_capacity')],
  ['19870-5', target('forced_vital_capacity')],
  ['33452-4', target('peak_expiratory_flow_rate')],
  ['19935-6', target('peak_expiratory_flow_rate')],
])

/** Which half of a blood pressure reading a code stands for: a single reading or an average, taken sitting, standing or lying. */
export const PRESSURE_CODES: ReadonlyMap<string, 'systolic' | 'diastolic'> = new Map([
  ['8480-6', 'systolic'],
  ['8459-0', 'systolic'],
  ['8460-8', 'systolic'],
  ['8461-6', 'systolic'],
  ['96608-5', 'systolic'],
  ['8462-4', 'diastolic'],
  ['8453-3', 'diastolic'],
  ['8454-1', 'diastolic'],
  ['8455-8', 'diastolic'],
  ['96609-3', 'diastolic'],
])
