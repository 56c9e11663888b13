/** Devices that simulated providers' people wear: manufacturer, model and firmware, by provider. */

export interface DeviceModel {
  readonly manufacturer: string
  readonly model: string
  readonly version: string
}

/** Device models by provider. Providers that are only an application have no entry. */
export const DEVICE_MODELS: Readonly<Record<string, DeviceModel>> = {
  oura: { manufacturer: 'Oura', model: 'Ring Gen3', version: '2.9.30' },
  fitbit: { manufacturer: 'Fitbit', model: 'Charge 6', version: '194.61' },
  garmin: { manufacturer: 'Garmin', model: 'Forerunner 265', version: '20.26' },
  whoop: { manufacturer: 'Whoop', model: '4.0', version: '41.12.5' },
  whoop_v2: { manufacturer: 'Whoop', model: '4.0', version: '41.12.5' },
  renpho: { manufacturer: 'Renpho', model: 'Elis 1', version: '1.4.0' },
  peloton: { manufacturer: 'Peloton', model: 'Bike+', version: '2.3.1' },
  wahoo: { manufacturer: 'Wahoo', model: 'Kickr Core', version: '2.0.4' },
  freestyle_libre: { manufacturer: 'Abbott', model: 'FreeStyle Libre 3', version: '3.4.2' },
  abbott_libreview: { manufacturer: 'Abbott', model: 'FreeStyle Libre 3', version: '3.4.2' },
  tandem_source: { manufacturer: 'Tandem', model: 't:slim X2', version: '7.8.1' },
  eight_sleep: { manufacturer: 'Eight Sleep', model: 'Pod 4', version: '4.1.0' },
  withings: { manufacturer: 'Withings', model: 'ScanWatch 2', version: '3161' },
  apple_health_kit: { manufacturer: 'Apple', model: 'Watch Series 9', version: '10.6' },
  ihealth: { manufacturer: 'iHealth', model: 'Track KN-550BT', version: '1.1.5' },
  google_fit: { manufacturer: 'Google', model: 'Pixel Watch 2', version: '1.2.7' },
  google_health: { manufacturer: 'Google', model: 'Pixel Watch 3', version: '2.1.0' },
  beurer_api: { manufacturer: 'Beurer', model: 'BF 720', version: '1.2.0' },
  omron: { manufacturer: 'Omron', model: 'Evolv', version: '1.0.8' },
  dexcom: { manufacturer: 'Dexcom', model: 'G6', version: '1.10.4' },
  dexcom_v3: { manufacturer: 'Dexcom', model: 'G7', version: '2.1.1' },
  hammerhead: { manufacturer: 'Hammerhead', model: 'Karoo 3', version: '1.570' },
  health_connect: { manufacturer: 'Google', model: 'Pixel Watch 2', version: '1.2.7' },
  samsung_health: { manufacturer: 'Samsung', model: 'Galaxy Watch 6', version: 'R940' },
  polar: { manufacturer: 'Polar', model: 'Vantage V3', version: '2.0.25' },
  kardia: { manufacturer: 'AliveCor', model: 'KardiaMobile 6L', version: '5.28.0' },
  ultrahuman: { manufacturer: 'Ultrahuman', model: 'Ring Air', version: '2.0.3' },
}
