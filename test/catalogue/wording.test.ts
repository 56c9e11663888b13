/** API names as people read them. */
import { describe, expect, it, test } from 'vitest'
import { RESOURCES } from '../../src/catalogue/resources.ts'
import { formatTitle, importName, readableName, resultHeading, unitText } from '../../src/catalogue/wording.ts'
import { IMPORTERS } from '../../src/connectors/files/formats.ts'
import { SUMMARY_KINDS } from '../../src/core/sample.ts'

it('spells every resource as the field does', () => {
  const titles = RESOURCES.map(({ name, unit }) => [formatTitle(name), unitText(unit)].filter(Boolean).join(', '))
  expect(titles).toEqual([
    'Steps',
    'Distance, m',
    'Active calories, kcal',
    'Basal calories, kcal',
    'Floors climbed',
    'Workout duration, min',
    'Fall',
    'Wheelchair pushes',
    'Stand duration, min',
    'Stand hours',
    'Heart rate, bpm',
    'HRV, ms',
    'Respiratory rate, bpm',
    'Blood oxygen (SpO2), %',
    'Blood pressure, mmHg',
    'Glucose, mmol/L',
    'ECG voltage, mV',
    'Stress level, %',
    'Body weight, kg',
    'Body fat, %',
    'Cholesterol, mmol/L',
    'IgE, FSU',
    'IgG, FSU',
    'Hypnogram',
    'VO2 max, mL/kg/min',
    'Body temperature, °C',
    'Body temperature delta, °C',
    'Basal body temperature, °C',
    'BMI',
    'UV exposure',
    'Lean body mass, kg',
    'Waist circumference, cm',
    'Insulin injection, units',
    'AFib burden, %',
    'Heart rate alert',
    'One-minute heart rate recovery',
    'Forced expiratory volume (FEV1), L',
    'Forced vital capacity (FVC), L',
    'Peak expiratory flow rate, L/min',
    'Inhaler usage',
    'Handwashing',
    'Sleep apnea alert',
    'Sleep breathing disturbance',
    'Daylight exposure, min',
    'Mindfulness, min',
    'Carbohydrates, g',
    'Caffeine, g',
    'Water, mL',
    'Workout distance, m',
    'Swimming strokes in workouts',
    'Note',
  ])
  expect(SUMMARY_KINDS.map(formatTitle)).toEqual([
    'Activity',
    'Workouts',
    'Sleep',
    'Sleep cycle',
    'Body',
    'Meal',
    'Profile',
    'Menstrual cycle',
    'ECG',
  ])
})

test.each([
  ['token_refresh_failed', 'token refresh failed'],
  ['walk_in_test', 'walk-in test'],
  ['at_home_phlebotomy', 'at-home phlebotomy'],
  ['rapid_acting', 'rapid-acting'],
  ['hipaa_authorization', 'HIPAA authorization'],
  ['vitamin_b12', 'vitamin B12'],
  ['heartrate_stream', 'heart rate stream'],
  // a part of another word stays
  ['uvula_remedy', 'uvula remedy'],
])('spells %s as %s', (name, text) => {
  expect(readableName(name)).toBe(text)
})

describe('the heading of a group key', () => {
  const day = { date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }
  test.each([
    ['day', day],
    ['2 weeks', { date_trunc: { unit: 'week', value: 2 }, arg: { index: 'sleep' } }],
    ['week of year', { date_part: 'week_of_year', arg: { index: 'sleep' } }],
    ['source type', { source: 'source_type' }],
    ['type', { sleep: 'type' }],
    ['heart rate', { timeseries: 'heartrate', field: 'value' }],
    ['delivery mode', { timeseries: 'insulin_injection', field: 'delivery_mode' }],
    ['sleep score', { value_macro: 'sleep_score', version: 'automatic' }],
  ])('is "%s"', (heading, group) => {
    expect(resultHeading('group_key.1', { group_by: [day, group] })).toBe(heading)
  })

  it('is the key’s name if the query is unknown or has no such group', () => {
    for (const query of [undefined, null, 'text', {}, { group_by: [day] }, { group_by: [day, {}] }])
      expect(resultHeading('group_key.1', query)).toBe('group_key.1')
    expect(resultHeading('sum.steps', { group_by: [day] })).toBe('sum.steps')
  })
})

it('names every import format as its title does', () => {
  for (const { format, title } of IMPORTERS) expect(title).toContain(importName(format))
  expect(importName('remap')).toBe('Remap')
})
