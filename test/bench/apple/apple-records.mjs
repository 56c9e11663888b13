/** The record types of a synthetic Apple Health export: how often each occurs, with which sources, units and values. */

const Q = 'HKQuantityTypeIdentifier'
const C = 'HKCategoryTypeIdentifier'
const V = 'HKCategoryValue'

/** Sources with typical names: a no-break space, an entity, a `>` and an apostrophe; some have no device. */
export const SOURCES = {
  watch: {
    name: 'Sam’s Apple\u00a0Watch',
    version: '10.3.1',
    device: 'Apple Watch',
    model: 'Watch',
    hardware: 'Watch6,2',
  },
  oldWatch: {
    name: 'Sam’s Apple\u00a0Watch',
    version: '4.2',
    device: 'Apple Watch',
    model: 'Watch',
    hardware: 'Watch2,4',
  },
  phone: { name: 'Sam’s iPhone', version: '17.3', device: 'iPhone', model: 'iPhone', hardware: 'iPhone14,2' },
  scale: { name: 'Scale &amp; Co &gt; "Home"'.replaceAll('"', '&quot;'), version: '5.1', device: undefined },
  food: { name: 'Food > Diary', version: '2023.4', device: undefined },
  health: { name: 'Health', version: '17.3', device: undefined },
}

const motion = '<MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="1"/>'
const userEntered = '<MetadataEntry key="HKWasUserEntered" value="1"/>'
const zone = '<MetadataEntry key="HKTimeZone" value="Europe/Berlin"/>'
/** Newer exports list the beats of a heart rate variability inside the record, two levels down. */
const beats =
  '<HeartRateVariabilityMetadataList>\n   <InstantaneousBeatsPerMinute bpm="61" time="8:00:01,18&#160;AM"/>\n' +
  '   <InstantaneousBeatsPerMinute bpm="63" time="8:00:02,16&#160;AM"/>\n  </HeartRateVariabilityMetadataList>'

const whole = (from, to) => chance => String(from + Math.floor(chance() * (to - from)))
const decimal = (from, to, places) => chance => (from + chance() * (to - from)).toFixed(places)
const oneOf = words => chance => words[Math.floor(chance() * words.length)]

/**
 * `share`: fraction of all records; `every`: mean seconds between two records; `lasts`: seconds from start to end; `forms`: the sources and
 * units to choose from at random. Types with `unused` are not imported.
 */
