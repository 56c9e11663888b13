/** How the units of records are converted, and which are unknown. */
import { expect, test } from 'vitest'
import { RESOURCES } from '../../../src/catalogue/resources.ts'
import { conversionFor } from '../../../src/connectors/files/records/units.ts'

test.each([
  ['glucose', 'mg/dL', 90, 4.99567],
  ['glucose', 'mmol<180.1558800000541>/L', 5.3, 5.3],
  ['body_weight', 'lb', 150, 68.038856],
  ['body_weight', '[lb_av]', 150, 68.038856],
  ['body_weight', 'st', 10, 63.502932],
  ['body_weight', 'g', 70_500, 70.5],
  ['body_weight', 'KG', 70.5, 70.5],
  ['body_temperature', '[degF]', 98.6, 37],
  ['body_temperature', 'degC', 36.6, 36.6],
  ['body_temperature_delta', '°F', 0.9, 0.5],
  ['distance', 'km', 1.2, 1200],
  ['distance', 'mi', 1, 1609.344],
  ['distance', '[ft_i]', 10, 3.048],
  ['distance', 'yd', 100, 91.44],
  ['waist_circumference', 'in', 30, 76.2],
  ['calories_active', 'kJ', 418.4, 100],
  ['calories_active', 'Cal', 12.5, 12.5],
  ['calories_active', 'cal', 1000, 1],
  ['blood_oxygen', '1', 0.97, 97],
  ['blood_oxygen', '%', 97, 97],
  ['heartrate', '/min', 60, 60],
  ['heartrate', '{beats}/min', 60, 60],
  ['heartrate', 'beats per minute', 60, 60],
  ['heartrate', 'Hz', 1, 60],
  ['respiratory_rate', 'breaths/min', 14, 14],
  ['blood_pressure', 'mm[Hg]', 120, 120],
  ['blood_pressure', 'kPa', 16, 120.009869],
  ['water', 'L', 0.5, 500],
  ['water', 'fl_oz_us', 1, 29.57353],
  ['caffeine', 'mg', 80, 0.08],
  ['mindfulness_minutes', 's', 90, 1.5],
  ['daylight_exposure', 'hours', 2, 120],
  ['steps', '{steps}', 12, 12],
  ['steps', 'steps', 12, 12],
  ['insulin_injection', '[iU]', 4, 4],
  ['vo2_max', 'mL/min·kg', 41.2, 41.2],
  ['forced_expiratory_volume_1', 'mL', 3100, 3.1],
  ['peak_expiratory_flow_rate', 'L/s', 7, 420],
  ['electrocardiogram_voltage', 'µV', 250, 0.25],
  ['body_mass_index', 'kg/m2', 22.1, 22.1],
  ['vo2_max', 'ml/kg/min', 41.2, 41.2],
  ['vo2_max', 'mL/(kg·min)', 41.2, 41.2],
  ['vo2_max', 'ml/(kg⋅min)', 41.2, 41.2],
  ['vo2_max', 'mL·kg⁻¹·min⁻¹', 41.2, 41.2],
  ['vo2_max', 'ml kg-1 min-1', 41.2, 41.2],
  ['glucose', 'MG/DL', 90, 4.99567],
  ['glucose', 'mg%', 90, 4.99567],
  ['glucose', 'milligrams per deciliter', 90, 4.99567],
  ['glucose', 'mmol/l', 5.3, 5.3],
  ['glucose', 'mmol·L-1', 5.3, 5.3],
  ['heartrate', 'beats/min', 60, 60],
  ['heartrate', 'BPM', 60, 60],
  ['heartrate', 'beats_per_minute', 60, 60],
  ['heartrate', 'counts/min', 60, 60],
  ['heartrate', 'min⁻¹', 60, 60],
  ['respiratory_rate', 'brpm', 14, 14],
  ['respiratory_rate', 'respirations/min', 14, 14],
  ['body_temperature', '° C', 36.6, 36.6],
  ['body_temperature', 'ºC', 36.6, 36.6],
  ['body_temperature', 'c', 36.6, 36.6],
  ['body_temperature', 'Degrees Celsius', 36.6, 36.6],
  ['body_temperature', 'degrees F', 98.6, 37],
  ['calories_active', 'Kcal', 100, 100],
  ['body_weight', 'lbs.', 150, 68.038856],
  ['body_weight', 'Kgs', 70.5, 70.5],
  ['blood_oxygen', 'percentage', 97, 97],
  ['blood_pressure', 'mm/Hg', 120, 120],
  ['waist_circumference', 'in.', 30, 76.2],
  ['peak_expiratory_flow_rate', 'lpm', 420, 420],
  ['body_mass_index', 'kg/m^2', 22.1, 22.1],
])('%s in %s', (resource, unit, value, expected) => {
  expect(conversionFor(resource, unit)?.(value)).toBe(expected)
})

test.each([
  ['glucose', 'mg'],
  ['steps', 'km'],
  ['calories_active', 'CAL'],
  ['calories_active', 'calories'],
  ['water', 'fl oz'],
  ['body_weight', ''],
  ['heartrate', 'constructor'],
  ['distance', 'M'],
  ['no_such_resource', 'count'],
  ['steps', 'x'.repeat(100)],
])('does not know %s in %s', (resource, unit) => {
  expect(conversionFor(resource, unit)).toBeNull()
})

test('converts milligrams of cholesterol by its type, and not without one', () => {
  expect(conversionFor('cholesterol', 'mg/dL')).toBeNull()
  expect(conversionFor('cholesterol', 'mg/dL', 'ldl')?.(100)).toBe(2.585984)
  expect(conversionFor('cholesterol', 'mg/dL', 'triglycerides')?.(100)).toBe(1.12905)
  expect(conversionFor('cholesterol', 'mmol/L')?.(4.2)).toBe(4.2)
})

test('knows every resource’s own unit, and keeps the value exact to the last bit', () => {
  const value = 0.1 + 0.2
  for (const { name, unit } of RESOURCES) expect([name, conversionFor(name, unit)?.(value)]).toEqual([name, value])
})

test('keeps the value exact to the last bit under other names of the same unit', () => {
  const value = 1 / 3
  for (const [resource, unit] of [
    ['stand_duration', 'minutes'],
    ['body_weight', 'kilograms'],
    ['carbohydrates', 'grams'],
    ['water', 'mL'],
    ['waist_circumference', 'centimeters'],
    ['hrv', 'ms'],
  ] as const) {
    expect([unit, conversionFor(resource, unit)?.(value)]).toEqual([unit, value])
  }
})
