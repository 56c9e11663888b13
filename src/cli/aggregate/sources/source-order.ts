/** Parses and shows the order of sources in merges. */
import { SOURCE_TYPES } from '../../../catalogue/source-types.ts'
import type { ResponseOf } from '../../../client/client.ts'
import { ServiceError } from '../../../core/errors.ts'
import { type View, view } from '../../../output/view.ts'

type Order = ResponseOf<'source_order.list'>['source_orders'][number]
type Source = Partial<Order['sources'][number]>

export const SOURCE_FORMS = 'PROVIDER, PROVIDER:SOURCE_TYPE, SOURCE_TYPE, app=ID or device=ID, joined with +'

/** Shows the orders, one line for each group of metrics. */
export function sourceOrderView(orders: readonly Order[]): View<Order> {
  const none = 'No order of sources. Merges rank sources by their types.'
  return view(
    orders,
    {
      metric_group: each => each.metric_group,
      of: each => each.of,
      sources: each => each.sources.map(sourceText).join(', '),
    },
    none,
  )
}

function sourceText({ provider, source_type: type, app_id: app, device_id: device }: Source): string {
  const source = [provider, type].filter(Boolean).join(':')
  return [source, app && `app=${app}`, device && `device=${device}`].filter(Boolean).join('+')
}

/**
 * Parses `oura`, `oura:ring`, `watch`, `app=com.example.run` or `apple_health_kit:watch+device=ID`. Throws ServiceError `usage` for a wrong
 * format; the service checks the names.
 */
export function parseSource(text: string): Source {
  const source: { -readonly [Field in keyof Source]: Source[Field] } = {}
  // an app's ID may contain a plus
  for (const part of text.trim().split(/\+(?=(?:app|device)=)/)) {
    const [, name, id] = /^(app|device)=(.+)$/.exec(part) ?? []
    const field = name === 'app' ? 'app_id' : 'device_id'
    const isWrong = name === undefined ? !/^[^:=+]+(?::[^:=+]+)?$/.test(part) : source[field] !== undefined
    if (isWrong || (name === undefined && (source.provider || source.source_type))) {
      throw new ServiceError('usage', `"${text.slice(0, 80)}" is not a source. Write ${SOURCE_FORMS}.`, {
        suggestions: ['For example: oura:ring, watch, or apple_health_kit:watch+app=com.example.run'],
      })
    } else if (name !== undefined) source[field] = id
    else if ((SOURCE_TYPES as readonly string[]).includes(part)) source.source_type = part
    else {
      const [provider, type] = part.split(':')
      source.provider = provider
      if (type) source.source_type = type
    }
  }
  return source
}
