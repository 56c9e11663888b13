/** The nested fields of meals, menstrual cycles and electrocardiograms. See docs/interface/summaries.md. */
import * as z from 'zod'
import { component, date, openEnum } from '../kernel/primitives.ts'

const grams = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${description}, g` })

const energy = () =>
  z.object({ unit: z.literal('kcal'), value: z.number().meta({ description: 'Energy, kcal' }) }).meta({ id: 'Energy' })

const macros = () =>
  component('Macronutrients', {
    carbs: grams('Carbohydrates'),
    protein: grams('Protein'),
    fats: z
      .object({
        saturated: grams('Saturated fat'),
        monounsaturated: grams('Monounsaturated fat'),
        polyunsaturated: grams('Polyunsaturated fat'),
        omega3: grams('Omega-3 fatty acids'),
        omega6: grams('Omega-6 fatty acids'),
        total: grams('Fat'),
      })
      .nullable(),
    alcohol: grams('Alcohol'),
    water: grams('Water'),
    fibre: grams('Fibre'),
    sugar: grams('Sugar'),
    cholesterol: grams('Cholesterol'),
  })

const amounts = () =>
  z.record(z.string(), z.number().nullable().meta({ description: "Amount in the provider's unit" })).nullable()
const micros = () =>
  z
    .object({ minerals: amounts(), trace_elements: amounts(), vitamins: amounts() })
    .meta({ id: 'Micronutrients', description: 'Amounts by nutrient' })

/** The nutrients of a meal, in total and by food. */
export const meal = () => ({
  energy: energy().nullable(),
  macros: macros().nullable(),
  micros: micros().nullable(),
  data: z
    .record(
      z.string(),
      z.object({ energy: energy().nullable(), macros: macros().nullable(), micros: micros().nullable() }),
    )
    .nullable()
    .meta({ description: 'Nutrients by food' }),
  priority_id: z.int().meta({ deprecated: true }),
  source_id: z.int().meta({ deprecated: true }),
  provider_id: z.string().meta({ deprecated: true }),
})

/** A list with at most one entry per day. */
const daily = (fields: z.core.$ZodLooseShape = {}) => z.array(z.object({ date: date(), ...fields }))
const TEST_RESULTS = ['negative', 'positive', 'indeterminate'] as const

/** The fields of a menstrual cycle: its bounds, and ten lists of daily records. */
export const menstrualCycleFields = () => ({
  period_start: date(),
  period_end: date().nullable().meta({ description: 'Last day of bleeding; null until the period ends' }),
  cycle_end: date().nullable().meta({ description: 'Last day of the cycle; null until the cycle ends' }),
  is_predicted: z.boolean().nullable(),
  menstrual_flow: daily({ flow: openEnum(['unspecified', 'none', 'light', 'medium', 'heavy']) }),
  cervical_mucus: daily({ quality: openEnum(['dry', 'sticky', 'creamy', 'watery', 'egg_white']) }),
  intermenstrual_bleeding: daily(),
  contraceptive: daily({
    type: openEnum(['unspecified', 'implant', 'injection', 'iud', 'intravaginal_ring', 'oral', 'patch']),
  }),
  detected_deviations: daily({
    deviation: openEnum([
      'persistent_intermenstrual_bleeding',
      'prolonged_menstrual_periods',
      'irregular_menstrual_cycles',
      'infrequent_menstrual_cycles',
    ]),
  }),
  ovulation_test: daily({
    test_result: openEnum(['negative', 'positive', 'luteinizing_hormone_surge', 'estrogen_surge', 'indeterminate']),
  }),
  home_pregnancy_test: daily({ test_result: openEnum(TEST_RESULTS) }),
  home_progesterone_test: daily({ test_result: openEnum(TEST_RESULTS) }),
  sexual_activity: daily({ protection_used: z.boolean().nullable() }),
  basal_body_temperature: daily({ value: z.number().meta({ description: 'Temperature, °C' }) }),
})

/** The findings of an electrocardiogram. */
export const electrocardiogramFields = () => ({
  voltage_sample_count: z.int().meta({ description: 'Number of voltage samples' }),
  heart_rate_mean: z.int().nullable().meta({ description: 'Mean heart rate, bpm' }),
  sampling_frequency_hz: z.number().nullable().meta({ description: 'Sampling frequency, Hz' }),
  classification: openEnum(['sinus_rhythm', 'atrial_fibrillation', 'inconclusive']).nullable(),
  inconclusive_cause: openEnum(['high_heart_rate', 'low_heart_rate', 'poor_reading']).nullable(),
  algorithm_version: z.string().nullable(),
  time_zone: z.string().nullable().meta({ description: 'IANA time zone' }),
})
