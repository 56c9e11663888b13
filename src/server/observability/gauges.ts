/** Registers gauges whose values are read on each scrape. */
import type { Gauge, Registry } from 'prom-client'
import { ServiceError } from '../../core/errors.ts'

/** Registers one gauge. While its value cannot be read, it is omitted from the metrics. */
export type AddGauge = (name: string, help: string, value: () => number | Promise<number>) => void

/** `GaugeClass` is the metrics package's class; only the server loads the package. */
export function gaugeAdder(GaugeClass: typeof Gauge, registry: Registry): AddGauge {
  return (name, help, value) => {
    new GaugeClass({
      name,
      help,
      registers: [registry],
      async collect() {
        this.remove()
        try {
          this.set(await value())
        } catch (error) {
          // for example, the store cannot be reached; the other metrics are needed most at that time
          if (!(error instanceof ServiceError)) throw error
        }
      },
    })
  }
}
