/**
 * Bytes of all answers that are arriving at this process, or wait to be read. If there are too many, the largest answer of the team and
 * provider that have the most is given up: a provider that sends much and never ends takes memory from nobody else.
 */
import { ProviderError } from '../../../connectors/provider-session.ts'

const MIB = 1024 * 1024
/** Pages of all pulls that get answers at the same time are far below. */
const MOST_BYTES = 256 * MIB

interface Arriving {
  readonly share: string
  bytes: number
  readonly giveUp: () => void
}

export interface ArrivingBytes {
  add(bytes: number): void
  /** It has arrived or was read, or nobody waits for it. */
  end(): void
}

const all = new Set<Arriving>()
let total = 0

/** Counts the bytes of one answer. `share`: the team and the provider. `giveUp` is called where others need the memory. */
export function arrivingBytes(share: string, giveUp: () => void): ArrivingBytes {
  const own: Arriving = { share, bytes: 0, giveUp }
  all.add(own)
  return {
    add(bytes) {
      if (!all.has(own)) return
      own.bytes += bytes
      total += bytes
      while (total > MOST_BYTES) {
        const largest = largestOfLargestShare()
        forget(largest)
        largest.giveUp()
      }
    },
    end: () => forget(own),
  }
}

/** Returns the failure of an answer that was given up. */
export function tooMuch(provider: string): ProviderError {
  return new ProviderError('unavailable', `${provider} sent more at once than there is memory for.`)
}

function forget(one: Arriving): void {
  if (all.delete(one)) total -= one.bytes
}

function largestOfLargestShare(): Arriving {
  const shares = new Map<string, number>()
  for (const { share, bytes } of all) shares.set(share, (shares.get(share) ?? 0) + bytes)
  const [first] = [...all].sort((a, b) => (shares.get(b.share) ?? 0) - (shares.get(a.share) ?? 0) || b.bytes - a.bytes)
  return first as Arriving // there is one, because there are bytes
}
