/** Registers gauges whose values are read when they are scraped. */
import type { Gauge, Registry } from 'prom-client'

/** Registers one gauge. */
export type AddGauge = (name: string, help: string, value: () => number | Promise<number>) => void

/** `GaugeClass` is that of the metrics package, which only the server loads. */
export function gaugesOf(GaugeClass: typeof Gauge, registry: Registry): AddGauge {
  return (name, help, value) => {
    new GaugeClass({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await value())
      },
    })
  }
}
