/** Steps of the conversation: webhook endpoints. */
import { NOBODY, text, topic } from '../conversation.ts'

const { steps, step } = topic()
export const webhookSteps = steps

type Memory = Parameters<typeof text>[0]
const endpoint = (memory: Memory) => ({
  params: { endpoint_id: text(memory, 'create a webhook endpoint', 'endpoint_id') },
})
const nobody = { params: { endpoint_id: NOBODY } }
const url = 'http://localhost:9/hooks'
const OWN_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

step('create a webhook endpoint', 'webhook.create', {
  // nothing here causes these events: the endpoint gets only those requested for it
  body: { url, description: 'a test', event_types: ['lab_report.*'], header_prefix: 'svix-', rate_limit: 50 },
})
step('create a webhook endpoint with its own secret', 'webhook.create', {
  body: { url: 'https://example.com/hooks', event_types: ['lab_report.*'], concurrency: 1, secret: OWN_SECRET },
})
step('create a webhook endpoint without a URL', 'webhook.create', () => ({ body: {} }))
step('create a webhook endpoint at a private address', 'webhook.create', { body: { url: 'https://10.0.0.1/' } })
step('create a webhook endpoint without TLS', 'webhook.create', { body: { url: 'http://example.com/' } })
step('create a webhook endpoint for an unknown event type', 'webhook.create', {
  body: { url, event_types: ['daily.data.stepz.*'] },
})
step('create a webhook endpoint with a short secret', 'webhook.create', { body: { url, secret: 'whsec_c2hvcnQ=' } })
step('list the webhook endpoints', 'webhook.list', {})
step('show a webhook endpoint', 'webhook.get', endpoint)
step('show an unknown webhook endpoint', 'webhook.get', nobody)
step('the deliveries to a webhook endpoint by day', 'webhook.days', endpoint)
step('the deliveries to an unknown webhook endpoint', 'webhook.days', nobody)
step('change a webhook endpoint', 'webhook.update', memory => ({
  ...endpoint(memory),
  body: { event_types: ['lab_report.parsing_job.created'], rate_limit: null, header_prefix: null },
}))
step('change no field of a webhook endpoint', 'webhook.update', memory => ({ ...endpoint(memory), body: {} }))
step('change a webhook endpoint to an invalid port', 'webhook.update', memory => ({
  ...endpoint(memory),
  body: { url: 'http://localhost:0/' },
}))
step('change an unknown webhook endpoint', 'webhook.update', { ...nobody, body: { concurrency: 3 } })
step('rotate the secret of a webhook endpoint', 'webhook.rotate_secret', endpoint)
step('rotate the secret of a webhook endpoint at once', 'webhook.rotate_secret', memory => ({
  ...endpoint(memory),
  body: { overlap_hours: 0, secret: OWN_SECRET },
}))
step('rotate the secret of a webhook endpoint for a year', 'webhook.rotate_secret', memory => ({
  ...endpoint(memory),
  body: { overlap_hours: 8_760 },
}))
step('rotate the secret of an unknown webhook endpoint', 'webhook.rotate_secret', nobody)
step('test a webhook endpoint', 'webhook.test', endpoint)
step('test a webhook endpoint with another event', 'webhook.test', memory => ({
  ...endpoint(memory),
  body: { type: 'daily.data.glucose.created' },
}))
step('test a webhook endpoint with an unknown event type', 'webhook.test', memory => ({
  ...endpoint(memory),
  body: { type: 'daily.data.*' },
}))
step('test an unknown webhook endpoint', 'webhook.test', nobody)
step('disable a webhook endpoint', 'webhook.disable', endpoint)
step('test a webhook endpoint that is disabled', 'webhook.test', endpoint)
step('disable an unknown webhook endpoint', 'webhook.disable', nobody)
step('enable a webhook endpoint', 'webhook.enable', endpoint)
step('enable an unknown webhook endpoint', 'webhook.enable', nobody)
const tested = (memory: Memory) => ({ params: { event_id: text(memory, 'test a webhook endpoint', 'event_id') } })
const since = '2020-01-01'
step('send an event again', 'event.resend', memory => ({
  ...tested(memory),
  body: { endpoint_id: endpoint(memory).params.endpoint_id },
}))
step('send an event again to its recipients', 'event.resend', tested)
step('send an unknown event again', 'event.resend', { params: { event_id: NOBODY } })
step('send an event again to an unknown endpoint', 'event.resend', memory => ({
  ...tested(memory),
  body: { endpoint_id: NOBODY },
}))
step('send dead events again', 'events.resend', memory => ({
  body: { since, dead_only: true, endpoint_id: endpoint(memory).params.endpoint_id },
}))
step('send events of a type again', 'events.resend', { body: { since, until: '2020-01-02', type: 'lab_report.*' } })
step('send events of an unknown type again', 'events.resend', { body: { since, type: 'daily.data.stepz.*' } })
step('send events of an empty period again', 'events.resend', { body: { since, until: since } })
step('delete a webhook endpoint', 'webhook.delete', endpoint)
step('delete a webhook endpoint again', 'webhook.delete', endpoint)
