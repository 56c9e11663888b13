/** Schemas of delivery attempts with their requests and responses. */
import * as z from 'zod'
import { component, dateTime, sensitive } from '../kernel/primitives.ts'

const headers = () => sensitive(z.record(z.string(), z.string()))

/** The attempts to deliver one event, by endpoint and number. */
export const attemptList = () =>
  component('AttemptList', {
    attempts: z.array(
      z.object({
        endpoint_id: z.string(),
        url: z.string(),
        number: z.int().meta({ description: 'Number of the attempt within its delivery, from 1' }),
        attempted_at: dateTime().meta({ description: "End of the attempt on the engine's clock" }),
        status: z.int().nullable().meta({ description: 'HTTP status of the response; null if there was none' }),
        duration_ms: z.int(),
        error: z.string().nullable().meta({ description: 'Why the attempt failed; null if it was accepted' }),
        request_headers: headers().nullable().meta({
          description:
            'Request headers; null if nothing was sent, or after 7 days, when requests and responses are deleted',
        }),
        response_headers: headers().nullable().meta({
          description: 'Response headers, without cookies; null if there was no response, or it is no longer stored',
        }),
        response_body: sensitive(z.string()).nullable().meta({
          description:
            'First 4 KiB of the response body as UTF-8; null if there was no response, or it is no longer stored',
        }),
        response_truncated: z.boolean().nullable().meta({
          description: 'Whether the body is longer than the stored part, or was cut off; null without a body',
        }),
      }),
    ),
  })
