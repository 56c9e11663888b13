/** Pushes of samples, as the store receives them. */
export const START = Date.UTC(2026, 0, 5)
export const MINUTE = 60_000

/** Returns a push of one sample at each of these minutes. */
export function buildPush(teamId: string, minutes: readonly number[]) {
  return {
    at: START,
    teamId: teamId as never, // the harness knows it as a text
    batches: [
      {
        series: { resource: 'heartrate', type: null, provider: 'oura', sourceType: 'ring' },
        n: minutes.length,
        start: Float64Array.from(minutes, minute => START + minute * MINUTE),
        end: null,
        value: Float64Array.from(minutes, minute => 50 + (minute % 60)),
        second: null,
        offset: null,
        text: new Map(),
      },
    ],
    summaries: [],
    streams: [],
    events: { kind: 'daily' as const },
    connections: [],
    consumeToken: null,
    importing: null,
  }
}
