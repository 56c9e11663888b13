/** Lists the timeseries resources. */
import { isAmount, RESOURCES } from '../../catalogue/resources.ts'
import { type Handler, ok } from '../context.ts'

export const listResources: Handler<'timeseries.resources'> = async () => ok({ data: RESOURCES.map(resourceEntry) })

function resourceEntry(resource: (typeof RESOURCES)[number]) {
  const { name, queryName, kind, shape, unit, meaning, discriminator } = resource
  return {
    resource: name,
    event_name: queryName,
    kind,
    shape,
    unit,
    meaning,
    is_amount: isAmount(resource),
    has_type_in_key: discriminator !== undefined,
    types: [...(discriminator ?? [])],
  }
}