export const RECORD_TYPES = [
  {
    type: `${Q}BodyMass`,
    share: 0.002,
    every: 86_400,
    lasts: 0,
    inside: [userEntered, zone],
    forms: [
      { source: 'scale', unit: 'kg', value: decimal(60, 90, 1) },
      { source: 'health', unit: 'lb', value: decimal(140, 190, 1) },
    ],
  },
  {
    type: `${Q}BodyFatPercentage`,
    share: 0.002,
    every: 86_400,
    lasts: 0,
    forms: [{ source: 'scale', unit: '%', value: decimal(0.1, 0.3, 3) }],
  },
  {
    type: `${Q}HeartRate`,
    share: 0.34,
    every: 180,
    lasts: 0,
    inside: [motion, motion, ''],
    forms: [
      { source: 'watch', unit: 'count/min', value: whole(48, 170) },
      { source: 'watch', unit: 'count/min', value: whole(48, 170) },
      { source: 'oldWatch', unit: 'count/min', value: decimal(48, 170, 4) },
    ],
  },
  {
    type: `${Q}OxygenSaturation`,
    share: 0.012,
    every: 3600,
    lasts: 0,
    forms: [{ source: 'watch', unit: '%', value: decimal(0.93, 1, 2) }],
  },
  {
    type: `${Q}BodyTemperature`,
    share: 0.001,
    every: 90_000,
    lasts: 0,
    inside: [userEntered],
    forms: [
      { source: 'health', unit: 'degF', value: decimal(97, 101, 1) },
      { source: 'health', unit: 'degC', value: decimal(36, 38, 1) },
    ],
  },
  {
    type: `${Q}BloodGlucose`,
    share: 0.004,
    every: 9000,
    lasts: 0,
    forms: [
      { source: 'food', unit: 'mg/dL', value: whole(70, 180) },
      { source: 'health', unit: 'mmol&lt;180.1558800000541&gt;/L', value: decimal(4, 9, 1) },
    ],
  },
  {
    type: `${Q}BloodPressureSystolic`,
    share: 0.002,
    every: 43_200,
    grid: true,
    lasts: 0,
    forms: [{ source: 'health', unit: 'mmHg', value: whole(105, 140) }],
  },
  {
    type: `${Q}BloodPressureDiastolic`,
    share: 0.002,
    every: 43_200,
    grid: true,
    lasts: 0,
    forms: [{ source: 'health', unit: 'mmHg', value: whole(65, 90) }],
  },
  {
    type: `${Q}RespiratoryRate`,
    share: 0.01,
    every: 1800,
    lasts: 1800,
    forms: [{ source: 'watch', unit: 'count/min', value: decimal(11, 19, 1) }],
  },
  {
    type: `${Q}StepCount`,
    share: 0.1,
    every: 600,
    lasts: 500,
    forms: [
      { source: 'watch', unit: 'count', value: whole(1, 900) },
      { source: 'phone', unit: 'count', value: whole(1, 900) },
    ],
  },
  {
    type: `${Q}DistanceWalkingRunning`,
    share: 0.1,
    every: 600,
    lasts: 500,
    forms: [
      { source: 'watch', unit: 'km', value: decimal(0.001, 0.9, 6) },
      { source: 'phone', unit: 'mi', value: decimal(0.001, 0.6, 6) },
    ],
  },
  {
    type: `${Q}DistanceCycling`,
    share: 0.004,
    every: 900,
    lasts: 300,
    forms: [{ source: 'watch', unit: 'km', value: decimal(0.1, 3, 6) }],
  },
  {
    type: `${Q}BasalEnergyBurned`,
    share: 0.1,
    every: 900,
    lasts: 850,
    forms: [{ source: 'watch', unit: 'kcal', value: decimal(1, 25, 3) }],
  },
  {
    type: `${Q}ActiveEnergyBurned`,
    share: 0.2,
    every: 300,
    lasts: 60,
    forms: [
      { source: 'watch', unit: 'kcal', value: decimal(0.01, 12, 3) },
      { source: 'watch', unit: 'kcal', value: decimal(0.01, 12, 3) },
      { source: 'phone', unit: 'kJ', value: decimal(0.1, 50, 3) },
    ],
  },
  {
    type: `${Q}FlightsClimbed`,
    share: 0.01,
    every: 7200,
    lasts: 60,
    forms: [{ source: 'phone', unit: 'count', value: whole(1, 6) }],
  },
  {
    type: `${Q}AppleStandTime`,
    share: 0.02,
    every: 3600,
    lasts: 300,
    forms: [{ source: 'watch', unit: 'min', value: whole(1, 5) }],
  },
  {
    type: `${Q}DietaryWater`,
    share: 0.002,
    every: 14_400,
    lasts: 0,
    inside: [userEntered],
    forms: [{ source: 'food', unit: 'fl_oz_us', value: whole(4, 20) }],
  },
  {
    type: `${Q}HeartRateVariabilitySDNN`,
    share: 0.006,
    every: 14_400,
    lasts: 60,
    inside: [beats],
    forms: [{ source: 'watch', unit: 'ms', value: decimal(15, 110, 4) }],
  },
  {
    type: `${Q}EnvironmentalAudioExposure`,
    share: 0.03,
    every: 1800,
    lasts: 1800,
    unused: true,
    forms: [{ source: 'watch', unit: 'dBASPL', value: decimal(40, 90, 4) }],
  },
  {
    type: `${Q}WalkingSpeed`,
    share: 0.02,
    every: 1800,
    lasts: 20,
    unused: true,
    forms: [{ source: 'phone', unit: 'km/hr', value: decimal(2, 6, 3) }],
  },
  {
    type: `${C}AppleStandHour`,
    share: 0.01,
    every: 3600,
    lasts: 3600,
    forms: [{ source: 'watch', value: oneOf([`${V}AppleStandHourStood`, `${V}AppleStandHourIdle`]) }],
  },
  {
    type: `${C}SleepAnalysis`,
    share: 0.014,
    every: 2400,
    night: 12,
    lasts: 1500,
    inside: [zone, ''],
    forms: [
      {
        source: 'watch',
        value: oneOf(
          ['AsleepCore', 'AsleepCore', 'AsleepDeep', 'AsleepREM', 'Awake', 'InBed'].map(
            stage => `${V}SleepAnalysis${stage}`,
          ),
        ),
      },
    ],
  },
]
